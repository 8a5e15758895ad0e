// Package inorder runs a function over a stream on all cores and hands the
// results on in the order of the input.
//
// The stream is bounded twice: by the number of items in flight, and by their
// weight in bytes, so that a few huge records cannot fill the memory that many
// small ones need. The first error wins and stops everything; no goroutine is
// left behind.
package inorder

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// Map says how to run over a stream of In and get a stream of Out.
type Map[In, Out any] struct {
	// Jobs is the number of calls of Do that run at once.
	Jobs int
	// Weight is what an item holds in memory until its result is handed on, in
	// bytes; nil counts nothing.
	Weight func(In) int64
	// Budget is how much weight may be in flight. One item is always let
	// through, however heavy.
	Budget int64
	// Do computes one result. It is called from many goroutines.
	Do func(In) (Out, error)
}

type task[In, Out any] struct {
	in     In
	weight int64
	done   chan struct{}
	out    Out
	err    error
}

// All feeds every item of source through Do and yields the results in order. The
// first error of source or Do ends it, after every result before it.
func (m Map[In, Out]) All(ctx context.Context, source iter.Seq2[In, error]) iter.Seq2[Out, error] {
	return func(yield func(Out, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var group errgroup.Group
		defer group.Wait()
		defer cancel()

		room := semaphore.NewWeighted(m.budget())
		queue := make(chan *task[In, Out], 2*m.jobs()) // in order
		work := make(chan *task[In, Out], m.jobs())    // for whichever worker is free
		group.Go(func() error {
			defer close(queue)
			defer close(work)
			m.feed(ctx, source, room, work, queue)
			return nil
		})
		for range m.jobs() {
			group.Go(func() error {
				for t := range work {
					t.out, t.err = m.Do(t.in)
					close(t.done)
				}
				return nil
			})
		}
		drain(ctx, queue, room, yield)
	}
}

func (m Map[In, Out]) jobs() int     { return max(1, m.Jobs) }
func (m Map[In, Out]) budget() int64 { return max(1, m.Budget) }

// feed hands every item to a worker and, in order, to drain.
func (m Map[In, Out]) feed(ctx context.Context, source iter.Seq2[In, error], room *semaphore.Weighted, work, queue chan<- *task[In, Out]) {
	for in, err := range source {
		t := &task[In, Out]{in: in, err: err, done: make(chan struct{})}
		if err != nil {
			close(t.done)
			send(ctx, queue, t)
			return
		}
		if m.Weight != nil {
			t.weight = max(0, min(m.Weight(in), m.budget()))
		}
		if room.Acquire(ctx, t.weight) != nil || !send(ctx, work, t) || !send(ctx, queue, t) {
			return
		}
	}
}

func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

func drain[In, Out any](ctx context.Context, queue <-chan *task[In, Out], room *semaphore.Weighted, yield func(Out, error) bool) {
	var none Out
	for t := range queue {
		select {
		case <-t.done:
		case <-ctx.Done():
			yield(none, ctx.Err())
			return
		}
		if t.err != nil {
			yield(none, t.err)
			return
		}
		if !yield(t.out, nil) {
			return
		}
		room.Release(t.weight)
	}
	if err := ctx.Err(); err != nil {
		yield(none, err)
	}
}
