package search

import (
	"context"

	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/shard"
)

const (
	// batch is how many bytes of rows are handed on at a time.
	batch = 64 << 10
	// waiting is how many batches a shard has room for until it is its turn.
	waiting = 2
)

// shard looks through one shard.
func (r *run) shard(ctx context.Context, t *task) error {
	file, err := r.Files.OpenAny(ctx, t.place.Where, t.place.Size)
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := shard.Open(source{file}, file.Size(), rangeread.Shown(t.place.Where))
	if err != nil {
		return err
	}
	found := Found{Place: t.place}
	for row, err := range s.Find(r.Query, r.Selection) {
		if err != nil {
			r.send(ctx, t, found)
			return err
		}
		found.Lines = append(row.AppendSelected(found.Lines, &r.Selection), '\n')
		if found.Rows++; r.First {
			break
		}
		if len(found.Lines) >= batch {
			if !r.send(ctx, t, found) {
				return ctx.Err()
			}
			found = Found{Place: t.place}
		}
	}
	t.tail = s.GroupsRead() == 0
	if !r.send(ctx, t, found) {
		return ctx.Err()
	}
	return nil
}

func (r *run) send(ctx context.Context, t *task, found Found) bool {
	if found.Rows == 0 {
		return true
	}
	if !r.enqueue(ctx, t) {
		return false
	}
	select {
	case t.found <- found:
		return true
	case <-ctx.Done():
		return false
	}
}

// source is a file that a shard can have parts of read together.
type source struct{ rangeread.Source }

// Prefetch is that of [shard.Prefetcher].
func (s source) Prefetch(spans []shard.Span) (release func(), err error) {
	ranges := make([]rangeread.Range, len(spans))
	for i, span := range spans {
		ranges[i] = rangeread.Range{Off: span.Offset, Len: span.Length}
	}
	return s.Source.Prefetch(ranges, rangeread.DefaultGap)
}
