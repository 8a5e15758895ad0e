package table

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// verifyNested counts the values of every leaf in the footer and in its pages,
// whose checksums are compared on the way. The reader is the writer's own:
// lib/parquetread reads what lies at the top of the schema only.
func (w *Writer) verifyNested() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be read: %v", p)
		}
	}()
	f, err := parquet.OpenFile(w.out, w.out.n, parquet.SkipBloomFilters(true)) // with the page index
	if err != nil {
		return err
	}
	if got, want := f.Schema().String(), w.schema.String(); got != want {
		return fmt.Errorf("schema %s, not %s", got, want)
	}
	announced, found := make([]int64, len(w.counts)), make([]int64, len(w.counts))
	for g, group := range f.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			about := &f.Metadata().RowGroups[g].Columns[i].MetaData
			if about.Codec != format.Zstd { // others can be made to take all memory there is
				return fmt.Errorf("row group %d: leaf %d: codec %s, not %s", g, i, about.Codec, format.Zstd)
			}
			announced[i] += about.NumValues
			n, err := countValues(chunk, about.DataPageOffset)
			if err != nil {
				return fmt.Errorf("row group %d: leaf %d: %w", g, i, err)
			}
			found[i] += n
		}
	}
	for i, want := range w.counts {
		if announced[i] != want || found[i] != want {
			return fmt.Errorf("leaf %d: %d values, %d by the footer, not %d", i, found[i], announced[i], want)
		}
	}
	return nil
}

// countValues reads the pages of a chunk, and sees whether the offset index has
// each of them with its first row: readers that seek lose rows if it does not.
func countValues(chunk parquet.ColumnChunk, offset int64) (n int64, err error) {
	index, err := chunk.OffsetIndex()
	if err != nil {
		return 0, err
	}
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	rows := int64(0)
	for i := 0; ; i++ {
		page, err := pages.ReadPage()
		if err == io.EOF && i == index.NumPages() {
			return n, nil
		} else if err == io.EOF {
			return n, fmt.Errorf("%d pages, not %d as in the offset index", i, index.NumPages())
		} else if err != nil {
			return n, err
		}
		if i >= index.NumPages() || index.FirstRowIndex(i) != rows || index.Offset(i) != offset {
			err = fmt.Errorf("page %d: the offset index has another place for it", i)
		} else {
			offset += index.CompressedPageSize(i)
		}
		n += page.NumValues()
		rows += page.NumRows()
		parquet.Release(page)
		if err != nil {
			return n, err
		}
	}
}
