package ledger

import (
	"fmt"
	"io"

	"github.com/open-index/ccnews/lib/shard"
)

// Measure reads the line of a shard of size bytes from its footer: its last 64 KiB,
// usually. It leaves Path and SHA256 to the caller. Name is what errors call it.
//
// A file that has no index in its footer is an error, unless foreign is set and it
// has at least the 18 columns of Common Crawl's index; its Index is nil then.
func Measure(r io.ReaderAt, size int64, name string, foreign bool) (*Line, error) {
	s, err := shard.Open(r, size, name)
	if err != nil {
		return nil, err
	}
	if s.Index() == nil && !foreign {
		return nil, fmt.Errorf("%s: not a shard of ours: its footer has no key %s", name, shard.IndexKey)
	}
	l := &Line{
		ParquetBytes: size,
		RowGroups:    int64(s.NumGroups()),
		Columns:      int64(s.NumColumns()),
		Rows:         s.NumRows(),
		Index:        s.Index(),
	}
	if l.Index != nil {
		if err := l.checkIndex(); err != nil {
			return nil, fmt.Errorf("%s: footer key %s: %w", name, shard.IndexKey, err)
		}
	}
	return l, nil
}
