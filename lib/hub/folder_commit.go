package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
)

func (f *folder) Commit(ctx context.Context, change Change) (landed Landed, err error) {
	defer f.named(&err)
	if err := checkChange(change); err != nil {
		return Landed{}, err
	}
	s, err := f.newStage(ctx, len(change.Adds))
	if err != nil {
		return Landed{}, err
	}
	defer s.close()
	for {
		if err := s.fill(ctx, change.Adds); err != nil {
			return Landed{}, err
		}
		if err := checkSources(change.Adds); err != nil {
			return Landed{}, err
		}
		// Between the two looks at the tree another commit may replace what was there.
		if landed, err = s.land(ctx, change); !errors.Is(err, errReplaced) {
			return landed, err
		}
	}
}

var errReplaced = errors.New("a file was replaced meanwhile")

// checkChange finds what no tree can make right.
func checkChange(change Change) error {
	if change.PullRequest {
		return errors.New("a local folder has no pull requests: only the hub can propose a commit")
	}
	if change.Parent != "" && !isHex(change.Parent, 40) {
		return fmt.Errorf("parent %q: %w: it must be the 40 hex digits of a commit", change.Parent, ErrNoRevision)
	}
	adds := map[string]bool{}
	for _, add := range change.Adds {
		if err := CheckPath(add.Path); err != nil {
			return err
		}
		if adds[add.Path] {
			return fmt.Errorf("%s: added twice in one commit", add.Path)
		}
		adds[add.Path] = true
		if add.Source == nil && (!isHex(add.SHA256, 64) || add.Size < 0) {
			return fmt.Errorf("%s: without a source it needs the SHA-256 and size of its content", add.Path)
		}
	}
	for name := range adds {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if adds[dir] {
				return fmt.Errorf("%s: cannot be a file and the folder of %s", dir, name)
			}
		}
	}
	return checkDeletes(change.Deletes, adds)
}

func checkDeletes(deletes []string, adds map[string]bool) error {
	for _, name := range deletes {
		if err := CheckPath(strings.TrimSuffix(name, "/")); err != nil {
			return err
		}
		if adds[name] {
			return fmt.Errorf("%s: both added and deleted in one commit", name)
		}
	}
	return nil
}

// land makes the commit, under the lock.
func (s *stage) land(ctx context.Context, change Change) (Landed, error) {
	t, err := s.exclusive(ctx)
	if err != nil {
		return Landed{}, err
	}
	defer t.close()
	head, err := t.head()
	if err != nil {
		return Landed{}, err
	}
	if change.Parent != "" && change.Parent != head {
		return Landed{}, fmt.Errorf("%w: from %s to %s", ErrMoved, change.Parent, head)
	}
	journal, err := newJournal(s, head, change)
	if err != nil {
		return Landed{}, err
	}
	defer journal.file.Close()
	p := &plan{tree: t, stage: s, change: change, journal: journal, landed: Landed{Commit: head}}
	if err = p.make(ctx); err == nil && journal.changes > 0 {
		if p.landed.Commit, err = journal.place(s); err == nil {
			err = t.replay(false)
		}
	}
	if err != nil {
		return Landed{}, err
	}
	s.sent(change.Adds)
	for _, add := range change.Adds {
		t.root.Remove(objectsDir + "/" + add.SHA256) // if it was one: the tree has it now
	}
	return p.landed, nil
}

// plan decides what a change means for the tree as it is, and writes that to a
// journal. After it nothing may stand in the way of the journal.
type plan struct {
	tree    *tree
	stage   *stage
	change  Change
	journal *journal
	landed  Landed
}

func (p *plan) make(ctx context.Context) error {
	adds, deletes := p.change.Adds, p.change.Deletes
	p.landed.Files = make([]Outcome, len(adds)+len(deletes))
	added := map[string]bool{}
	for i, add := range sorted(adds, func(a Add) string { return a.Path }) {
		state, err := p.add(ctx, i, add)
		if err != nil {
			return err
		}
		added[add.Path] = true
		p.landed.Files[i] = Outcome{add.Path, add.Size, add.SHA256, state}
	}
	for i, name := range sorted(deletes, func(name string) string { return name }) {
		state, err := p.delete(ctx, name, added)
		if err != nil {
			return err
		}
		p.landed.Files[len(adds)+i] = Outcome{Path: name, State: state}
	}
	return nil
}

// sorted gives the elements and their indices in the order of their keys: the same
// changes in another order are the same commit.
func sorted[E any](list []E, key func(E) string) iter.Seq2[int, E] {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(key(list[a]), key(list[b])) })
	return func(yield func(int, E) bool) {
		for _, i := range order {
			if !yield(i, list[i]) {
				return
			}
		}
	}
}

func (p *plan) add(ctx context.Context, i int, add Add) (State, error) {
	file := p.stage.files[i]
	now, err := p.tree.find(ctx, add.Path)
	switch {
	case err != nil:
		return "", err
	case now != nil && now.SHA256 == file.SHA256:
		return Unchanged, nil
	case !file.have:
		return "", errReplaced
	}
	if err := p.tree.checkPlace(add.Path); err != nil {
		return "", err
	}
	return Added, p.journal.add(journalLine{Put: add.Path, From: p.stage.file(i), fileSums: file.fileSums})
}

// delete plans to delete a file, or a folder with all the content in it that is not
// put there by the same commit.
func (p *plan) delete(ctx context.Context, name string, added map[string]bool) (State, error) {
	folder, isFolder := strings.CutSuffix(name, "/")
	if !isFolder {
		d, err := p.tree.within(name)
		if d == nil || err != nil {
			return Absent, err
		}
		if info, err := d.root.Lstat(path.Base(name)); err != nil || !info.Mode().IsRegular() {
			return Absent, ignoreAbsent(err)
		}
		return Deleted, p.journal.add(journalLine{Delete: name})
	}
	state := Absent
	w := &walk{tree: p.tree, ctx: ctx, visit: func(_ *directory, path string, _ fs.FileInfo) error {
		state = Deleted
		if added[path] {
			return nil
		}
		return p.journal.add(journalLine{Delete: path})
	}}
	err := w.from(folder + "/")
	return state, err
}

func ignoreAbsent(err error) error {
	if isAbsent(err) {
		return nil
	}
	return err
}

// checkPlace makes sure that a file can be renamed to a path.
func (t *tree) checkPlace(name string) error {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := t.root.Lstat(name[:i])
		switch {
		case isAbsent(err):
			return nil
		case err != nil:
			return err
		case i < len(name) && info.Mode().IsRegular():
			return fmt.Errorf("%s: %s is a file, not a folder: delete it by a commit first", name, name[:i])
		case i == len(name) && info.IsDir():
			return fmt.Errorf("%s: it is a folder: delete it by a commit first, as %s/", name, name)
		case !info.IsDir() && !info.Mode().IsRegular():
			return fmt.Errorf("%s: %s is a link or a device, which a commit neither follows nor replaces: move it away", name, name[:i])
		}
	}
	return nil
}
