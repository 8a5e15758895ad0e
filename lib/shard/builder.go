package shard

import (
	"context"
	"maps"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/extsort"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/table"
)

// Builder collects the rows of one shard and writes it. Rows beyond what
// memory holds wait in temporary files. It is not for concurrent use.
type Builder struct {
	sorter *extsort.Sorter
	tally  *tally
	key    []byte
	cells  []byte
}

// NewBuilder sorts in about memory bytes; 0 means [extsort.Memory].
func NewBuilder(memory int) *Builder {
	if memory == 0 {
		memory = extsort.Memory
	}
	return &Builder{sorter: extsort.New(memory), tally: newTally()}
}

// Add takes a row; it keeps no reference to it.
func (b *Builder) Add(row *ccindex.Row) error {
	b.tally.add(row)
	b.key = appendKey(b.key[:0], row)
	b.cells = appendCells(b.cells[:0], row)
	return b.sorter.Add(b.key, b.cells)
}

// Rows is the number of rows added.
func (b *Builder) Rows() int64 { return b.tally.Rows }

// Write writes the shard, sorted, to an empty file. End is the line that closed
// the stream of rows, nil if there was none: then, or if it says filtered, the
// shard says that it is not complete. Metadata are further keys for the footer.
//
// The same rows and end give the same bytes in whatever order the rows came,
// except that rows equal in key, time and offset keep theirs. Write can be
// called once.
func (b *Builder) Write(ctx context.Context, file table.File, end *jsonl.End, metadata map[string]string) (*Index, error) {
	index := b.tally.index(end)
	footer := map[string]string{}
	maps.Copy(footer, metadata)
	footer[IndexKey] = index.encode()

	writer := table.NewWriter(file, layout)
	for row, err := range b.sorter.Sorted() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = writer.Write(row)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := writer.Close(footer); err != nil {
		return nil, err
	}
	return index, nil
}

// Close frees memory and temporary files.
func (b *Builder) Close() error { return b.sorter.Close() }
