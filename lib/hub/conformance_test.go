package hub_test

import (
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub"
)

// world is a place for one repository, which need not be there yet.
type world struct {
	// dial makes a client of its own: two of them are as two processes.
	dial func() hub.Repo
	// partsFrom is the size in bytes of a file that is sent in parts.
	partsFrom int
	// history says that commits behind the head can be read, and byPath that files
	// are listed in the order of their paths.
	history, byPath bool
}

// TestFolderKeepsThePromises runs the suite on local folders.
func TestFolderKeepsThePromises(t *testing.T) {
	conform(t, func(t *testing.T) world {
		name := filepath.Join(t.TempDir(), "new", "repo")
		return world{partsFrom: 1 << 20, byPath: true, dial: func() hub.Repo {
			repo, err := hub.Dial(name, hub.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return repo
		}}
	})
}

// conform checks what the package's documentation and that of Repo promise.
func conform(t *testing.T, build func(*testing.T) world) {
	for _, test := range []struct {
		name string
		do   func(world, *testing.T, hub.Repo)
	}{
		{"missing", world.missing}, {"create", world.create}, {"list", world.list}, {"lookup", world.lookup}, {"names", world.names}, {"read", world.read},
		{"change", world.change}, {"delete", world.deletes}, {"unchanged", world.unchanged}, {"copies", world.copies}, {"multipart", world.multipart},
		{"upload", world.upload}, {"lost", world.lost}, {"parent", world.parent}, {"changing source", world.changingSource}, {"failing source", world.failingSource},
		{"refused", world.refused}, {"message", world.message}, {"at once", world.atOnce}, {"same path at once", world.samePathAtOnce},
		{"parent at once", world.parentAtOnce}, {"many", world.many}, {"cancelled", world.cancelled}, {"snapshot", world.snapshot},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := build(t)
			repo := w.dial()
			if test.name != "missing" && test.name != "create" {
				ok(t, repo.Create(t.Context(), false))
			}
			test.do(w, t, repo)
		})
	}
}

func (world) missing(t *testing.T, repo hub.Repo) {
	_, err := repo.Head(t.Context())
	fails(t, "Head", err, hub.ErrNoRepo)
	_, err = repo.Lookup(t.Context(), "", []string{"a"})
	fails(t, "Lookup", err, hub.ErrNoRepo)
	for _, err = range repo.List(t.Context(), "", "") {
		break
	}
	fails(t, "List", err, hub.ErrNoRepo)
	_, err = repo.Commit(t.Context(), hub.Change{Adds: texts("a.parquet", "a")})
	fails(t, "Commit", err, hub.ErrNoRepo)
	if !strings.Contains(err.Error(), repo.String()) {
		t.Errorf("%q does not name %s", err, repo)
	}
}

func (w world) create(t *testing.T, repo hub.Repo) {
	ok(t, repo.Create(t.Context(), true))
	head := headOf(t, repo)
	if len(head) != 40 || strings.Trim(head, "0123456789abcdef") != "" {
		t.Errorf("head %q", head)
	}
	if files := listed(t, repo, "", ""); len(files) > 0 {
		t.Errorf("a new repository has %v", files)
	}
	commit(t, repo, hub.Change{Adds: texts("a.parquet", "a")})
	ok(t, w.dial().Create(t.Context(), false))
	if got := listed(t, repo, "", ""); len(got) != 1 {
		t.Errorf("after another Create: %v", got)
	}
}

func (w world) list(t *testing.T, repo hub.Repo) {
	all := []string{"a-b/y.parquet", "a.b/x.parquet", "a/1/x.parquet", "a/10.parquet", "a/10/x.parquet", "a/2.parquet", "a0.parquet", "b"}
	landed := commit(t, repo, hub.Change{Adds: texts(pairs(all)...)})
	begins := func(prefix string) (some []string) {
		for _, name := range all {
			if strings.HasPrefix(name, prefix) {
				some = append(some, name)
			}
		}
		return some
	}
	for prefix, want := range map[string][]string{
		"": all, "a": begins("a/"), "a/": begins("a/"), "a/1": begins("a/1/"), "a/10": begins("a/10/"), "a/10/": begins("a/10/"),
		"a/10.": begins("a/10."), "a/10.parquet": begins("a/10."), "a/2": begins("a/2"), "a.": begins("a."), "a-": begins("a-"),
		"a0": begins("a0"), "b": begins("b"), "b/": nil, "c": nil, "c/": nil, "c/d": nil, "b/c": nil, "a/3": nil, "..": nil, "/": nil, "a//": nil,
	} {
		if diff := cmp.Diff(want, listed(t, w.dial(), "", prefix)); diff != "" {
			t.Errorf("prefix %q (-want +got):\n%s", prefix, diff)
		}
	}
	got := inOrder(t, repo, landed.Commit, "")
	if w.byPath && !slices.Equal(got, all) {
		t.Errorf("not in the order of paths: %q", got)
	}
	for _, commit := range []string{strings.Repeat("1", 40), "nonesuch"} {
		for _, err := range repo.List(t.Context(), commit, "") {
			if !errors.Is(err, hub.ErrNoRevision) && !errors.Is(err, hub.ErrMoved) {
				t.Errorf("commit %s: %v", commit, err)
			}
			break
		}
	}
}

func (world) lookup(t *testing.T, repo hub.Repo) {
	landed := commit(t, repo, hub.Change{Adds: texts("a/x.parquet", "x", "a/y.parquet", "yy", "z.parquet", "")})
	files, err := repo.Lookup(t.Context(), "", []string{"z.parquet", "a", "none", "a/y.parquet", "a/none", "z.parquet/x", "../x"})
	ok(t, err)
	if len(files) != 2 || files[0].Path != "z.parquet" || files[1].Path != "a/y.parquet" {
		t.Fatalf("found %v", files)
	}
	y := files[1]
	if y.Size != 2 || y.SHA256 != sum("yy") || len(y.OID) != 40 || y.Revision != landed.Commit || y.URL == "" || !strings.HasPrefix(repo.String(), y.Repo) {
		t.Errorf("found %+v", y)
	}
	for file, err := range repo.List(t.Context(), "", "a/y") {
		ok(t, err)
		if file != y {
			t.Errorf("listed %+v, looked up %+v", file, y)
		}
	}
	if files, err = repo.Lookup(t.Context(), landed.Commit, nil); len(files) > 0 || err != nil {
		t.Errorf("nothing looked up: %v, %v", files, err)
	}
}

func (w world) names(t *testing.T, repo hub.Repo) {
	odd := []string{
		"%2F.parquet", "%2e%2e/x.parquet", ".hidden.parquet", "a b/c d.parquet", "c#/a%20b +?.parquet", "q?x=1&y=2.parquet",
		"x:y@z;w,v.parquet", "\\.parquet", "é/e\u0301.parquet", "日本語.parquet", "\U0001F600.parquet", `"'<>|*.parquet`,
	}
	slices.Sort(odd)
	commit(t, repo, hub.Change{Adds: texts(pairs(odd)...)})
	other := w.dial()
	if diff := cmp.Diff(odd, listed(t, other, "", "")); diff != "" {
		t.Error(diff)
	}
	for _, name := range odd {
		if got := content(t, other, name); got != name {
			t.Errorf("%q has content %q", name, got)
		}
		if folder := path.Dir(name); folder != "." {
			if got := listed(t, other, "", folder+"/"); len(got) != 1 {
				t.Errorf("%q has %q", folder, got)
			}
		}
	}
	if landed := commit(t, repo, hub.Change{Deletes: odd}); states(landed) != strings.Repeat("deleted ", len(odd)) {
		t.Errorf("%v", landed)
	}
}

func (w world) read(t *testing.T, repo hub.Repo) {
	text := string(pattern(100_000))
	commit(t, repo, hub.Change{Adds: texts("x.parquet", text, "empty.parquet", "", "README.md", "hello")})
	c := open(t, w.dial(), "x.parquet")
	defer c.Close()
	if c.Size() != int64(len(text)) {
		t.Errorf("size %d", c.Size())
	}
	for _, r := range []struct{ from, n int }{{0, 1}, {0, len(text)}, {99_999, 1}, {50_000, 3000}, {99_000, 1000}, {1, 0}} {
		p := make([]byte, r.n)
		if n, err := c.ReadAt(p, int64(r.from)); n != r.n || err != nil && err != io.EOF || string(p) != text[r.from:r.from+r.n] {
			t.Errorf("%d bytes at %d: %d, %v", r.n, r.from, n, err)
		}
	}
	p := make([]byte, 10)
	if n, err := c.ReadAt(p, 99_995); n != 5 || err != io.EOF || string(p[:5]) != text[99_995:] {
		t.Errorf("over the end: %d, %v", n, err)
	}
	if n, err := c.ReadAt(p, 100_000); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d, %v", n, err)
	}
	if got := content(t, repo, "empty.parquet"); got != "" {
		t.Errorf("empty: %q", got)
	}
	if got := content(t, repo, "README.md"); got != "hello" {
		t.Errorf("README.md: %q", got)
	}
}
