// Record-index computes the index row of every response; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/lang"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct{ jobs int }

func (c *command) Flags(f *pflag.FlagSet) {
	f.IntVarP(&c.jobs, "jobs", "j", runtime.NumCPU(), "")
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usagef("no FILE is taken: records come on stdin, from warc-records")
	case c.jobs < 1:
		return cli.Usagef("--jobs must be at least 1")
	}
	if err := std.NeedInput(); err != nil {
		return err
	}
	indexer := ccindex.Indexer{
		Jobs:    c.jobs,
		Builder: &ccindex.Builder{Languages: lang.Classifier{}},
		OnSkip:  func(err error) { std.Errorf("%v", err) },
	}
	in, out := jsonl.NewReader(std.In, 0), jsonl.NewWriter(std.Out)
	end, err := indexer.Run(ctx, in, out)
	if err != nil {
		return errors.Join(explain(err), writeFault(out, err))
	}
	if end != nil {
		out.Line(jsonl.AppendEnd(nil, *end))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	if end != nil && end.Skipped > 0 {
		return fmt.Errorf("%d responses have no row", end.Skipped)
	}
	return nil
}

// writeFault closes the stream with _error: the one that came from upstream, or
// this command's own.
func writeFault(out *jsonl.Writer, err error) error {
	var fault *jsonl.Fault
	if !errors.As(err, &fault) {
		fault = &jsonl.Fault{Stage: "record-index", Message: err.Error()}
		var at *jsonl.LineError
		if errors.As(err, &at) {
			fault.Offset = at.Offset
		}
	}
	out.Line(jsonl.AppendFault(nil, *fault))
	return out.Flush()
}

func explain(err error) error {
	err = fmt.Errorf("stdin: %w", err)
	switch {
	case errors.Is(err, ccindex.ErrNoBody):
		return cli.Hint(err, "run warc-records without --no-body, and with a --max-body of at least %dM", ccindex.BodyPrefix>>20)
	case errors.Is(err, ccindex.ErrNoName):
		return cli.Hint(err, "name the archive: warc-records --filename NAME")
	}
	return err
}
