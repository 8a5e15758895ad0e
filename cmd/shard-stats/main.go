// Shard-stats says what shards cover; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/inorder"
	"github.com/open-index/ccnews/lib/ledger"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	prefix         string
	knownFiles     []string
	foreign, table bool
	jobs, tries    int

	files *rangeread.Client
	known ledger.Known
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.prefix, "prefix", "", "")
	f.StringArrayVar(&c.knownFiles, "known", nil, "")
	f.BoolVar(&c.foreign, "foreign", false, "")
	f.BoolVar(&c.table, "table", false, "")
	f.IntVarP(&c.jobs, "jobs", "j", rangeread.DefaultMaxInFlight, "")
	f.IntVar(&c.tries, "tries", retry.DefaultTries, "")
}

func (c *command) check() error {
	switch {
	case c.jobs < 1:
		return cli.Usagef("--jobs must be at least 1")
	case c.tries < 1:
		return cli.Usagef("--tries must be at least 1")
	case c.prefix != "":
		if err := hub.CheckPath(c.prefix); err != nil {
			return cli.Usagef("--prefix: %v", err)
		}
	}
	return nil
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(args) == 0 {
		if err := std.NeedInput(); err != nil {
			return err
		}
	}
	login, err := hub.FindLogin(nil)
	if err != nil {
		return err
	}
	if err := c.readKnown(std); err != nil {
		return err
	}
	c.files = rangeread.New(rangeread.Options{
		Header:      login.Header,
		MaxInFlight: c.jobs,
		Retry:       retry.Policy{Tries: c.tries, OnWait: func(w retry.Wait) { std.Warnf("%v", w) }},
	})
	defer c.files.Close()
	return c.print(std, inorder.Map[hub.File, result]{
		Jobs: c.jobs,
		Do:   func(file hub.File) (result, error) { return c.measure(ctx, file), ctx.Err() },
	}.All(ctx, listed(std, args)))
}

// readKnown reads the files of --known.
func (c *command) readKnown(std *cli.IO) error {
	for _, name := range c.knownFiles {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = c.known.Read(file, func(err error) { std.Warnf("%s: %v: its shard is read again", name, err) })
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// listed is the arguments, or what stdin lists. A bare path or URL comes as the Path
// of a file without a URL.
func listed(std *cli.IO, args []string) iter.Seq2[hub.File, error] {
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		return func(yield func(hub.File, error) bool) {
			for file, err := range hub.Listed(std.In) {
				if err != nil {
					err = fmt.Errorf("stdin: %w", err)
				}
				if !yield(file, err) {
					return
				}
			}
		}
	}
	return func(yield func(hub.File, error) bool) {
		for _, arg := range args {
			if !yield(hub.File{Path: arg, Size: -1}, nil) {
				return
			}
		}
	}
}
