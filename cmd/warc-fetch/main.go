// Warc-fetch reads the records that index rows point at; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/fetch"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/webstream"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	flags                        *pflag.FlagSet
	one                          fetch.Location // of --file, --offset, --length
	raw, http, body, text, lines bool
	maxBody                      cli.Size
	jobs, tries                  int
}

func (c *command) Flags(f *pflag.FlagSet) {
	c.flags, c.maxBody = f, record.DefaultMaxBody
	f.StringVar(&c.one.Filename, "file", "", "")
	f.Int64Var(&c.one.Offset, "offset", -1, "")
	f.Int64Var(&c.one.Length, "length", 0, "")
	f.BoolVar(&c.raw, "raw", false, "")
	f.BoolVar(&c.http, "http", false, "")
	f.BoolVar(&c.body, "body", false, "")
	f.BoolVar(&c.text, "text", false, "")
	f.BoolVar(&c.lines, "jsonl", false, "")
	f.Var(&c.maxBody, "max-body", "")
	f.IntVarP(&c.jobs, "jobs", "j", rangeread.DefaultMaxInFlight, "")
	f.IntVar(&c.tries, "tries", retry.DefaultTries, "")
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	format, err := c.format()
	if err != nil {
		return err
	}
	locations, err := c.locations(std, args)
	if err != nil {
		return err
	}
	files := rangeread.New(rangeread.Options{
		Tail:        -1,
		MaxInFlight: c.jobs,
		Retry: retry.Policy{
			Tries:  c.tries,
			Also:   []int{http.StatusForbidden}, // what Common Crawl says when it is overloaded
			OnWait: func(w retry.Wait) { std.Warnf("%v", w) },
		},
	})
	defer files.Close()
	progress := std.Progress("records", -1)
	defer progress.Done()
	fetcher := fetch.Fetcher{
		Files: files, Base: webstream.Base(), Jobs: c.jobs, Format: format, MaxBody: int64(c.maxBody),
		OnFailure: func(err error) { std.Errorf("%v", err) },
		OnWarning: func(err error) { std.Warnf("%v", err) },
	}
	count, err := fetcher.Run(ctx, locations, &counted{std.Out, progress})
	if err != nil {
		return err
	}
	return finish(std, count)
}

// format is the one that the flags ask for.
func (c *command) format() (fetch.Format, error) {
	format, asked := fetch.Records, 0
	for _, choice := range []struct {
		on     bool
		format fetch.Format
	}{{c.raw, fetch.Raw}, {c.http, fetch.HTTP}, {c.body, fetch.Body}, {c.text, fetch.Text}} {
		if choice.on {
			format, asked = choice.format, asked+1
		}
	}
	switch {
	case asked > 1:
		return 0, cli.Usagef("--raw, --http, --body and --text exclude each other")
	case c.lines && c.text:
		format = fetch.TextLines
	case c.lines && asked > 0:
		return 0, cli.Usagef("--jsonl goes with --text; without any of these flags the output is JSON lines")
	}
	switch {
	case c.flags.Changed("max-body") && format != fetch.Records:
		return 0, cli.Usagef("--max-body is for JSON records")
	case c.maxBody > record.MaxBody:
		return 0, cli.Usagef("--max-body must be at most 40M, so that lines stay below 64M")
	case c.jobs < 1:
		return 0, cli.Usagef("--jobs must be at least 1")
	case c.tries < 1:
		return 0, cli.Usagef("--tries must be at least 1")
	}
	return format, nil
}

// locations are the one of the flags, or those of stdin.
func (c *command) locations(std *cli.IO, args []string) (iter.Seq2[fetch.Location, error], error) {
	stdin := len(args) == 1 && args[0] == "-"
	if len(args) > 0 && !stdin {
		return nil, cli.Usagef("%q: rows come from stdin, an archive is named by --file", args[0])
	}
	if c.flags.Changed("file") || c.flags.Changed("offset") || c.flags.Changed("length") {
		if stdin {
			return nil, cli.Usagef("--file, --offset and --length stand in the place of stdin")
		}
		if err := c.one.Check(); err != nil {
			return nil, cli.Usagef("--file, --offset and --length tell the place of one record: %v", err)
		}
		return func(yield func(fetch.Location, error) bool) { yield(c.one, nil) }, nil
	}
	if err := std.NeedInput(); err != nil {
		return nil, err
	}
	return func(yield func(fetch.Location, error) bool) {
		for location, err := range fetch.Locations(std.In) {
			if err != nil {
				err = fmt.Errorf("stdin: %w", err)
			}
			if !yield(location, err) {
				return
			}
		}
	}, nil
}

// counted tells the progress of what is written.
type counted struct {
	io.Writer
	progress interface{ Add(int64) }
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.progress.Add(int64(n))
	return n, err
}

// finish decides on the exit status.
func finish(std *cli.IO, count fetch.Count) error {
	if count.Failed == 0 {
		return nil
	}
	std.Errorf("records written: %d, failed: %d", count.Records, count.Failed)
	if count.Later == count.Failed {
		return cli.Exit(cli.StatusTryLater)
	}
	return cli.Exit(cli.StatusFailed)
}
