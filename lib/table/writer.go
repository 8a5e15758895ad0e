package table

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/open-index/ccnews/lib/parquetread"
)

// Layout is how a table lies in its file.
type Layout struct {
	Columns []Column
	// SortedBy names the columns by which the rows come sorted, nulls last. It
	// is declared in the file; the caller does the sorting, by [Order] perhaps.
	SortedBy []string
	// Descending names those of SortedBy by which the greatest value is first.
	Descending []string
	// GroupRows is the number of rows in a row group.
	GroupRows int
	// PageBytes is about the size of a page before compression.
	PageBytes int
	// Level is zstd's: how hard it tries. The zero Level is its default.
	Level zstd.Level
}

// NewLayout is the layout for columns of which nothing but their kinds is known.
// Row groups are as large as DuckDB makes them, pages as large as most writers
// do.
func NewLayout(columns []Column) Layout {
	return Layout{Columns: columns, GroupRows: 122_880, PageBytes: 1 << 20}
}

// maxGroupBytes ends a row group early, in bytes of its rows, so that memory
// stays bounded however long the rows are.
const maxGroupBytes = 32 << 20

// filterBits is the size of a bloom filter in bits per distinct value: about
// one false positive in a thousand.
const filterBits = 16

// application is all that a file says of its writer: no version and no clock,
// so that the same rows give the same bytes.
const application = "ccnews"

// File is what a table is written to, empty at first, and read again from.
type File interface {
	io.Writer
	io.ReaderAt
}

// Writer writes rows to a Parquet file. It is not for concurrent use.
type Writer struct {
	layout     Layout
	schema     *parquet.Schema
	out        *counter
	parquet    *parquet.GenericWriter[any]
	columns    []*parquet.ColumnWriter
	batch      []byte   // rows not yet handed to the columns
	ends       []int    // where each of them ends in batch
	leaves     shredder // has the values of the batch
	counts     []int64  // values of each leaf so far
	rows       int64
	groupRows  int
	groupBytes int
}

// NewWriter writes to file. Nothing in it counts before Close: a Parquet file
// without its footer is none.
func NewWriter(file File, layout Layout) *Writer {
	out := &counter{File: file, ctx: context.Background()}
	schema := schemaOf(layout.Columns)
	w := parquet.NewGenericWriter[any](out, append(options(layout), schema)...)
	columns := w.ColumnWriters()
	return &Writer{
		layout: layout, schema: schema, out: out, parquet: w, columns: columns, counts: make([]int64, len(columns)),
		leaves: shredder{values: make([][]parquet.Value, len(columns)), ignore: func(*Misfit) bool { return true }},
	}
}

// Interrupt has Write and Close return ctx's error once ctx has ended, in the
// midst of a batch or of the last reading too.
func (w *Writer) Interrupt(ctx context.Context) { w.out.ctx = ctx }

func options(layout Layout) []parquet.WriterOption {
	var sorting []parquet.SortingColumn
	for _, name := range layout.SortedBy {
		if slices.Contains(layout.Descending, name) {
			sorting = append(sorting, parquet.Descending(name))
		} else {
			sorting = append(sorting, parquet.Ascending(name))
		}
	}
	bounds := map[string]int{}
	for _, c := range layout.Columns {
		bounds[c.Name] = c.Bounds
	}
	options := []parquet.WriterOption{
		parquet.CreatedBy(application, "", ""),
		parquet.Compression(&zstd.Codec{Level: layout.Level}),
		parquet.PageBufferSize(layout.PageBytes),
		// The page index has the bounds; a second and third copy of them in
		// every page header only costs bytes.
		parquet.DataPageStatistics(false),
		parquet.SortingWriterConfig(parquet.SortingColumns(sorting...)),
		parquet.ColumnIndexSizeLimit(func(path []string) int { return bounds[path[0]] }),
		parquet.DeferBloomFiltersWithBuffers(parquet.NewBufferPool()),
	}
	var filters []parquet.BloomFilterColumn
	for _, c := range layout.Columns {
		if c.Filter {
			filters = append(filters, parquet.SplitBlockFilter(filterBits, c.Name))
		}
		if c.Bounds == 0 {
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	return append(options, parquet.BloomFilters(filters...))
}

// batchRows is how many rows go to the columns at a time. A page can only end
// between batches.
const batchRows = 64

// A batch ends early that nested values make large: maxBatchValues is the most
// that a batch without them has, maxBatchBytes is of the text in them.
const (
	maxBatchValues = batchRows * MaxColumns
	maxBatchBytes  = 4 << 20
)

// levelBytes is about what a value of a nested column takes in memory besides
// its bytes in the row: its levels, in a buffer that is up to twice as large.
const levelBytes = 4

// Write adds a row: its cells, as made by [AppendText] and its like. The row
// is copied.
func (w *Writer) Write(row []byte) error {
	if w.groupRows > 0 && (w.groupRows == w.layout.GroupRows || w.groupBytes+len(row) > maxGroupBytes) {
		if err := w.endGroup(); err != nil {
			return err
		}
	}
	w.batch = append(w.batch, row...)
	w.ends = append(w.ends, len(w.batch))
	w.rows++
	w.groupRows++
	w.groupBytes += len(row)
	if len(w.ends) == batchRows {
		return w.writeBatch()
	}
	return nil
}

// Rows is the number of rows written so far.
func (w *Writer) Rows() int64 { return w.rows }

// writeBatch hands the rows over column by column.
func (w *Writer) writeBatch() error {
	rows, start := len(w.ends), 0
	for r, end := range w.ends {
		before := w.leaves.count
		if column, err := w.addRow(w.batch[start:end]); err != nil {
			return fmt.Errorf("column %s of row %d: %w", column, w.rows-int64(rows-r)+1, err)
		}
		w.groupBytes += (w.leaves.count - before - len(w.layout.Columns)) * levelBytes
		if start = end; w.leaves.count > maxBatchValues || len(w.leaves.cells) > maxBatchBytes {
			if err := w.writeLeaves(); err != nil {
				return err
			}
		}
	}
	w.batch, w.ends = w.batch[:0], w.ends[:0]
	return w.writeLeaves()
}

// addRow adds the cells of a row to the leaves, and names the column that has
// an error.
func (w *Writer) addRow(row []byte) (name string, err error) {
	leaf := 0
	for i := range w.layout.Columns {
		column := &w.layout.Columns[i]
		value, rest, err := cutCell(row, column.Kind)
		if err != nil || value.IsNull() && !column.Optional {
			return column.Name, errCells
		}
		switch {
		case value.IsNull() && column.Kind == Nested:
			w.leaves.nulls(column.Shape, leaf, levels{})
		case column.Kind == Nested:
			w.leaves.shred(column.Shape, value.ByteArray(), leaf)
		case column.Optional && !value.IsNull():
			w.leaves.add(value.Level(0, 1, leaf), leaf)
		default:
			w.leaves.add(value.Level(0, 0, leaf), leaf)
		}
		if w.leaves.misfit != nil || w.leaves.err != nil {
			return column.Name, errCells
		}
		row, leaf = rest, leaf+column.leaves()
	}
	return "", nil
}

// writeLeaves hands the values of whole rows over. Buffers that grew large are
// not kept: the next large value may be another column's.
func (w *Writer) writeLeaves() error {
	if err := w.out.ctx.Err(); err != nil {
		return err
	}
	keep := 4 * maxBatchValues / len(w.leaves.values)
	for i, values := range w.leaves.values {
		if len(values) == 0 {
			continue
		}
		if _, err := w.columns[i].WriteRowValues(values); err != nil {
			return err
		}
		w.counts[i] += int64(len(values))
		if w.leaves.values[i] = values[:0]; cap(values) > keep {
			w.leaves.values[i] = nil
		}
	}
	if w.leaves.cells = w.leaves.cells[:0]; cap(w.leaves.cells) > 2*maxBatchBytes {
		w.leaves.cells = nil
	}
	w.leaves.count = 0
	return nil
}

func (w *Writer) endGroup() error {
	if err := w.writeBatch(); err != nil {
		return err
	}
	w.groupRows, w.groupBytes = 0, 0
	return w.parquet.Flush()
}

// Close writes the footer with metadata, its key-value pairs, and then reads
// the file to see that every row, page and pair is there. The file is whole
// once Close returns nil.
func (w *Writer) Close(metadata map[string]string) error {
	if err := w.writeBatch(); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		w.parquet.SetKeyValueMetadata(key, metadata[key])
	}
	if err := w.parquet.Close(); err != nil {
		return err
	}
	if err := w.verify(metadata); err != nil {
		if cause := w.out.ctx.Err(); cause != nil {
			return cause
		}
		return fmt.Errorf("what was written is not what was meant: %w", err)
	}
	return nil
}

// verify has a reader that has nothing in common with the writer count what is
// in the file. Writers have lost rows and reported success before
// (https://github.com/parquet-go/parquet-go/issues/536).
func (w *Writer) verify(metadata map[string]string) error {
	f, err := parquetread.Open(w.out, w.out.n)
	if err != nil {
		return err
	}
	if f.Rows() != w.rows {
		return fmt.Errorf("%d rows, not %d", f.Rows(), w.rows)
	}
	flat := 0
	for _, c := range w.layout.Columns {
		if c.Kind != Nested {
			flat++
		}
	}
	if n := len(f.Columns()); n != flat {
		return fmt.Errorf("%d columns, not %d", n, flat)
	}
	if flat < len(w.layout.Columns) {
		if err := w.verifyNested(); err != nil {
			return err
		}
	}
	for key, want := range metadata {
		if got, ok := f.Metadata(key); !ok || got != want {
			return fmt.Errorf("footer key %s is %q, not %q", key, got, want)
		}
	}
	return f.Check()
}

// counter counts the bytes written to a file, until ctx ends.
type counter struct {
	File
	n   int64
	ctx context.Context
}

func (c *counter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.File.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadAt(p []byte, offset int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.File.ReadAt(p, offset)
}
