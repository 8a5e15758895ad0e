// Warc-records splits a web archive into its records; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
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
	allowDamage bool
}

func (c *command) Flags(f *pflag.FlagSet) {
	c.maxBody = record.DefaultMaxBody
	f.StringSliceVar(&c.split.Filter.Types, "type", nil, "")
	f.StringVar(&c.split.Filter.Host, "host", "", "")
	f.Int64Var(&c.split.Filter.Limit, "limit", 0, "")
	f.BoolVar(&c.noBody, "no-body", false, "")
	f.Var(&c.maxBody, "max-body", "")
	f.StringVar(&c.split.Filename, "filename", "", "")
	f.BoolVar(&c.noEnd, "no-end", false, "")
	f.BoolVar(&c.allowDamage, "allow-damage", false, "")
	f.IntVarP(&c.split.Jobs, "jobs", "j", runtime.NumCPU(), "")
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	in, closeInput, err := c.open(std, args)
	if err != nil {
		return err
	}
	defer closeInput()
	progress := std.Progress("archive", c.split.Size)
	defer progress.Done()
	c.split.OnDamage = func(d warc.Damage) { std.Errorf("%s: damage: %v", c.name(args), d) }

	out := jsonl.NewWriter(std.Out)
	end, err := c.split.Run(ctx, progress.Reader(in), out)
	if err != nil {
		fault := jsonl.Fault{Stage: "warc-records", Message: err.Error(), Offset: record.Offset(err)}
		out.Line(jsonl.AppendFault(nil, fault))
		return errors.Join(fmt.Errorf("%s: %w", c.name(args), err), out.Flush())
	}
	if !c.noEnd {
		out.Line(jsonl.AppendEnd(nil, end))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	if end.Damaged > 0 && !c.allowDamage {
		return cli.Hint(fmt.Errorf("%s: the archive is damaged in %d places", c.name(args), end.Damaged),
			"every other record was written; --allow-damage makes this exit 0")
	}
	return nil
}

func (c *command) check(args []string) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("one FILE at most, not %d", len(args))
	case c.split.Filter.Limit < 0:
		return cli.Usagef("--limit must not be negative")
	case c.split.Jobs < 1:
		return cli.Usagef("--jobs must be at least 1")
	case c.maxBody > record.MaxBody:
		return cli.Usagef("--max-body must be at most 40M, so that lines stay below 64M")
	}
	c.split.MaxBody = int64(c.maxBody)
	if c.noBody {
		c.split.MaxBody = -1
	}
	if host := c.split.Filter.Host; host != "" {
		var err error
		if c.split.Filter.Host, err = hostname.Normalize(host); err != nil {
			return cli.Usagef("--host: %v", err)
		}
	}
	return nil
}

// open opens the archive and fixes its name and length, as far as they are known.
func (c *command) open(std *cli.IO, args []string) (io.Reader, func() error, error) {
	c.split.Size = -1
	c.split.Filename = record.ArchiveName(c.split.Filename)
	if len(args) == 0 || args[0] == "-" {
		return std.In, func() error { return nil }, std.NeedInput()
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		c.split.Size = info.Size()
	}
	if c.split.Filename == "" {
		c.split.Filename = record.ArchiveName(args[0])
	}
	return f, f.Close, nil
}

// name is what messages call the input.
func (c *command) name(args []string) string {
	if len(args) == 0 || args[0] == "-" {
		return "stdin"
	}
	return args[0]
}
