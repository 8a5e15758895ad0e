// Warc-records splits web archives into their records; see usage.txt.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/warc"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	split       record.Splitter
	maxBody     cli.Size
	noBody      bool
	noEnd       bool
	flags       *pflag.FlagSet
	allowDamage bool
	tries       int
}

func (c *command) Flags(f *pflag.FlagSet) {
	c.flags, c.maxBody = f, record.DefaultMaxBody
	f.StringSliceVar(&c.split.Filter.Types, "type", nil, "")
	f.StringVar(&c.split.Filter.Host, "host", "", "")
	f.Int64Var(&c.split.Filter.Limit, "limit", 0, "")
	f.BoolVar(&c.noBody, "no-body", false, "")
	f.Var(&c.maxBody, "max-body", "")
	f.StringVar(&c.split.Filename, "filename", "", "")
	f.BoolVar(&c.noEnd, "no-end", false, "")
	f.BoolVar(&c.allowDamage, "allow-damage", false, "")
	f.IntVar(&c.tries, "tries", retry.DefaultTries, "")
	f.IntVarP(&c.split.Jobs, "jobs", "j", runtime.NumCPU(), "")
}

func (c *command) check(args []string) error {
	switch {
	case len(args) > 1 && c.split.Filename != "":
		return cli.Usagef("--filename names one archive, not %d", len(args))
	case c.flags.Changed("limit") && c.split.Filter.Limit < 1:
		return cli.Usagef("--limit must be at least 1")
	case c.split.Jobs < 1:
		return cli.Usagef("--jobs must be at least 1")
	case c.tries < 1:
		return cli.Usagef("--tries must be at least 1")
	case c.maxBody > record.MaxBody:
		return cli.Usagef("--max-body must be at most 40M, so that lines stay below 64M")
	}
	c.split.MaxBody = int64(c.maxBody)
	if c.noBody {
		c.split.MaxBody = -1
	}
	if host := c.split.Filter.Host; c.flags.Changed("host") {
		var err error
		if c.split.Filter.Host, err = hostname.Normalize(host); err != nil {
			return cli.Usagef("--host: %v", err)
		}
	}
	return nil
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	if slices.Contains(args, "-") {
		if err := std.NeedInput(); err != nil {
			return err
		}
	}
	out := jsonl.NewWriter(std.Out)
	var sum jsonl.End
	var failed error // the first; the archives after it are read all the same
	for i, name := range args {
		count, err := c.archive(ctx, std, out, name)
		add(&sum, count, i == 0)
		if err != nil && ctx.Err() == nil {
			std.Errorf("%v", err)
		}
		if failed = cmp.Or(failed, err); ctx.Err() != nil || out.Flush() != nil {
			break
		}
		if limit := &c.split.Filter.Limit; *limit > 0 {
			if *limit -= count.Written; *limit == 0 {
				break
			}
		}
	}
	if failed == nil {
		return c.end(out, sum)
	}
	if err := cmp.Or(writeFault(out, failed), ctx.Err()); err != nil {
		return err
	}
	return exit(failed)
}

// archive writes the records of one archive.
func (c *command) archive(ctx context.Context, std *cli.IO, out *jsonl.Writer, name string) (record.Count, error) {
	in, err := open(ctx, std, name, c.tries)
	if err != nil {
		return record.Count{}, err
	}
	defer in.close()
	progress := std.Progress(in.label, in.size)
	defer progress.Done()
	split := c.split
	split.Size = in.size
	split.Filename = record.ArchiveName(c.split.Filename)
	if split.Filename == "" {
		split.Filename = in.filename
	}
	split.OnDamage = func(d warc.Damage) { std.Errorf("%s: damage: %v", in.label, d) }
	count, err := split.Run(ctx, progress.Reader(in), out)
	if err != nil {
		err = fmt.Errorf("%s: %w", in.label, err)
	}
	return count, err
}

// add adds the counts of an archive. The sum of several has no name.
func add(sum *jsonl.End, n record.Count, first bool) {
	sum.WARCFilename = ""
	if first {
		sum.WARCFilename = n.WARCFilename
	}
	sum.Bytes += n.Bytes
	sum.Members += n.Members
	sum.Records += n.Records
	sum.Responses += n.Responses
	sum.Damaged += n.Damaged
	sum.Filtered = sum.Filtered || n.Filtered
	sum.Cut = sum.Cut || n.Cut
}

// end closes a good stream.
func (c *command) end(out *jsonl.Writer, sum jsonl.End) error {
	sum.Cut = sum.Cut && !c.allowDamage
	if !c.noEnd {
		out.Line(jsonl.AppendEnd(nil, sum))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	if sum.Damaged > 0 && !c.allowDamage {
		return cli.Hint(fmt.Errorf("damaged places: %d", sum.Damaged),
			"all records outside them were written; --allow-damage says that this may be")
	}
	return nil
}

// writeFault closes a stream that ended badly.
func writeFault(out *jsonl.Writer, failed error) error {
	fault := jsonl.Fault{Stage: "warc-records", Message: failed.Error(), Offset: record.Offset(failed)}
	if errors.Is(failed, context.Canceled) {
		fault.Message = "interrupted"
	}
	out.Line(jsonl.AppendFault(nil, fault))
	if err := out.Flush(); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// exit is the status of an error that was printed.
func exit(failed error) error {
	if later := (*retry.LaterError)(nil); errors.As(failed, &later) {
		return cli.Exit(cli.StatusTryLater)
	}
	return cli.Exit(cli.StatusFailed)
}
