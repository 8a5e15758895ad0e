package main

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/jsonl"
)

const (
	// defaultBatch is the largest number of files a commit that the hub advises.
	defaultBatch = 100
	// A file below smallFile may be one that the hub wants in the commit itself,
	// where there is room for maxSmall bytes of them.
	smallFile = 10 << 20
	maxSmall  = 100 << 20
)

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

func checkDelete(path string) error { return hub.CheckPath(strings.TrimSuffix(path, "/")) }

// put commits adds in batches, and the deletes with the last one: what takes a
// file's place is there before it goes.
func (c *command) put(ctx context.Context, std *cli.IO, repo hub.Repo, adds iter.Seq2[hub.Add, error]) error {
	b := batch{command: c, std: std, repo: repo, change: c.change}
	b.change.Deletes = nil
	for add, err := range adds {
		if err != nil {
			return err
		}
		if b.full(add) {
			if err := b.commit(ctx); err != nil {
				return err
			}
		}
		if err := b.add(add); err != nil {
			return err
		}
	}
	b.change.Deletes = c.change.Deletes
	if len(b.change.Adds)+len(b.change.Deletes) > 0 {
		if err := b.commit(ctx); err != nil {
			return err
		}
	}
	return b.summary()
}

// batch is the files of the next commit.
type batch struct {
	command *command
	std     *cli.IO
	repo    hub.Repo
	change  hub.Change
	paths   map[string]bool
	small   int64 // bytes of small files
	commits int
	head    string              // after the last commit
	url     string              // of it
	states  map[hub.State]int64 // files of all batches
}

func (b *batch) full(next hub.Add) bool {
	if len(b.change.Adds) == 0 {
		return false
	}
	if len(b.change.Adds) == b.command.batch {
		return true
	}
	// A commit on a parent is one that belongs together: its size does not split it.
	return b.change.Parent == "" && size(next) < smallFile && b.small+size(next) > maxSmall
}

func size(add hub.Add) int64 {
	if add.Source != nil {
		return add.Source.Size()
	}
	return add.Size
}

func (b *batch) add(add hub.Add) error {
	if b.paths[add.Path] {
		return fmt.Errorf("%s: %s: named twice", b.repo, add.Path)
	}
	if b.paths == nil {
		b.paths = map[string]bool{}
	}
	b.paths[add.Path] = true
	b.change.Adds = append(b.change.Adds, add)
	if size(add) < smallFile {
		b.small += size(add)
	}
	return nil
}

// commit puts the batch into the repository, and prints what became of it.
func (b *batch) commit(ctx context.Context) error {
	landed, err := b.land(ctx)
	if err != nil {
		return err
	}
	b.commits++
	b.head, b.url = landed.Commit, landed.URL
	if b.change.Parent != "" {
		b.change.Parent = landed.Commit
	}
	if b.states == nil {
		b.states = map[hub.State]int64{}
	}
	for i, file := range landed.Files {
		b.states[file.State]++
		b.command.output.Line(b.line(landed, i))
	}
	b.change.Adds, b.small = b.change.Adds[:0], 0
	clear(b.paths)
	return b.command.output.Flush()
}

func (b *batch) land(ctx context.Context) (hub.Landed, error) {
	change := b.change
	if change.Message != "" && b.commits > 0 {
		change.Message += fmt.Sprintf(" (part %d)", b.commits+1)
	}
	switch {
	case b.command.dryRun:
		return b.compare(ctx)
	case b.command.uploadOnly:
		return b.upload(ctx)
	case change.PullRequest && b.commits > 0:
		return hub.Landed{}, fmt.Errorf("--create-pr: more than one commit is needed: raise --batch above %d", b.command.batch)
	}
	return b.repo.Commit(ctx, change)
}

// upload stores the batch without a commit.
func (b *batch) upload(ctx context.Context) (hub.Landed, error) {
	var landed hub.Landed
	err := b.repo.Upload(ctx, b.change.Adds)
	for _, add := range b.change.Adds {
		landed.Files = append(landed.Files, hub.Outcome{Path: add.Path, Size: add.Size, SHA256: add.SHA256, State: uploaded})
	}
	return landed, err
}

// uploaded is the state of what --upload-only stored.
const uploaded hub.State = "uploaded"

// compare says what a commit would do.
func (b *batch) compare(ctx context.Context) (hub.Landed, error) {
	return hub.Compare(ctx, b.repo, b.change)
}

// line is the JSON of the i-th file. A line of --upload-only is one that hf-put
// takes.
func (b *batch) line(landed hub.Landed, i int) []byte {
	file := landed.Files[i]
	line := jsonl.AppendString([]byte(`{"path":`), file.Path)
	if file.State != hub.Deleted && file.State != hub.Absent {
		line = fmt.Appendf(line, `,"size":%d`, file.Size)
		if file.SHA256 != "" {
			line = jsonl.AppendString(append(line, `,"sha256":`...), file.SHA256)
		}
	}
	if file.State == uploaded {
		return append(line, '}')
	}
	line = jsonl.AppendString(append(line, `,"state":`...), string(file.State))
	line = jsonl.AppendString(append(line, `,"repo":`...), b.repo.String())
	line = jsonl.AppendString(append(line, `,"commit":`...), landed.Commit)
	if landed.URL != "" {
		line = jsonl.AppendString(append(line, `,"url":`...), landed.URL)
	}
	return append(line, '}')
}

// summary tells people what happened.
func (b *batch) summary() error {
	var parts []string
	for _, state := range []hub.State{hub.Added, hub.Unchanged, hub.Ignored, hub.Deleted, hub.Absent, uploaded} {
		if n := b.states[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to put"}
	}
	text := strings.Join(parts, ", ")
	if b.command.dryRun {
		text = "dry run: " + text
	}
	if b.url != "" {
		text += ": " + b.url
	}
	b.std.Notef("%s: %s", b.repo, text)
	return nil
}
