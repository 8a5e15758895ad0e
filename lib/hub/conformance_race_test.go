package hub_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub"
)

func (world) message(t *testing.T, repo hub.Repo) {
	var commits []string
	for i, c := range []hub.Change{{}, {Message: "one line"}, {Message: "a \"title\"\nmore", Description: "several\nlines, 日本"}} {
		c.Adds = texts("x.parquet", fmt.Sprint(i))
		landed := commit(t, repo, c)
		if slices.Contains(commits, landed.Commit) {
			t.Errorf("commit %s twice", landed.Commit)
		}
		commits = append(commits, landed.Commit)
	}
}

func (w world) atOnce(t *testing.T, repo hub.Repo) {
	const committers, rounds = 3, 4
	var group sync.WaitGroup
	var want []string
	for c := range committers {
		for r := range rounds {
			want = append(want, fmt.Sprintf("%d/%d.parquet", c, r))
		}
		group.Go(func() {
			repo := w.dial()
			for r := range rounds {
				name := fmt.Sprintf("%d/%d.parquet", c, r)
				if _, err := repo.Commit(t.Context(), hub.Change{Adds: texts(name, name)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	tree(t, repo, pairs(want)...)
}

func (w world) samePathAtOnce(t *testing.T, repo hub.Repo) {
	var group sync.WaitGroup
	for c := range 4 {
		group.Go(func() {
			text := fmt.Sprint(c)
			if _, err := w.dial().Commit(t.Context(), hub.Change{Adds: texts("x.parquet", text, "y.parquet", text)}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if x, y := content(t, repo, "x.parquet"), content(t, repo, "y.parquet"); x != y {
		t.Errorf("x is of %s and y of %s", x, y)
	}
}

func (w world) parentAtOnce(t *testing.T, repo hub.Repo) {
	head := headOf(t, repo)
	errs := make([]error, 4)
	var group sync.WaitGroup
	for c := range errs {
		group.Go(func() {
			_, errs[c] = w.dial().Commit(t.Context(), hub.Change{Parent: head, Adds: texts("x.parquet", fmt.Sprint(c))})
		})
	}
	group.Wait()
	won := 0
	for c, err := range errs {
		if err == nil {
			won++
			tree(t, repo, "x.parquet", fmt.Sprint(c))
		} else {
			fails(t, "Commit", err, hub.ErrMoved)
		}
	}
	if won != 1 {
		t.Errorf("%d commits have the same parent", won)
	}
}

func (w world) many(t *testing.T, repo hub.Repo) {
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf("data/%02d/%04d.parquet", i/100, i))
	}
	landed := commit(t, repo, hub.Change{Adds: texts(pairs(all)...)})
	if len(landed.Files) != 1000 {
		t.Errorf("%d outcomes", len(landed.Files))
	}
	if diff := cmp.Diff(all, listed(t, w.dial(), landed.Commit, "data")); diff != "" {
		t.Error(diff)
	}
	files, err := repo.Lookup(t.Context(), "", all)
	ok(t, err)
	for i, file := range files {
		if file.Path != all[i] || file.SHA256 != sum(all[i]) {
			t.Errorf("%d: %+v", i, file)
		}
	}
	if again := commit(t, repo, hub.Change{Adds: texts(pairs(all)...)}); again.Commit != landed.Commit {
		t.Error("the same 1,000 files make another commit")
	}
	if got := states(commit(t, repo, hub.Change{Deletes: []string{"data/"}})); got != "deleted " {
		t.Error(got)
	}
	if got := listed(t, repo, "", ""); len(got) > 0 {
		t.Errorf("%d files are left", len(got))
	}
}

func (w world) cancelled(t *testing.T, repo hub.Repo) {
	head := commit(t, repo, hub.Change{Adds: texts("a.parquet", "a")}).Commit
	c := open(t, repo, "a.parquet")
	c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := repo.Commit(ctx, hub.Change{Adds: texts("a.parquet", "b")})
	fails(t, "Commit", err, context.Canceled)
	fails(t, "Upload", repo.Upload(ctx, texts("a.parquet", "b")), context.Canceled)
	_, err = repo.Head(ctx)
	fails(t, "Head", err, context.Canceled)
	_, err = repo.Lookup(ctx, "", []string{"a.parquet"})
	fails(t, "Lookup", err, context.Canceled)
	for _, err := range repo.List(ctx, "", "") {
		fails(t, "List", err, context.Canceled)
	}
	// In the middle of reading a source.
	ctx, cancel = context.WithCancel(t.Context())
	stop := &faulty{Source: hub.BytesSource("stop", pattern(1<<20)), read: context.Canceled, onRead: cancel}
	_, err = repo.Commit(ctx, hub.Change{Adds: append(texts("a.parquet", "b"), hub.Add{Path: "b.parquet", Source: stop})})
	fails(t, "Commit", err, context.Canceled)
	if got := headOf(t, w.dial()); got != head {
		t.Errorf("head %s", got)
	}
}

// snapshot commits while a listing is read: it is that of one commit.
func (w world) snapshot(t *testing.T, repo hub.Repo) {
	all := []string{"a.parquet", "b/c.parquet", "d.parquet"}
	first := commit(t, repo, hub.Change{Adds: texts(pairs(all)...)})
	var got []string
	for file, err := range repo.List(t.Context(), "", "") {
		ok(t, err)
		if file.Path == ".gitattributes" {
			continue
		}
		if len(got) == 0 {
			commit(t, w.dial(), hub.Change{Adds: texts("b/b.parquet", "new"), Deletes: []string{"d.parquet"}})
		}
		if got = append(got, file.Path); file.Revision != first.Commit {
			t.Errorf("%s is of commit %s", file.Path, file.Revision)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Error(diff)
	}
	for range repo.List(t.Context(), "", "") {
		break // a listing need not be read to its end
	}
	if !w.history {
		return
	}
	if diff := cmp.Diff(all, listed(t, w.dial(), first.Commit, "")); diff != "" {
		t.Error(diff)
	}
}
