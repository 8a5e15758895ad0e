// Shard-grep finds the index rows of a host or domain; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/shard"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

// As with grep, 1 is kept for "nothing found"; all trouble is 2.
const (
	statusNone    = 1
	statusTrouble = 2
)

type command struct {
	exact, count bool
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.BoolVarP(&c.exact, "exact", "x", false, "")
	f.BoolVarP(&c.count, "count", "c", false, "")
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("no PATTERN")
	}
	pattern, err := shard.ParsePattern(args[0], c.exact)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	shards, err := shardNames(std, args[1:])
	if err != nil {
		return err
	}
	out := jsonl.NewWriter(std.Out)
	grep := shard.Grep{Pattern: pattern, OnFailure: func(err error) { std.Errorf("%v", err) }, OnRow: c.onRow(std, out)}
	if err := search(ctx, &grep, shards, out); errors.Is(err, shard.ErrStop) {
		return nil
	} else if err != nil {
		return cli.WithStatus(statusTrouble, err)
	}
	if c.count && !std.Quiet {
		out.Line(fmt.Append(nil, grep.Rows))
	}
	if err := out.Flush(); err != nil {
		return cli.WithStatus(statusTrouble, fmt.Errorf("stdout: %w", err))
	}
	std.Notef("shards read: %d, failed: %d, rows: %d", grep.Shards, grep.Failed, grep.Rows)
	switch {
	case grep.Failed > 0:
		return cli.Exit(statusTrouble)
	case grep.Rows == 0:
		return cli.Exit(statusNone)
	}
	return nil
}

// shardNames are the shards to look through: the arguments, or what stdin lists.
func shardNames(std *cli.IO, args []string) (iter.Seq2[string, error], error) {
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		return shard.Listing(std.In), std.NeedInput()
	}
	return func(yield func(string, error) bool) {
		for _, name := range args {
			if !yield(name, nil) {
				return
			}
		}
	}, nil
}

// onRow is what is done with a row.
func (c *command) onRow(std *cli.IO, out *jsonl.Writer) func(*ccindex.Row) error {
	var line []byte
	return func(row *ccindex.Row) error {
		if std.Quiet {
			return shard.ErrStop
		}
		if c.count {
			return nil
		}
		line = row.AppendJSON(line[:0])
		return out.Line(line)
	}
}

// search looks through the shards one after the other; what each one has is
// written before the next one is read.
func search(ctx context.Context, grep *shard.Grep, shards iter.Seq2[string, error], out *jsonl.Writer) error {
	none := true
	for name, err := range shards {
		if err != nil {
			return errors.Join(out.Flush(), fmt.Errorf("stdin: %w", err))
		}
		none = false
		if err := errors.Join(grep.File(ctx, name), out.Flush(), ctx.Err()); err != nil {
			return err
		}
	}
	if none {
		return errors.New("stdin: it lists no shards")
	}
	return nil
}
