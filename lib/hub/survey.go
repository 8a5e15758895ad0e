package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// deletion is a path that a change deletes.
type deletion struct {
	path     string // as the change has it: of a folder with a slash
	state    State
	doubtful bool // a commit was sent with it whose answer was lost
}

func deletions(paths []string) []*deletion {
	all := make([]*deletion, len(paths))
	for i, path := range paths {
		all[i] = &deletion{path: path}
	}
	return all
}

func (d *deletion) isFolder() bool { return strings.HasSuffix(d.path, "/") }

// survey is what is left to do of a change, as the repository is now.
type survey struct {
	lines   []line    // of the commit; none if there is nothing to do
	adds    []*adding // that are not there
	objects []*adding // of adds: those whose content goes to the store
}

// survey asks the repository what it has of the change.
func (t *transaction) survey(ctx context.Context) (*survey, error) {
	found, err := t.lookup(ctx, t.name.Revision, t.paths())
	if err != nil {
		return nil, err
	}
	s := &survey{}
	if err := t.surveyAdds(ctx, s, found); err != nil {
		return nil, err
	}
	removals, err := t.surveyDeletes(ctx, found)
	if err != nil {
		return nil, err
	}
	if err := t.write(s, removals); err != nil {
		return nil, fmt.Errorf("%s: %w", t.what("commit"), err)
	}
	return s, nil
}

// paths are all that the change is about, each once.
func (t *transaction) paths() []string {
	paths := make([]string, 0, len(t.files)+len(t.deletes))
	for _, f := range t.files {
		paths = append(paths, f.add.Path)
	}
	for _, d := range t.deletes {
		paths = append(paths, strings.TrimSuffix(d.path, "/"))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (t *transaction) surveyAdds(ctx context.Context, s *survey, found map[string]entry) error {
	var asked []*adding
	for _, f := range t.files {
		e, ok := found[f.add.Path]
		switch {
		case ok && f.is(e):
			f.state = Unchanged
		case f.add.Source == nil:
			f.state, f.lfs = Added, true
		default:
			asked = append(asked, f)
		}
	}
	if err := t.preupload(ctx, asked); err != nil {
		return err
	}
	for _, f := range t.files {
		switch {
		case f.state == Unchanged:
			t.tell(f, f.add.Size)
		case f.state == Added && f.lfs:
			s.adds, s.objects = append(s.adds, f), append(s.objects, f)
		case f.state == Added:
			s.adds = append(s.adds, f)
		}
	}
	return nil
}

// removal is a line of a commit that deletes a file or a folder.
type removal struct{ key, path string }

// surveyDeletes finds what there is to delete: the hub fails a commit that deletes
// what is not there.
func (t *transaction) surveyDeletes(ctx context.Context, found map[string]entry) ([]removal, error) {
	var removals []removal
	var folders []string // that go as a whole
	for _, d := range t.deletes {
		e, ok := found[strings.TrimSuffix(d.path, "/")]
		if !ok || (e.Type == "directory") != d.isFolder() {
			d.state = Absent
			continue
		}
		d.state = Deleted
		switch {
		case !d.isFolder():
			removals = append(removals, removal{"deletedFile", d.path})
		case t.addsBelow(d.path):
			files, err := t.othersBelow(ctx, d.path)
			if err != nil {
				return nil, err
			}
			removals = append(removals, files...)
		default:
			folders = append(folders, d.path)
			removals = append(removals, removal{"deletedFolder", d.path})
		}
	}
	removals = slices.DeleteFunc(removals, func(r removal) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return r.path != f && strings.HasPrefix(r.path, f) })
	})
	slices.SortFunc(removals, func(a, b removal) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(removals), nil
}

func (t *transaction) addsBelow(folder string) bool {
	return slices.ContainsFunc(t.files, func(f *adding) bool { return strings.HasPrefix(f.add.Path, folder) })
}

// othersBelow are the files in a folder that the change does not add.
func (t *transaction) othersBelow(ctx context.Context, folder string) ([]removal, error) {
	added := make(map[string]bool, len(t.files))
	for _, f := range t.files {
		added[f.add.Path] = true
	}
	var files []removal
	_, err := t.pages(ctx, t.name.Revision, strings.TrimSuffix(folder, "/"), true, func(e entry) error {
		if e.Type == "file" && !added[e.Path] {
			files = append(files, removal{"deletedFile", e.Path})
		}
		return nil
	})
	return files, err
}

// write makes the lines of the commit.
func (t *transaction) write(s *survey, removals []removal) error {
	if len(removals)+len(s.adds) == 0 {
		return nil
	}
	if len(s.objects) > maxLFS {
		return fmt.Errorf("%d LFS files, and the hub takes %d in one commit: make several", len(s.objects), maxLFS)
	}
	header := map[string]string{"summary": t.change.summary(), "description": t.change.Description}
	if t.change.Parent != "" {
		header["parentCommit"] = t.change.Parent
	}
	s.add("header", header)
	for _, r := range removals {
		s.add(r.key, map[string]string{"path": r.path})
	}
	for _, f := range s.adds {
		if f.lfs {
			s.add("lfsFile", map[string]any{"path": f.add.Path, "algo": "sha256", "oid": f.add.SHA256, "size": f.add.Size})
		} else {
			s.lines = append(s.lines, contentLine(f))
		}
	}
	if size := s.size(); size > maxPayload {
		return fmt.Errorf("%d bytes beside LFS files, and the hub takes %d in one commit: make several", size, maxPayload)
	}
	return nil
}

func (s *survey) add(key string, value any) { s.lines = append(s.lines, jsonLine(key, value)) }

// size is the length of all lines in bytes.
func (s *survey) size() int64 {
	size := int64(0)
	for i := range s.lines {
		size += s.lines[i].size()
	}
	return size
}

// check makes sure that what is in the store is what the sources still are. The
// content of the lines is checked while it is sent.
func (s *survey) check() error {
	for _, f := range s.objects {
		if f.add.Source != nil {
			if err := f.add.Source.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// unsourced are the paths of objects that the store was to have already.
func (s *survey) unsourced() []string {
	var paths []string
	for _, f := range s.objects {
		if f.add.Source == nil {
			paths = append(paths, f.add.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// doubt notes that all this may have landed.
func (t *transaction) doubt(s *survey) {
	t.doubtful = true
	for _, f := range s.adds {
		f.doubtful = true
	}
	for _, d := range t.deletes {
		d.doubtful = d.doubtful || d.state == Deleted
	}
}

// outcomes say what became of each path. What a lost commit may have done counts
// as done by it.
func (t *transaction) outcomes() []Outcome {
	outcomes := make([]Outcome, 0, len(t.files)+len(t.deletes))
	for _, f := range t.files {
		state := f.state
		if f.doubtful && state == Unchanged {
			state = Added
		}
		outcomes = append(outcomes, Outcome{f.add.Path, f.add.Size, f.add.SHA256, state})
	}
	for _, d := range t.deletes {
		state := d.state
		if d.doubtful {
			state = Deleted
		}
		outcomes = append(outcomes, Outcome{Path: d.path, State: state})
	}
	return outcomes
}
