// Package search finds rows in many shards at once, wherever they lie: of a shard
// behind a URL only those parts are read that can have a row, which is its end and
// perhaps a row group or two.
//
// What is found comes in the order of the shards and of the rows in them, as with
// grep, though several shards are read at a time: each has a little room to wait for
// its turn, and stops reading when that is full. So memory does not grow with what
// is found.
package search

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/shard"
)

// Search is what is looked for, and how.
type Search struct {
	Query *shard.Query
	// Selection is the columns of the rows that are given; the others may be empty.
	Selection ccindex.Selection
	// Files opens the shards.
	Files *rangeread.Client
	// Jobs is how many shards are read at the same time, at least 1.
	Jobs int
	// Max ends the search after so many rows; 0 means all.
	Max int64
	// First takes only the first row of each shard, which is enough to name it.
	First bool
	// Unordered gives what is found as soon as it is there, still whole shards' rows
	// in their order.
	Unordered bool
	// OnFailure gets the error of every shard that could not be read as a whole. It
	// names the shard. The shard's rows up to there were given.
	OnFailure func(error)
}

// Found is some rows of one shard.
type Found struct {
	Place Place
	// Lines are the rows as JSON, each with its newline. They are the reader's until
	// the next Found.
	Lines []byte
	Rows  int64
}

// Summary says what a search cost and came to.
type Summary struct {
	Shards   int64 // that were read as a whole, as far as they had to be
	Filtered int64 // of these, answered by their ends alone
	Failed   int64
	Rows     int64 // that were given: with First, one of each shard that has any
	rangeread.Stats
}

// Run looks through shards and calls found for what it finds. The error is that of
// shards, found or ctx: nothing more was read after it. What is wrong with a shard
// goes to OnFailure, and the search goes on. Shards runs on a goroutine of its own; a
// search that ends before it does not wait until it gives the next one.
func (s *Search) Run(ctx context.Context, shards iter.Seq2[Place, error], found func(Found) error) (Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	run := &run{Search: s, queue: make(chan *task, s.Jobs), stop: cancel}
	var working sync.WaitGroup
	working.Go(func() { run.feed(ctx, shards) })
	err := run.collect(ctx, found)
	cancel()
	for task := range run.queue { // lets the feeder end
		task.drop()
	}
	working.Wait()
	run.sum.Stats = s.Files.Stats()
	if errors.Is(err, errEnough) {
		err = nil
	}
	return run.sum, err
}

// errEnough ends a search that found Max rows.
var errEnough = errors.New("enough rows")

type run struct {
	*Search
	queue chan *task // in the order of the shards, or of their first finds
	stop  context.CancelFunc
	sum   Summary
}

// task is one shard, or the error that ends the list of them.
type task struct {
	place  Place
	queued bool       // the worker's
	found  chan Found // closed at the end of the shard
	err    error      // after found is closed
	list   bool       // err is the list's
	tail   bool       // its end alone was read; after found is closed
}

// drop takes what a worker may still have to say, so that it can end.
func (t *task) drop() {
	for range t.found {
	}
}

// feed starts a worker for each shard, as many at a time as there are jobs. The
// list is read no further than that.
func (r *run) feed(ctx context.Context, shards iter.Seq2[Place, error]) {
	defer close(r.queue)
	var workers sync.WaitGroup
	defer workers.Wait() // all have been queued before the queue is closed
	slots := make(chan struct{}, r.Jobs)
	for place, err := range until(ctx, shards) {
		t := &task{place: place, err: err, list: err != nil, found: make(chan Found, waiting)}
		if err != nil {
			close(t.found)
			r.enqueue(ctx, t)
			return
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if !r.Unordered && !r.enqueue(ctx, t) {
			return
		}
		workers.Go(func() {
			defer func() { <-slots }()
			defer close(t.found)
			t.err = r.shard(ctx, t)
			r.enqueue(ctx, t)
		})
	}
}

// enqueue gives a task its turn, once.
func (r *run) enqueue(ctx context.Context, t *task) bool {
	if t.queued {
		return true
	}
	select {
	case r.queue <- t:
		t.queued = true
		return true
	case <-ctx.Done():
		return false
	}
}

// collect hands on what the workers find.
func (r *run) collect(ctx context.Context, found func(Found) error) error {
	for t := range r.queue {
		for f := range t.found {
			f = r.cut(f)
			r.sum.Rows += f.Rows
			err := found(f)
			if err == nil && r.Max > 0 && r.sum.Rows == r.Max {
				err = errEnough
				r.sum.Shards++ // as far as it had to be
			}
			if err != nil {
				r.stop()
				t.drop()
				return err
			}
		}
		switch {
		case t.list:
			return t.err
		case ctx.Err() != nil:
			return ctx.Err()
		case t.err != nil:
			r.sum.Failed++
			r.OnFailure(t.err)
		default:
			r.sum.Shards++
			if t.tail {
				r.sum.Filtered++
			}
		}
	}
	return ctx.Err()
}

// cut leaves out what is above Max.
func (r *run) cut(f Found) Found {
	over := r.sum.Rows + f.Rows - r.Max
	if r.Max == 0 || over <= 0 {
		return f
	}
	f.Rows -= over
	end := 0
	for range f.Rows {
		for f.Lines[end] != '\n' {
			end++
		}
		end++
	}
	f.Lines = f.Lines[:end]
	return f
}
