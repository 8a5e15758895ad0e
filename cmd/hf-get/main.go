// Hf-get prints files of a dataset repository; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/wholefile"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	repo, output string
	tries        int
	repos        map[string]hub.Repo // by name: a listing names its own
	absent       bool                // a path that was named is not there
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.repo, "repo", hub.NewsRepo(os.Getenv), "")
	f.StringVarP(&c.output, "output", "o", "-", "")
	f.IntVar(&c.tries, "tries", retry.DefaultTries, "")
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	c.repos = map[string]hub.Repo{}
	fromStdin := len(args) == 0 || slices.Contains(args, "-")
	switch {
	case c.output == "":
		return cli.Usagef("-o needs the name of a file or folder")
	case c.tries < 1:
		return cli.Usagef("--tries must be at least 1")
	case fromStdin && len(args) > 1:
		return cli.Usagef("- stands alone: stdin names all files")
	case len(args) > 1 && c.output != "-" && !c.toFolder():
		return cli.Usagef("-o %s is no folder: it cannot hold %d files", c.output, len(args))
	case fromStdin:
		if err := std.NeedInput(); err != nil {
			return err
		}
	}
	if _, err := hub.ParseName(c.repo); err != nil {
		return cli.Usagef("--repo: %v", err)
	}
	_, err := c.dial(std, c.repo)
	if err != nil {
		return err
	}
	if fromStdin {
		err = c.listed(ctx, std)
	} else {
		err = c.named(ctx, std, args)
	}
	if err == nil && c.absent {
		err = cli.Exit(cli.StatusFailed)
	}
	return err
}

// dial keeps one repository a name.
func (c *command) dial(std *cli.IO, name string) (hub.Repo, error) {
	if repo, ok := c.repos[name]; ok {
		return repo, nil
	}
	repo, err := hub.Dial(name, hub.Options{
		Retry:     retry.Policy{Tries: c.tries, OnWait: func(w retry.Wait) { std.Warnf("%v", w) }},
		OnWarning: func(text string) { std.Warnf("%s", text) },
	})
	if err == nil {
		c.repos[name] = repo
	}
	return repo, err
}

// named gets the files of paths. One that is not there does not keep the others
// from being printed.
func (c *command) named(ctx context.Context, std *cli.IO, paths []string) error {
	repo := c.repos[c.repo]
	for i, path := range paths {
		paths[i] = hub.Expand(path)
	}
	files, err := repo.Lookup(ctx, "", paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if len(files) == 0 || files[0].Path != path {
			std.Errorf("%s: %s: %v", repo, path, hub.ErrNoEntry)
			c.absent = true
			continue
		}
		if err := c.get(ctx, std, repo, files[0]); err != nil {
			return err
		}
		files = files[1:]
	}
	return nil
}

// lookup is how many paths of stdin are looked up at once, which is one request.
const lookup = 500

// listed gets the files that stdin lists: of the lines of hf-ls the commits that
// were listed, of bare paths the head.
func (c *command) listed(ctx context.Context, std *cli.IO) error {
	var paths []string // not looked up yet
	for file, err := range hub.Listed(std.In) {
		bare := err == nil && file.URL == ""
		if bare {
			paths = append(paths, file.Path)
		}
		if len(paths) > 0 && (!bare || len(paths) == lookup) {
			if err := c.named(ctx, std, paths); err != nil {
				return err
			}
			paths = paths[:0]
		}
		if err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		if bare {
			continue
		}
		if err := c.pinned(ctx, std, file); err != nil {
			return err
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return c.named(ctx, std, paths)
}

// pinned gets a file of the repository and commit that its line names.
func (c *command) pinned(ctx context.Context, std *cli.IO, file hub.File) error {
	name := file.Repo
	if name == "" {
		return fmt.Errorf("stdin: %s: its line has a url, but no repo: want a line of hf-ls, or the bare path", file.Path)
	}
	if parsed, err := hub.ParseName(name); err == nil && parsed.Folder == "" {
		name = parsed.ID + "@" + file.Revision
	}
	repo, err := c.dial(std, name)
	if err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	return c.get(ctx, std, repo, file)
}

// toFolder says whether files go into a folder, each under its own name.
func (c *command) toFolder() bool {
	info, err := os.Stat(c.output)
	return err == nil && info.IsDir() || strings.HasSuffix(c.output, "/")
}

// get writes one file to where it goes.
func (c *command) get(ctx context.Context, std *cli.IO, repo hub.Repo, file hub.File) error {
	progress := std.Progress(path.Base(file.Path), file.Size)
	defer progress.Done()
	if c.output == "-" {
		return hub.Copy(ctx, counted{std.Out, progress}, repo, file)
	}
	to := c.output
	if c.toFolder() {
		if err := os.MkdirAll(to, 0o777); err != nil {
			return err
		}
		to = filepath.Join(to, path.Base(file.Path))
	}
	return wholefile.Save(ctx, to, func(f *os.File) error {
		return hub.Copy(ctx, counted{f, progress}, repo, file)
	})
}

// counted tells of what was written.
type counted struct {
	io.Writer
	progress *cli.Progress
}

func (w counted) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.progress.Add(int64(n))
	return n, err
}
