package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/open-index/ccnews/lib/ccindex"
)

// Grep looks for a pattern in shards, one after the other.
type Grep struct {
	Pattern Pattern
	// OnRow gets every row found. Its error ends the search; [ErrStop] is one
	// that is not passed on.
	OnRow func(*ccindex.Row) error
	// OnFailure gets the error of every shard that could not be read as a whole.
	// It names the shard.
	OnFailure func(error)

	// Shards and Failed count the shards that were read as a whole, and those
	// that were not. Rows counts the rows found.
	Shards, Failed, Rows int64
}

// ErrStop is what OnRow returns when no more rows are wanted.
var ErrStop = errors.New("no more rows are wanted")

// rowError marks an error of OnRow among those of the shard.
type rowError struct{ error }

// File looks through one local shard. The error is that of OnRow or ctx; what
// is wrong with the shard goes to OnFailure.
func (g *Grep) File(ctx context.Context, path string) error {
	err := g.file(ctx, path)
	var stop rowError
	switch {
	case errors.As(err, &stop):
		return stop.error
	case err != nil:
		g.Failed++
		g.OnFailure(err)
	default:
		g.Shards++
	}
	return nil
}

func (g *Grep) file(ctx context.Context, path string) error {
	if strings.Contains(path, "://") {
		return fmt.Errorf("%s: not a local file: only those can be read so far", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	s, err := Open(f, info.Size(), path)
	if err != nil {
		return err
	}
	for row, err := range s.Find(g.Pattern) {
		if err != nil {
			return err
		}
		g.Rows++
		if err := errors.Join(g.OnRow(&row), ctx.Err()); err != nil {
			return rowError{err}
		}
	}
	return nil
}
