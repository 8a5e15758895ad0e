package fetch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// inFlight bounds the stored bytes in memory, with those between spans. A window never
// has as many.
const inFlight = 64 << 20

// fetched gives the spans of the locations in order.
func (f *Fetcher) fetched(ctx context.Context, locations iter.Seq2[Location, error]) iter.Seq2[*span, error] {
	return func(yield func(*span, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var group errgroup.Group
		defer group.Wait()
		defer cancel()
		p := &pipeline{
			archives: archives{files: f.Files, base: f.Base, byName: map[string]*archive{}},
			linger:   cmp.Or(f.linger, linger),
			arriving: make(chan *span, windowRows),
			work:     make(chan *run),
			queue:    make(chan *span, windowRows),
			room:     semaphore.NewWeighted(inFlight),
		}
		defer p.archives.close()
		go p.arrive(ctx, locations) // may wait for input longer than anybody for it
		group.Go(func() error { return p.plan(ctx) })
		for range max(1, f.Jobs) {
			group.Go(func() error { return p.read(ctx) })
		}
		p.drain(ctx, yield)
	}
}

// pipeline is the way of the spans: arriving, then in queue, their runs in work.
type pipeline struct {
	archives archives
	linger   time.Duration
	arriving chan *span
	work     chan *run
	queue    chan *span // in order; holds a whole window
	room     *semaphore.Weighted
}

func (p *pipeline) arrive(ctx context.Context, locations iter.Seq2[Location, error]) {
	defer close(p.arriving)
	for l, err := range locations {
		select {
		case p.arriving <- newSpan(l, err):
		case <-ctx.Done():
			return
		}
	}
}

// plan hands on window after window. The room for a window is taken at once and before
// the next one's: so the span that is wanted next always has some.
func (p *pipeline) plan(ctx context.Context) error {
	defer close(p.queue)
	defer close(p.work)
	for {
		spans := window(ctx, p.arriving, p.linger)
		if len(spans) == 0 {
			return nil
		}
		all := runs(spans)
		var weight int64
		for _, r := range all {
			weight += r.weight
			r.release = func() { p.room.Release(r.weight) }
		}
		if err := p.room.Acquire(ctx, weight); err != nil {
			return nil
		}
		for _, s := range spans {
			select {
			case p.queue <- s:
			case <-ctx.Done():
				return nil
			}
		}
		for _, r := range all {
			select {
			case p.work <- r:
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// read reads one run after another.
func (p *pipeline) read(ctx context.Context) error {
	for r := range p.work {
		err := p.readRun(ctx, r)
		for _, s := range r.spans {
			if s.err = cmp.Or(s.err, err); s.err != nil {
				s.err = fmt.Errorf("%v: %w", s.Location, s.err)
			}
			close(s.done)
		}
	}
	return nil
}

func (p *pipeline) readRun(ctx context.Context, r *run) error {
	a, err := p.archives.open(ctx, r.name)
	if err != nil {
		return err
	}
	defer p.archives.letGo(r.name, a)
	if err := r.read(a); err != nil {
		return err
	}
	for _, s := range r.spans {
		if s.err == nil && bytes.Equal(s.head(), zstdMagic) {
			s.dictionary, s.err = a.dictionary()
		}
	}
	return nil
}

// drain yields the spans as they are done.
func (p *pipeline) drain(ctx context.Context, yield func(*span, error) bool) {
	for s := range p.queue {
		select {
		case <-s.done:
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		if !yield(s, nil) {
			return
		}
	}
	if err := ctx.Err(); err != nil {
		yield(nil, err)
	}
}
