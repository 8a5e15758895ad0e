package table

import (
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
// one false positive in a hundred.
const filterBits = 10

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
	out        *counter
	parquet    *parquet.GenericWriter[any]
	columns    []*parquet.ColumnWriter
	batch      []byte // rows not yet handed to the columns
	ends       []int  // where each of them ends in batch
	values     []parquet.Value
	rows       int64
	groupRows  int
	groupBytes int
}

// NewWriter writes to file. Nothing in it counts before Close: a Parquet file
// without its footer is none.
func NewWriter(file File, layout Layout) *Writer {
	out := &counter{File: file}
	w := parquet.NewGenericWriter[any](out, options(layout)...)
	return &Writer{layout: layout, out: out, parquet: w, columns: w.ColumnWriters()}
}

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
		schemaOf(layout.Columns),
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
	columns, rows := len(w.layout.Columns), len(w.ends)
	if rows == 0 {
		return nil
	}
	w.values = slices.Grow(w.values[:0], columns*rows)[:columns*rows]
	start := 0
	for r, end := range w.ends {
		row := w.batch[start:end]
		for c, column := range w.layout.Columns {
			value, rest, err := cutCell(row, column.Kind)
			if err != nil || value.IsNull() && !column.Optional {
				return fmt.Errorf("column %s of row %d: %w", column.Name, w.rows-int64(rows-r)+1, errCells)
			}
			level := 0
			if column.Optional && !value.IsNull() {
				level = 1
			}
			w.values[c*rows+r] = value.Level(0, level, c)
			row = rest
		}
		start = end
	}
	for c, column := range w.columns {
		if _, err := column.WriteRowValues(w.values[c*rows : (c+1)*rows]); err != nil {
			return err
		}
	}
	w.batch, w.ends = w.batch[:0], w.ends[:0]
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
		return fmt.Errorf("what was written is not what was meant: %w", err)
	}
	return nil
}

// verify has a reader that has nothing in common with the writer count what is
// in the file. Writers have lost rows and reported success before
// (https://github.com/parquet-go/parquet-go/issues/536).
func (w *Writer) verify(metadata map[string]string) error {
	f, err := parquetread.Open(w.out.File, w.out.n)
	if err != nil {
		return err
	}
	if f.Rows() != w.rows {
		return fmt.Errorf("%d rows, not %d", f.Rows(), w.rows)
	}
	if n := len(f.Columns()); n != len(w.layout.Columns) {
		return fmt.Errorf("%d columns, not %d", n, len(w.layout.Columns))
	}
	for key, want := range metadata {
		if got, ok := f.Metadata(key); !ok || got != want {
			return fmt.Errorf("footer key %s is %q, not %q", key, got, want)
		}
	}
	return f.Check()
}

// counter counts the bytes written to a file.
type counter struct {
	File
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.File.Write(p)
	c.n += int64(n)
	return n, err
}
