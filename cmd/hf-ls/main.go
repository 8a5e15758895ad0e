// Hf-ls lists the files of a dataset repository; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/retry"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	repo                                    string
	long, paths, urls, head, stdin, missing bool
	tries                                   int
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.repo, "repo", hub.NewsRepo(os.Getenv), "")
	f.BoolVarP(&c.long, "long", "l", false, "")
	f.BoolVar(&c.paths, "paths", false, "")
	f.BoolVar(&c.urls, "urls", false, "")
	f.BoolVar(&c.head, "head", false, "")
	f.BoolVar(&c.stdin, "stdin", false, "")
	f.BoolVar(&c.missing, "missing", false, "")
	f.IntVar(&c.tries, "tries", retry.DefaultTries, "")
}

func (c *command) check(args []string) error {
	forms := 0
	for _, set := range []bool{c.long, c.paths, c.urls, c.head, c.missing} {
		if set {
			forms++
		}
	}
	switch {
	case len(args) > 1:
		return cli.Usagef("one PREFIX at most, not %d", len(args))
	case c.head && (c.stdin || len(args) > 0):
		return cli.Usagef("--head is of the whole repository: no PREFIX and no --stdin")
	case c.stdin && len(args) > 0:
		return cli.Usagef("--stdin names the files: no PREFIX")
	case c.missing && !c.stdin:
		return cli.Usagef("--missing needs --stdin")
	case forms > 1:
		return cli.Usagef("one of -l, --paths, --urls, --head and --missing")
	case c.tries < 1:
		return cli.Usagef("--tries must be at least 1")
	}
	if _, err := hub.ParseName(c.repo); err != nil {
		return cli.Usagef("--repo: %v", err)
	}
	return nil
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	repo, err := hub.Dial(c.repo, hub.Options{
		Retry:     retry.Policy{Tries: c.tries, OnWait: func(w retry.Wait) { std.Warnf("%v", w) }},
		OnWarning: func(text string) { std.Warnf("%s", text) },
	})
	if err != nil {
		return err
	}
	if c.head {
		return printHead(ctx, std, repo)
	}
	out := newPrinter(c, std.Out)
	if c.stdin {
		if err := std.NeedInput(); err != nil {
			return err
		}
		err = c.known(ctx, std, repo, out)
	} else {
		err = list(ctx, std, repo, hub.Expand(strings.Join(args, "")), out)
	}
	return errors.Join(err, out.close())
}

func printHead(ctx context.Context, std *cli.IO, repo hub.Repo) error {
	commit, err := repo.Head(ctx)
	if err == nil {
		_, err = fmt.Fprintln(std.Out, commit)
	}
	return err
}

// list prints what the repository has under prefix. Nothing is nothing wrong.
func list(ctx context.Context, std *cli.IO, repo hub.Repo, prefix string, out *printer) error {
	for file, err := range repo.List(ctx, "", prefix) {
		if err == nil {
			err = out.file(file)
		}
		if err != nil {
			return err
		}
	}
	if out.files == 0 && prefix == "" {
		std.Notef("%s: no files", repo)
	} else if out.files == 0 {
		std.Notef("%s: no files under %s", repo, prefix)
	}
	return nil
}

// lookup is how many names are asked for at once, which is one request.
const lookup = 500

// known prints those files of stdin that the repository has, or those it has not.
// All are looked up in one commit.
func (c *command) known(ctx context.Context, std *cli.IO, repo hub.Repo, out *printer) error {
	commit, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	batch := make([]string, 0, lookup)
	flush := func() error {
		files, err := repo.Lookup(ctx, commit, batch)
		if err == nil {
			err = out.known(batch, files)
		}
		batch = batch[:0]
		return err
	}
	for file, err := range hub.Listed(std.In) {
		if err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		if batch = append(batch, hub.Expand(file.Path)); len(batch) == lookup {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return flush()
}
