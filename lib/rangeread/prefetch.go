package rangeread

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Prefetch reads ranges that will be needed, at the same time and in few requests:
// ranges with at most gap bytes between them are read together ([DefaultGap]). The
// bytes are held until release is called or the file is closed, and ReadAt calls
// inside of them cost nothing. What is held already costs nothing, either. What the tail has is not read again. All is read, or
// Prefetch fails and holds nothing: as when a range lies outside of the file, or
// they are more than Options.MaxPrefetch together.
func (f *File) Prefetch(ranges []Range, gap int64) (release func(), err error) {
	runs, err := coalesce(ranges, gap, f.Size(), f.client.maxPrefetch)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	runs = slices.DeleteFunc(runs, f.held.covers)
	group, ctx := errgroup.WithContext(f.ctx)
	group.SetLimit(f.client.limit.most)
	spans := make([]*span, len(runs))
	for i, run := range runs {
		run = f.held.beforeTail(run)
		group.Go(func() error {
			spans[i] = &span{run.Off, make([]byte, run.Len)}
			return f.fill(ctx, spans[i])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	f.held.add(spans...)
	return sync.OnceFunc(func() { f.held.remove(spans...) }), nil
}

// coalesce joins ranges into runs, in ascending order, and checks them.
func coalesce(ranges []Range, gap, size, most int64) ([]Range, error) {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.Off, b.Off) })
	var runs []Range
	var total int64
	for _, r := range sorted {
		switch {
		case r.Off < 0 || r.Len < 0 || r.Len > math.MaxInt64-r.Off:
			return nil, fmt.Errorf("%d bytes at %d: not a range", r.Len, r.Off)
		case size >= 0 && r.end() > size:
			return nil, fmt.Errorf("%v: the file has %d bytes: %w", r, size, io.ErrUnexpectedEOF)
		case r.Len == 0:
			continue
		}
		if last := len(runs) - 1; last >= 0 && r.Off-runs[last].end() <= max(0, gap) {
			total -= runs[last].Len
			runs[last].Len = max(runs[last].end(), r.end()) - runs[last].Off
		} else {
			runs = append(runs, r)
		}
		if total += runs[len(runs)-1].Len; total > most {
			return nil, fmt.Errorf("ranges of more than %d bytes at once: prefetch fewer", most)
		}
	}
	return runs, nil
}
