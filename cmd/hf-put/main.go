// Hf-put puts files into a dataset repository; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"errors"
	"regexp"
	"slices"
	"sync"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/retry"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

// statusMoved says that --parent is not the head any more.
const statusMoved = 4

type command struct {
	repo, revision     string
	recursive          bool
	path               string
	change             hub.Change
	batch, jobs, tries int
	create, private    bool
	uploadOnly, dryRun bool
	wait               bool
	output             *jsonl.Writer
	progress           *cli.Progress
	progressing        sync.Mutex
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.repo, "repo", "", "")
	f.StringVar(&c.revision, "revision", "", "")
	f.BoolVarP(&c.recursive, "recursive", "r", false, "")
	f.StringVar(&c.path, "path", "", "")
	f.StringVarP(&c.change.Message, "message", "m", "", "")
	f.StringVar(&c.change.Description, "description", "", "")
	f.StringArrayVar(&c.change.Deletes, "delete", nil, "")
	f.StringVar(&c.change.Parent, "parent", "", "")
	f.BoolVar(&c.change.PullRequest, "create-pr", false, "")
	f.IntVar(&c.batch, "batch", defaultBatch, "")
	f.IntVarP(&c.jobs, "jobs", "j", hub.DefaultJobs, "")
	f.IntVar(&c.tries, "tries", retry.DefaultTries, "")
	f.BoolVar(&c.create, "create", false, "")
	f.BoolVar(&c.private, "private", false, "")
	f.BoolVar(&c.uploadOnly, "upload-only", false, "")
	f.BoolVarP(&c.dryRun, "dry-run", "n", false, "")
	f.BoolVar(&c.wait, "wait", false, "")
}

var commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (c *command) check(args []string) error {
	stdin := slices.Contains(args, "-")
	switch {
	case c.repo == "":
		return cli.Usagef("--repo is needed: namespace/name, or a folder as ./folder")
	case c.batch < 1:
		return cli.Usagef("--batch must be at least 1")
	case c.jobs < 1:
		return cli.Usagef("--jobs must be at least 1")
	case c.tries < 1:
		return cli.Usagef("--tries must be at least 1")
	case c.private && !c.create:
		return cli.Usagef("--private is for --create")
	case c.change.Parent != "" && !commitID.MatchString(c.change.Parent):
		return cli.Usagef("--parent must be a commit of 40 hex digits")
	case c.uploadOnly && (len(c.change.Deletes) > 0 || c.change.PullRequest || c.change.Parent != ""):
		return cli.Usagef("--upload-only makes no commit: no --delete, --parent or --create-pr")
	case stdin && (c.path == "" || len(args) > 1):
		return cli.Usagef("- is the content of one file: - --path PATH, and no other file")
	case !stdin && c.path != "":
		return cli.Usagef("--path is for -: write LOCAL=PATH")
	}
	if c.path != "" {
		if err := hub.CheckPath(c.path); err != nil {
			return cli.Usagef("--path: %v", err)
		}
	}
	for _, path := range c.change.Deletes {
		if err := checkDelete(path); err != nil {
			return cli.Usagef("--delete: %v", err)
		}
	}
	return nil
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	repo, err := c.dial(std)
	if err != nil {
		return err
	}
	in, err := c.input(std, args)
	if err != nil {
		return err
	}
	defer in.close()
	if c.create && !c.dryRun {
		if err := repo.Create(ctx, c.private); err != nil {
			return err
		}
	}
	c.progress = std.Progress(repo.String(), in.total)
	defer c.progress.Done()
	c.output = jsonl.NewWriter(std.Out)
	err = errors.Join(c.put(ctx, std, repo, in.adds), c.output.Flush())
	if lost, ok := errors.AsType[*hub.LostError](err); ok {
		for _, path := range lost.Paths {
			std.Errorf("%s: %v: upload it again", path, hub.ErrLost)
		}
	}
	if errors.Is(err, hub.ErrMoved) && c.change.Parent != "" {
		return cli.WithStatus(statusMoved, err)
	}
	return err
}

func (c *command) dial(std *cli.IO) (hub.Repo, error) {
	name, err := hub.ParseName(c.repo)
	if err != nil {
		return nil, cli.Usagef("--repo: %v", err)
	}
	if c.revision != "" {
		if name.Folder != "" {
			return nil, cli.Usagef("--revision: a folder has no revisions")
		}
		name.Revision = c.revision
	}
	return hub.Dial(name.String(), hub.Options{
		Jobs:      c.jobs,
		Wait:      c.wait,
		Retry:     retry.Policy{Tries: c.tries, OnWait: func(w retry.Wait) { std.Warnf("%v", w) }},
		OnSent:    c.sent,
		OnWarning: func(text string) { std.Warnf("%s", text) },
	})
}

// sent is called by several goroutines.
func (c *command) sent(n int64) {
	c.progressing.Lock()
	defer c.progressing.Unlock()
	c.progress.Add(n)
}
