package fetch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/open-index/ccnews/lib/rangeread"
)

const (
	// windowRows and windowBytes bound how many locations are looked at together, and
	// how many bytes their spans have.
	windowRows  = 256
	windowBytes = 16 << 20
	// linger is how long a location waits for more to come.
	linger = 20 * time.Millisecond
	// maxRun is how many bytes are read into memory at once: of several spans, or of one.
	maxRun = 4 << 20
)

// window takes locations that arrive together; none at the end.
func window(ctx context.Context, arriving <-chan *span, wait time.Duration) []*span {
	var spans []*span
	var size int64
	var patience <-chan time.Time // begins with the first
	for len(spans) < windowRows && size < windowBytes {
		select {
		case s, more := <-arriving:
			if !more {
				return spans
			}
			spans = append(spans, s)
			if size += s.Length; patience == nil {
				patience = time.After(wait)
			}
		case <-patience:
			return spans
		case <-ctx.Done():
			return nil
		}
	}
	return spans
}

// run is one or more spans of an archive that are read together.
type run struct {
	name     string
	off, end int64
	spans    []*span
	first    int   // the place in the window of the span that is wanted first
	weight   int64 // bytes that it holds in memory
	left     int   // spans that were not dropped yet
	release  func()
}

// large says that the run is one span which does not belong in memory.
func (r *run) large() bool { return r.end-r.off > maxRun }

// runs groups the spans of a window, in the order in which they are wanted.
func runs(spans []*span) []*run {
	places := make(map[*span]int, len(spans))
	for i, s := range spans {
		places[s] = i
	}
	sorted := slices.SortedStableFunc(slices.Values(spans), func(a, b *span) int {
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
	})
	var all []*run
	for _, s := range sorted {
		if s.err != nil {
			close(s.done)
			continue
		}
		if n := len(all); n == 0 || !all[n-1].takes(s) {
			all = append(all, &run{name: s.Filename, off: s.Offset, first: places[s]})
		}
		r := all[len(all)-1]
		r.spans, r.end, r.first = append(r.spans, s), max(r.end, s.end()), min(r.first, places[s])
		s.run = r
	}
	for _, r := range all {
		r.left, r.weight = len(r.spans), r.end-r.off
		if r.large() {
			r.weight = spoolPiece
		}
	}
	slices.SortFunc(all, func(a, b *run) int { return cmp.Compare(a.first, b.first) })
	return all
}

// takes reports whether s is near enough to be read with the others.
func (r *run) takes(s *span) bool {
	return s.Filename == r.name && s.Offset-r.end <= rangeread.DefaultGap && max(r.end, s.end())-r.off <= maxRun
}
