package search

import (
	"context"
	"iter"
)

// Place is where a shard lies.
type Place struct {
	// Name is what messages and -l call it: the path in the listing.
	Name string
	// Where is an http or https URL, or the path of a local file.
	Where string
	// Size is the length of the file in bytes, -1 if the listing does not say.
	Size int64
}

// Local is the place of a path or URL of which nothing else is known.
func Local(where string) Place { return Place{Name: where, Where: where, Size: -1} }

// until gives what list gives until ctx ends, even while list waits for its next
// place: who has found enough waits for no listing. Whatever list reads, it may then
// be in the middle of that for longer.
func until(ctx context.Context, list iter.Seq2[Place, error]) iter.Seq2[Place, error] {
	type item struct {
		place Place
		err   error
	}
	return func(yield func(Place, error) bool) {
		next := make(chan item)
		go func() {
			defer close(next)
			for place, err := range list {
				select {
				case next <- item{place, err}:
				case <-ctx.Done():
					return
				}
			}
		}()
		for {
			select {
			case i, ok := <-next:
				if !ok || !yield(i.place, i.err) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
