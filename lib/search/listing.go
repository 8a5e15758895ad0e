package search

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/open-index/ccnews/lib/jsonl"
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

// Listing gives the places of the shards that a text lists, one a line: a bare
// path or URL, or a line of hf-ls, {"path","size","url",…}, whose url is where the
// shard is, or its path if there is none. After an error it gives nothing more.
func Listing(r io.Reader) iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for number := 1; ; number++ {
			line, err := in.ReadSlice('\n')
			if err != nil && err != io.EOF {
				if err == bufio.ErrBufferFull {
					err = errors.New("too long for the name of a shard")
				}
				yield(Place{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			place, lineErr := listed(bytes.TrimSpace(line))
			if lineErr != nil {
				yield(Place{}, fmt.Errorf("line %d: %w", number, lineErr))
				return
			}
			if place.Where != "" && !yield(place, nil) || err == io.EOF {
				return
			}
		}
	}
}

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

// listed is the place in one line, the zero Place if there is none.
func listed(line []byte) (Place, error) {
	if bytes.HasPrefix(line, []byte("PAR1")) {
		return Place{}, errors.New("this is a Parquet file, not a list of them: give its name as an argument")
	}
	if !bytes.HasPrefix(line, []byte("{")) {
		return Local(string(line)), nil
	}
	if end, fault, err := jsonl.Control(line); err != nil {
		return Place{}, err
	} else if fault != nil {
		return Place{}, fault
	} else if end != nil {
		return Place{}, nil
	}
	return parse(line)
}

// parse reads a line of hf-ls.
func parse(line []byte) (Place, error) {
	place := Place{Size: -1}
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) (err error) {
		switch key {
		case "url":
			place.Where, err = jsonl.String(iter)
		case "path":
			place.Name, err = jsonl.String(iter)
		case "size":
			place.Size, err = jsonl.Count(iter)
		case "url_surtkey":
			err = errors.New("this is an index row, not the listing of a shard")
		default:
			iter.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return Place{}, err
	case place.Where == "" && place.Name == "":
		return Place{}, errors.New("it has neither url nor path")
	}
	place.Where = cmp.Or(place.Where, place.Name)
	place.Name = cmp.Or(place.Name, place.Where)
	return place, nil
}
