package hub_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub"
)

func (w world) change(t *testing.T, repo hub.Repo) {
	adds := texts("a/x.parquet", "1", "a/y.parquet", "2")
	first := commit(t, repo, hub.Change{Adds: adds})
	want := []hub.Outcome{{Path: "a/x.parquet", Size: 1, SHA256: sum("1"), State: hub.Added}, {Path: "a/y.parquet", Size: 1, SHA256: sum("2"), State: hub.Added}}
	if diff := cmp.Diff(want, first.Files); diff != "" {
		t.Error(diff)
	}
	if adds[0].SHA256 != sum("1") || adds[0].Size != 1 {
		t.Errorf("sums are not filled in: %+v", adds[0])
	}
	if first.Commit != headOf(t, repo) {
		t.Errorf("landed %s, head %s", first.Commit, headOf(t, repo))
	}
	second := commit(t, w.dial(), hub.Change{Adds: texts("a/x.parquet", "three", "b.parquet", "4", "README.md", "5"), Deletes: []string{"a/y.parquet"}})
	if got := states(second); got != "added added added deleted " || second.Commit == first.Commit {
		t.Errorf("%s: %s", second.Commit, got)
	}
	tree(t, repo, "README.md", "5", "a/x.parquet", "three", "b.parquet", "4")
}

func (world) deletes(t *testing.T, repo hub.Repo) {
	commit(t, repo, hub.Change{Adds: texts(pairs([]string{"a/1/x.parquet", "a/1/y.parquet", "a/2.parquet", "a0.parquet", "b/x.parquet", "c.parquet"})...)})
	landed := commit(t, repo, hub.Change{Deletes: []string{"none", "a/1/", "c.parquet", "none/", "c.parquet/", "a", "b/none"}})
	if got := states(landed); got != "absent deleted deleted absent absent absent absent " {
		t.Error(got)
	}
	tree(t, repo, pairs([]string{"a/2.parquet", "a0.parquet", "b/x.parquet"})...)
	again := commit(t, repo, hub.Change{Deletes: []string{"a/1/", "c.parquet"}})
	if again.Commit != landed.Commit || states(again) != "absent absent " {
		t.Errorf("deleted again: %+v", again)
	}
	commit(t, repo, hub.Change{Deletes: []string{"a/"}, Adds: texts("d.parquet", "d.parquet")})
	tree(t, repo, pairs([]string{"a0.parquet", "b/x.parquet", "d.parquet"})...)
	commit(t, repo, hub.Change{Adds: texts("a", "now a file")})
	// What a commit puts into a folder that it deletes stays there.
	landed = commit(t, repo, hub.Change{Deletes: []string{"b/"}, Adds: texts("b/new.parquet", "new")})
	if got := states(landed); got != "added deleted " {
		t.Error(got)
	}
	tree(t, repo, "a", "now a file", "a0.parquet", "a0.parquet", "b/new.parquet", "new", "d.parquet", "d.parquet")
}

func (w world) unchanged(t *testing.T, repo hub.Repo) {
	adds := func() []hub.Add { return texts("x.parquet", "x", "README.md", "y", "empty.parquet", "") }
	first := commit(t, repo, hub.Change{Adds: adds()})
	second := commit(t, w.dial(), hub.Change{Adds: adds()})
	if second.Commit != first.Commit || states(second) != "unchanged unchanged unchanged " {
		t.Errorf("%+v after %+v", second, first)
	}
	if second.Files[0].SHA256 != sum("x") {
		t.Errorf("%+v", second.Files[0])
	}
	third := commit(t, repo, hub.Change{Adds: append(adds(), texts("z.parquet", "z")...)})
	if third.Commit == first.Commit || states(third) != "unchanged unchanged unchanged added " {
		t.Errorf("%+v", third)
	}
	if none := commit(t, repo, hub.Change{}); none.Commit != third.Commit || len(none.Files) > 0 {
		t.Errorf("no change: %+v", none)
	}
}

func (world) copies(t *testing.T, repo hub.Repo) {
	commit(t, repo, hub.Change{Adds: texts("a.parquet", "same", "b/b.parquet", "same")})
	commit(t, repo, hub.Change{Adds: texts("c.parquet", "same")})
	// The store has it: no source is needed, and a rename sends nothing.
	landed := commit(t, repo, hub.Change{
		Adds:    []hub.Add{{Path: "d.parquet", SHA256: sum("same"), Size: 4}, {Path: "b/b.parquet", SHA256: sum("same"), Size: 4}},
		Deletes: []string{"a.parquet"},
	})
	if got := states(landed); got != "added unchanged deleted " {
		t.Error(got)
	}
	tree(t, repo, "b/b.parquet", "same", "c.parquet", "same", "d.parquet", "same")
}

func (w world) multipart(t *testing.T, repo hub.Repo) {
	for _, size := range []int{w.partsFrom - 1, w.partsFrom, w.partsFrom + 1, 3*w.partsFrom + 7} {
		text := string(pattern(size))
		commit(t, repo, hub.Change{Adds: texts("big.parquet", text)})
		if got := content(t, repo, "big.parquet"); got != text {
			t.Errorf("%d bytes came back as %d others", size, len(got))
		}
	}
}

func (w world) upload(t *testing.T, repo hub.Repo) {
	adds := texts("data/x.parquet", "x", "data/y.parquet", "y", "data/z.parquet", "x")
	head := headOf(t, repo)
	ok(t, repo.Upload(t.Context(), adds))
	ok(t, w.dial().Upload(t.Context(), texts("elsewhere.parquet", "y")))
	if got := listed(t, repo, "", ""); len(got) > 0 || head != headOf(t, repo) {
		t.Errorf("an upload changed the tree: %v", got)
	}
	for i := range adds {
		if adds[i].SHA256 == "" || adds[i].Size != 1 {
			t.Errorf("sums are not filled in: %+v", adds[i])
		}
		adds[i].Source = nil
	}
	if got := states(commit(t, w.dial(), hub.Change{Adds: adds})); got != "added added added " {
		t.Error(got)
	}
	if got := states(commit(t, w.dial(), hub.Change{Adds: adds})); got != "unchanged unchanged unchanged " {
		t.Errorf("again: %s", got)
	}
	tree(t, repo, "data/x.parquet", "x", "data/y.parquet", "y", "data/z.parquet", "x")
}

func (world) lost(t *testing.T, repo hub.Repo) {
	head := headOf(t, repo)
	adds := append(texts("a.parquet", "a"), hub.Add{Path: "lost.parquet", SHA256: sum("never sent"), Size: 10})
	_, err := repo.Commit(t.Context(), hub.Change{Adds: adds})
	fails(t, "Commit", err, hub.ErrLost)
	if !strings.Contains(fmt.Sprint(err), "lost.parquet") {
		t.Errorf("%v does not name the path", err)
	}
	if got := headOf(t, repo); got != head {
		t.Errorf("head %s", got)
	}
	ok(t, repo.Upload(t.Context(), texts("lost.parquet", "never sent")))
	commit(t, repo, hub.Change{Adds: adds})
	tree(t, repo, "a.parquet", "a", "lost.parquet", "never sent")
}

func (w world) parent(t *testing.T, repo hub.Repo) {
	start := headOf(t, repo)
	first := commit(t, repo, hub.Change{Parent: start, Adds: texts("a.parquet", "1")})
	second := commit(t, w.dial(), hub.Change{Parent: first.Commit, Adds: texts("a.parquet", "2")})
	_, err := repo.Commit(t.Context(), hub.Change{Parent: first.Commit, Adds: texts("a.parquet", "3", "b.parquet", "3")})
	fails(t, "Commit", err, hub.ErrMoved)
	tree(t, repo, "a.parquet", "2")
	if got := headOf(t, repo); got != second.Commit {
		t.Errorf("head %s", got)
	}
	commit(t, repo, hub.Change{Adds: texts("a.parquet", "4")}) // any head
	tree(t, repo, "a.parquet", "4")
}

// faulty is a source that is not well: checking it fails, or reading its second
// half, before which it calls onRead.
type faulty struct {
	hub.Source
	check, read error
	onRead      func()
}

func (s *faulty) Check() error { return errors.Join(s.check, s.Source.Check()) }
func (s *faulty) Open() (hub.Content, error) {
	c, err := s.Source.Open()
	if err != nil || s.read == nil {
		return c, err
	}
	return failing{c, s}, nil
}

type failing struct {
	hub.Content
	of *faulty
}

func (c failing) ReadAt(p []byte, offset int64) (int, error) {
	if half := c.Size() / 2; offset+int64(len(p)) > half {
		if c.of.onRead != nil {
			c.of.onRead()
		}
		n, _ := c.Content.ReadAt(p[:max(0, half-offset)], offset)
		return n, c.of.read
	}
	return c.Content.ReadAt(p, offset)
}

func (w world) changingSource(t *testing.T, repo hub.Repo) {
	errChanged := errors.New("it changed")
	w.onlyWhole(t, repo, errChanged, &faulty{Source: hub.BytesSource("changing", pattern(1000)), check: errChanged})
}

func (w world) failingSource(t *testing.T, repo hub.Repo) {
	errRead := errors.New("the disk is broken")
	w.onlyWhole(t, repo, errRead, &faulty{Source: hub.BytesSource("broken", pattern(1000)), read: errRead})
}

// onlyWhole commits a source that fails with want among good ones: nothing lands,
// and the same change with a good one does.
func (w world) onlyWhole(t *testing.T, repo hub.Repo, want error, source hub.Source) {
	head := commit(t, repo, hub.Change{Adds: texts("old.parquet", "old", "b.parquet", "old")}).Commit
	c := hub.Change{Adds: texts("a.parquet", "new", "b.parquet", "new", "c.parquet", string(pattern(1000))), Deletes: []string{"old.parquet"}}
	good := c.Adds[2].Source
	c.Adds[2].Source = source
	_, err := repo.Commit(t.Context(), c)
	fails(t, "Commit", err, want)
	fails(t, "Upload", repo.Upload(t.Context(), c.Adds), want)
	if got := headOf(t, w.dial()); got != head {
		t.Errorf("head %s", got)
	}
	tree(t, repo, "b.parquet", "old", "old.parquet", "old")
	c.Adds[2].Source = good
	if got := states(commit(t, repo, c)); got != "added added added deleted " {
		t.Error(got)
	}
	tree(t, repo, "a.parquet", "new", "b.parquet", "new", "c.parquet", string(pattern(1000)))
}

func (world) refused(t *testing.T, repo hub.Repo) {
	head := headOf(t, repo)
	for _, name := range []string{"", "/x", "../x", "a/../../x", "a//b", "./x", "a/", ".git/config", "a/.GIT/x", ".hub/head", ".cache/x", "a\x00b", "a\nb", "\xff"} {
		if _, err := repo.Commit(t.Context(), hub.Change{Adds: texts(name, "x", "good.parquet", "good")}); err == nil {
			t.Errorf("%q was added", name)
		}
		if name == "a/" || name == "" {
			continue
		}
		if _, err := repo.Commit(t.Context(), hub.Change{Deletes: []string{name}}); err == nil {
			t.Errorf("%q was deleted", name)
		}
	}
	for _, c := range []hub.Change{
		{Adds: texts("x.parquet", "1", "x.parquet", "2")}, {Adds: texts("x", "1", "x/y.parquet", "2")},
		{Adds: texts("x.parquet", "1"), Deletes: []string{"x.parquet"}},
	} {
		if _, err := repo.Commit(t.Context(), c); err == nil {
			t.Errorf("%v was committed", c)
		}
	}
	for _, add := range []hub.Add{{Path: "x.parquet"}, {Path: "x.parquet", SHA256: "abc", Size: 3}} {
		if _, err := repo.Commit(t.Context(), hub.Change{Adds: []hub.Add{add}}); err == nil {
			t.Errorf("%+v was added", add)
		}
	}
	if got := headOf(t, repo); got != head {
		t.Errorf("head %s", got)
	}
}
