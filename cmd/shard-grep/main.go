// Shard-grep finds the index rows of a host or domain; see usage.txt.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/search"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

// As with grep, 1 is kept for "nothing found"; all trouble is 2.
const (
	statusNone    = 1
	statusTrouble = 2
)

// memoryLimit is a soft limit on the heap. The rows of a row group are held until it
// was read as a whole, so that garbage is the larger part of what many shards take.
const memoryLimit = 160 << 20

type command struct {
	options
	started time.Time
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	c.started = time.Now()
	debug.SetMemoryLimit(memoryLimit)
	args, err := c.parse(args)
	if err != nil {
		return err
	}
	shards, err := c.shards(std, args)
	if err != nil {
		return err
	}
	login, err := hub.FindLogin(nil)
	if err != nil {
		return cli.WithStatus(statusTrouble, err)
	}
	files := rangeread.New(rangeread.Options{
		Header:      login.Header,
		MaxInFlight: c.jobs,
		Retry: retry.Policy{
			Tries:  c.tries,
			OnWait: func(w retry.Wait) { std.Warnf("%v", w) },
		},
	})
	defer files.Close()
	look := c.search
	look.Files, look.Jobs = files, c.jobs
	look.OnFailure = func(err error) { std.Errorf("%v", err) }
	sum, err := look.Run(ctx, shards, c.found(std))
	if errors.Is(err, errFound) {
		return nil
	}
	if err != nil {
		return cli.WithStatus(statusTrouble, err)
	}
	return c.finish(std, sum)
}

// shards are the shards to look through: the arguments, or what stdin lists.
func (c *command) shards(std *cli.IO, args []string) (iter.Seq2[search.Place, error], error) {
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		if err := std.NeedInput(); err != nil {
			return nil, err
		}
		return listed(std.In), nil
	}
	return func(yield func(search.Place, error) bool) {
		for _, name := range args {
			if !yield(search.Local(name), nil) {
				return
			}
		}
	}, nil
}

// listed is what stdin lists, which has to be something: an empty list is more
// likely a listing that failed.
func listed(stdin io.Reader) iter.Seq2[search.Place, error] {
	return func(yield func(search.Place, error) bool) {
		none := true
		for file, err := range hub.Listed(stdin) {
			if err != nil {
				err = fmt.Errorf("stdin: %w", err)
			}
			none = false
			place := search.Place{Name: file.Path, Where: cmp.Or(file.URL, file.Path), Size: file.Size}
			if !yield(place, err) {
				return
			}
		}
		if none {
			yield(search.Place{}, errors.New("stdin: it lists no shards"))
		}
	}
}

// errFound ends a search of -q at the first row.
var errFound = errors.New("a row was found")

// found is what is done with rows. They are written out at once: who reads them may
// have enough.
func (c *command) found(std *cli.IO) func(search.Found) error {
	return func(f search.Found) (err error) {
		switch {
		case std.Quiet:
			return errFound
		case c.count:
		case c.names:
			_, err = fmt.Fprintln(std.Out, f.Place.Name)
		default:
			_, err = io.Copy(std.Out, bytes.NewReader(f.Lines))
		}
		if err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
		return nil
	}
}

// finish prints what there is to say at the end, and decides on the exit status.
func (c *command) finish(std *cli.IO, sum search.Summary) error {
	if c.count && !std.Quiet {
		if _, err := fmt.Fprintln(std.Out, sum.Rows); err != nil {
			return cli.WithStatus(statusTrouble, fmt.Errorf("stdout: %w", err))
		}
	}
	c.report(std, sum)
	switch {
	case sum.Failed > 0:
		return cli.Exit(statusTrouble)
	case sum.Rows == 0:
		return cli.Exit(statusNone)
	}
	return nil
}

// report writes the summary to stderr, for people or as JSON. With -l nobody counts
// rows, but the shards that have any.
func (c *command) report(std *cli.IO, sum search.Summary) {
	requests, seconds := sum.Resolver+sum.Storage, time.Since(c.started).Seconds()
	what := "rows"
	if c.names {
		what = "with_rows"
	}
	if c.stats == "json" {
		fmt.Fprintf(std.Err, `{"shards":%d,"filtered":%d,"failed":%d,"%s":%d,"requests":%d,"bytes":%d,"seconds":%.3f}`+"\n",
			sum.Shards, sum.Filtered, sum.Failed, what, sum.Rows, requests, sum.Bytes, seconds)
	}
	if c.stats != "text" {
		return
	}
	asked := ""
	if requests > 0 {
		asked = fmt.Sprintf("requests: %d, ", requests)
	}
	std.Notef("shards read: %d (answered by their filters: %d), failed: %d, %s: %d; %sbytes: %d, seconds: %.1f",
		sum.Shards, sum.Filtered, sum.Failed, strings.ReplaceAll(what, "_", " "), sum.Rows, asked, sum.Bytes, seconds)
}

func (c *command) Flags(f *pflag.FlagSet) { c.register(f) }
