package hub

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func paths(t *testing.T, f *folder, prefix string) (paths []string) {
	t.Helper()
	for file, err := range f.List(t.Context(), "", prefix) {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, file.Path)
	}
	return paths
}

func warned(t *testing.T) (*folder, *[]string) {
	var warnings []string
	return newFolder(Name{Folder: t.TempDir()}, Options{OnWarning: func(text string) { warnings = append(warnings, text) }}), &warnings
}

// What is put into the folder by hand is content, of the head that is there.
func TestFolderListsWhatWasDroppedIn(t *testing.T) {
	f, warnings := warned(t)
	write(t, f, "data/x.parquet", "hello")
	write(t, f, ".gitattributes", "*.parquet")
	write(t, f, ".git/config", "no content")
	write(t, f, "data/.cache/x", "no content")
	if got := paths(t, f, ""); !slices.Equal(got, []string{".gitattributes", "data/x.parquet"}) || len(*warnings) > 0 {
		t.Errorf("%q, %q", got, *warnings)
	}
	head, err := f.Head(t.Context())
	files, lookupErr := f.Lookup(t.Context(), head, []string{"data/x.parquet"})
	if head != noCommit || errors.Join(err, lookupErr) != nil || len(files) != 1 {
		t.Fatalf("head %s, %v, %v, %v", head, files, err, lookupErr)
	}
	want := File{
		Path: "data/x.parquet", Size: 5, Repo: f.String(), Revision: noCommit, URL: filepath.Join(f.name.Folder, "data/x.parquet"),
		SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
		OID:    "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0", // git hash-object
	}
	if files[0] != want {
		t.Errorf("got %+v\nwant %+v", files[0], want)
	}
	landed, err := f.Commit(t.Context(), Change{Parent: noCommit, Adds: []Add{text("data/x.parquet", "hello")}})
	if err != nil || landed.Commit != noCommit || landed.Files[0].State != Unchanged {
		t.Errorf("%+v, %v", landed, err)
	}
}

// Files that were seen are not read again until their size or time changes.
func TestFolderRemembersSums(t *testing.T) {
	f, _ := warned(t)
	write(t, f, "a/x", "one")
	long := time.Now().Add(-time.Hour)
	name := filepath.Join(f.name.Folder, "a/x")
	sha := func() string {
		t.Helper()
		files, err := f.Lookup(t.Context(), "", []string{"a/x"})
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		return files[0].SHA256
	}
	os.Chtimes(name, long, long)
	first := sha()
	write(t, f, "a/x", "two")
	os.Chtimes(name, long, long)
	if sha() != first {
		t.Error("the file was read again")
	}
	os.Chtimes(name, long, long.Add(1))
	second := sha()
	if second == first {
		t.Error("a change was not noticed")
	}
	// A file as young as this may change again within the same tick of its clock.
	write(t, f, "a/x", "thr")
	young, _ := os.Stat(name)
	third := sha()
	write(t, f, "a/x", "fou")
	os.Chtimes(name, young.ModTime(), young.ModTime())
	if got := sha(); got == third || third == second {
		t.Error("a young file was remembered")
	}
	// Damaged sums are no sums.
	sums, _ := filepath.Glob(filepath.Join(f.name.Folder, sumsDir, "*"))
	if len(sums) != 1 || os.WriteFile(sums[0], []byte("{}\n{\"name\":\"x\",\"sha256\":\"\"}\n\xff"), 0o666) != nil {
		t.Fatal(sums)
	}
	if got := paths(t, f, ""); !slices.Equal(got, []string{"a/x"}) {
		t.Error(got)
	}
}

func TestFolderLeavesLinksAlone(t *testing.T) {
	f, warnings := warned(t)
	outside := t.TempDir()
	write(t, f, "a/x", "x")
	for name, target := range map[string]string{"out": outside, "in": "a", "file": "a/x", "dangling": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(f.name.Folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"out/x", "in/x", "in/y", "file", "dangling"} {
		_, err := f.Commit(t.Context(), Change{Adds: []Add{text(path, "new")}})
		if err == nil || !strings.Contains(err.Error(), "neither follows nor replaces") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
		if files, err := f.Lookup(t.Context(), "", []string{path}); err != nil || len(files) > 0 {
			t.Errorf("%s: found %v, %v", path, files, err)
		}
		landed, err := f.Commit(t.Context(), Change{Deletes: []string{path, path + "/"}})
		if err != nil || landed.Files[0].State != Absent || landed.Files[1].State != Absent {
			t.Errorf("%s: deleted %v, %v", path, landed, err)
		}
	}
	if got := paths(t, f, ""); !slices.Equal(got, []string{"a/x"}) || len(*warnings) != 1 || !strings.Contains((*warnings)[0], "4, such as") {
		t.Errorf("%q, warned %q", got, *warnings)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}

func TestFolderKeepsFilesAndFoldersApart(t *testing.T) {
	f := fresh(t)
	before := state(t, f)
	for want, c := range map[string]Change{
		"e/x: e is a file, not a folder":                {Adds: []Add{text("e/x", "x")}},
		"b: it is a folder: delete":                     {Adds: []Add{text("b", "x")}},
		"b/c: it is a folder":                           {Adds: []Add{text("b/c", "x")}, Deletes: []string{"b/c/"}},
		"n: cannot be a file and the folder of n/m/x":   {Adds: []Add{text("n/m/x", "x"), text("n", "x")}},
		"n: added twice":                                {Adds: []Add{text("n", "x"), text("n", "x")}},
		"e: both added and deleted":                     {Adds: []Add{text("e", "x")}, Deletes: []string{"e"}},
		"only the hub can":                              {Adds: []Add{text("n", "x")}, PullRequest: true},
		"parent \"main\": no such revision":             {Adds: []Add{text("n", "x")}, Parent: "main"},
		"from 1111111111111111111111111111111111111111": {Adds: []Add{text("n", "x")}, Parent: strings.Repeat("1", 40)},
	} {
		if _, err := f.Commit(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), f.String()+": ") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if got := state(t, f); got != before {
		t.Errorf("%s, want %s", got, before)
	}
}

// A folder that is deleted and gets a new file in the same commit keeps that, and
// what is no content; folders that become empty are gone.
func TestFolderDeletesFolders(t *testing.T) {
	f := fresh(t)
	if err := os.Symlink("x", filepath.Join(f.name.Folder, "a/link")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Commit(t.Context(), Change{Deletes: []string{"b/", "a/"}, Adds: []Add{text("b/new", "new")}}); err != nil {
		t.Fatal(err)
	}
	if got := paths(t, f, ""); !slices.Equal(got, []string{"b/new", "e"}) {
		t.Error(got)
	}
	for name, want := range map[string]bool{"b/c": false, "a/link": true, "b": true} {
		if _, err := os.Lstat(filepath.Join(f.name.Folder, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The same changes make the same commits, in any order and at any time.
func TestFolderCommitsAreDeterministic(t *testing.T) {
	first, second := fresh(t), newFolder(Name{Folder: t.TempDir()}, Options{})
	c := firstChange()
	slices.Reverse(c.Adds)
	if _, err := second.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if a, b := state(t, first), state(t, second); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

// A file that is not what was listed any more is not taken for it.
func TestFolderOpensWhatWasListed(t *testing.T) {
	f := fresh(t)
	files, err := f.Lookup(t.Context(), "", []string{"a/replaced", "a/gone", "a/same"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	old, err := f.Open(ctx, files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := f.Commit(t.Context(), secondChange()); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err := old.ReadAt(b, 0); err != nil || string(b) != "1" {
		t.Errorf("an open file reads %q, %v", b, err)
	}
	cancel()
	if _, err := old.ReadAt(b, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the context's end: %v", err)
	}
	for _, file := range files[:2] {
		if _, err := f.Open(t.Context(), file); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: %v", file.Path, err)
		}
	}
	if c, err := f.Open(t.Context(), files[2]); err != nil {
		t.Errorf("an unchanged file: %v", err)
	} else {
		c.Close()
	}
	if _, err := f.Open(t.Context(), File{Path: "none"}); !errors.Is(err, ErrNoEntry) {
		t.Errorf("none: %v", err)
	}
}

func TestFolderForgetsWhatNobodyNeeds(t *testing.T) {
	f := fresh(t)
	adds := []Add{text("old", "old"), text("new", "new"), text("used", "used")}
	if err := f.Upload(t.Context(), adds); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(f.name.Folder, name) }
	day := time.Now().Add(-keepObjects - time.Hour)
	os.Chtimes(in(objectsDir+"/"+adds[0].SHA256), day, day)
	write(t, f, ".hub/stage-dead/0", "of a process that died")
	write(t, f, ".hub/dead.tmp", "of another")
	alive, err := f.newStage(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.close()
	adds[2].Source = nil
	if _, err := f.Commit(t.Context(), Change{Adds: adds[2:]}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		objectsDir + "/" + adds[0].SHA256: false, objectsDir + "/" + adds[1].SHA256: true, objectsDir + "/" + adds[2].SHA256: false,
		".hub/stage-dead": false, ".hub/dead.tmp": false, alive.name: true,
	} {
		if _, err := os.Stat(in(name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range adds {
		adds[i].Source = nil
	}
	if _, err := f.Commit(t.Context(), Change{Adds: adds}); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "old: ") {
		t.Errorf("the old object: %v", err)
	}
	if _, err := f.Commit(t.Context(), Change{Adds: adds[1:]}); err != nil {
		t.Error(err)
	}
}

// Content that is damaged in the store is as good as lost.
func TestFolderChecksObjects(t *testing.T) {
	f := fresh(t)
	add := text("x", "hello")
	if err := f.Upload(t.Context(), []Add{add}); err != nil {
		t.Fatal(err)
	}
	before := state(t, f)
	for _, damaged := range []string{"help!", "hell", ""} {
		sums := Sums{SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", Size: 5}
		write(t, f, objectsDir+"/"+sums.SHA256, damaged)
		_, err := f.Commit(t.Context(), Change{Adds: []Add{{Path: "x", SHA256: sums.SHA256, Size: sums.Size}}})
		if !errors.Is(err, ErrLost) || state(t, f) != before {
			t.Errorf("%q: %v", damaged, err)
		}
	}
}

// State that somebody has damaged is an error that says where, and changes nothing.
func TestFolderReportsDamagedState(t *testing.T) {
	for _, damage := range [][2]string{
		{headFile, "nonsense"}, {headFile, `{"commit":"../x"}`}, {journalFile, ""}, {journalFile, "{}"}, {journalFile, `{"delete":"../x"}`},
		{journalFile, `{"delete":"a/same"}` + "\n" + `{"put":"a/gone","from":".hub/stage-x/0"}` + "\n"},
	} {
		name, content := damage[0], damage[1]
		f := fresh(t)
		before := contents(t, f)
		write(t, f, name, content)
		_, err := f.Head(t.Context())
		_, commitErr := f.Commit(t.Context(), secondChange())
		for _, err := range []error{err, commitErr} {
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		os.Remove(filepath.Join(f.name.Folder, name))
		if got := contents(t, f); !maps.Equal(got, before) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFolderThatIsNone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: "not a directory", filepath.Join(dir, "none"): "make it with mkdir"} {
		f := newFolder(Name{Folder: name}, Options{})
		if _, err := f.Head(t.Context()); !errors.Is(err, ErrNoRepo) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := newFolder(Name{Folder: file}, Options{}).Create(t.Context(), false); err == nil {
		t.Error("a file became a folder")
	}
}

// A lock that another holds is waited for as long as the context lasts.
func TestFolderWaitsForTheLock(t *testing.T) {
	f := fresh(t)
	held, err := f.exclusive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := f.Head(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := f.Commit(t.Context(), secondChange())
		done <- err
	}()
	held.close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
