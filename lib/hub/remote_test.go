package hub_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/hub/hubtest"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/retry/retrytest"
)

// served is a hub with the repository me/demo, and a client of it that never waits.
type served struct {
	t     *testing.T
	hub   *hubtest.Hub
	clock *retrytest.Clock
	hub.Repo
	sent atomic.Int64

	mu       sync.Mutex
	warnings []string
}

func newServed(t *testing.T, options ...hubtest.Option) *served {
	t.Helper()
	w := &served{t: t, hub: hubtest.Start(t, options...), clock: &retrytest.Clock{}}
	w.hub.CreateRepo("me/demo", hubtest.RepoOptions{})
	w.Repo = w.dial("me/demo", w.hub.Token(), hub.Options{})
	return w
}

func (w *served) dial(name, token string, o hub.Options) hub.Repo {
	w.t.Helper()
	o.Getenv = func(key string) string {
		return map[string]string{"HF_ENDPOINT": w.hub.Endpoint(), "HF_TOKEN": token, "HF_TOKEN_PATH": "/nowhere"}[key]
	}
	o.Retry.Clock = w.clock
	o.OnSent = func(n int64) { w.sent.Add(n) }
	o.OnWarning = func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.warnings = append(w.warnings, text)
	}
	repo, err := hub.Dial(name, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return repo
}

// files are the content of a repository by path, without .gitattributes.
type files map[string]string

func (f files) adds() []hub.Add {
	var adds []hub.Add
	for _, path := range slices.Sorted(maps.Keys(f)) {
		adds = append(adds, hub.Add{Path: path, Source: hub.BytesSource(path, []byte(f[path]))})
	}
	return adds
}

func (f files) size() int64 {
	n := int64(0)
	for _, content := range f {
		n += int64(len(content))
	}
	return n
}

// holds checks that the repository has exactly these files, in so many commits
// behind the first, that all faults befell something, and that the token stayed at
// the hub.
func (w *served) holds(want files, commits int) {
	w.t.Helper()
	got := files{}
	for path := range w.hub.Files("me/demo", "main") {
		if path == ".gitattributes" {
			continue
		}
		content, err := w.hub.Content("me/demo", "main", path)
		if err != nil {
			w.t.Error(err)
		}
		got[path] = string(content)
	}
	if !maps.Equal(got, want) {
		w.t.Errorf("the repository has %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	if n := len(w.hub.Commits("me/demo", "main")) - 1; n != commits {
		w.t.Errorf("the repository has %d commits, want %d", n, commits)
	}
	w.sound()
}

func (w *served) sound() {
	w.t.Helper()
	if left := w.hub.Unused(); len(left) > 0 {
		w.t.Errorf("faults that befell nothing: %+v", left)
	}
	if w.hub.TokenLeaked() {
		w.t.Error("the token came to the storage")
	}
}

// put commits files, which must land.
func (w *served) put(f files) hub.Landed {
	w.t.Helper()
	landed, err := w.Commit(w.t.Context(), hub.Change{Adds: f.adds()})
	if err != nil {
		w.t.Fatal(err)
	}
	return landed
}

// fails checks that an error is of a kind, and says what it has to.
func (w *served) fails(err, kind error, texts ...string) {
	w.t.Helper()
	if err == nil {
		w.t.Fatal("no error")
	}
	if kind != nil && !errors.Is(err, kind) {
		w.t.Errorf("error %q is not %q", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			w.t.Errorf("error %q does not say %q", err, text)
		}
	}
	for _, secret := range []string{w.hub.Token(), "X-Amz", "Signature="} {
		if strings.Contains(err.Error(), secret) {
			w.t.Errorf("error %q has a secret: %s", err, secret)
		}
	}
	w.sound()
}

// later checks that an error says that a later run may succeed.
func (w *served) later(err error) *retry.LaterError {
	w.t.Helper()
	later, ok := errors.AsType[*retry.LaterError](err)
	if !ok {
		w.t.Fatalf("error %v is not for later", err)
	}
	return later
}

func (w *served) count(route hubtest.Route) int { return len(w.hub.Requests(route)) }

// list has the paths below a prefix.
func (w *served) list(prefix string) []string {
	w.t.Helper()
	paths := []string{}
	for f, err := range w.List(w.t.Context(), "", prefix) {
		if err != nil {
			w.t.Fatal(err)
		}
		if f.Path != ".gitattributes" {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// read reads a file of the head through the repository.
func (w *served) read(path string) (string, error) {
	w.t.Helper()
	found, err := w.Lookup(w.t.Context(), "", []string{path})
	if err != nil || len(found) != 1 {
		w.t.Fatal(found, err)
	}
	content, err := w.Open(w.t.Context(), found[0])
	if err != nil {
		return "", err
	}
	defer content.Close()
	all, err := io.ReadAll(io.NewSectionReader(content, 0, content.Size()))
	return string(all), err
}

// parquet is a content of n bytes that is kept by LFS, always the same.
func parquet(seed uint64, n int) string {
	b := bytes.Buffer{}
	random := rand.New(rand.NewPCG(seed, 0))
	b.WriteString("PAR1")
	for b.Len() < n {
		b.WriteByte(byte(random.Uint32()))
	}
	return b.String()[:n]
}

func sha(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func statesOf(landed hub.Landed) map[string]hub.State {
	all := map[string]hub.State{}
	for _, f := range landed.Files {
		all[f.Path] = f.State
	}
	return all
}

func TestCommitListsLooksUpAndReads(t *testing.T) {
	w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) {
		s.MultipartFrom, s.PartSize, s.ScatterParts, s.PageSize = 1000, 300, true, 2
	}))
	want := files{
		"README.md": "# demo\n", "data/2026/a.parquet": parquet(1, 500), "data/2026/b.parquet": parquet(2, 3100),
		"data/copy.parquet": parquet(1, 500), "data/empty.parquet": "", "datum.txt": "x", "ref/2026.txt": "y",
	}
	landed := w.put(want)
	w.holds(want, 1)
	for path, state := range statesOf(landed) {
		if state != hub.Added {
			t.Errorf("%s: %s", path, state)
		}
	}
	if landed.Commit != w.hub.Head("me/demo", "main") || landed.URL == "" {
		t.Errorf("landed as %+v", landed)
	}
	if w.sent.Load() != want.size() {
		t.Errorf("%d bytes were told of, want %d", w.sent.Load(), want.size())
	}
	if n := w.count(hubtest.RoutePutObject); n != 1 {
		t.Errorf("%d whole objects were sent, want 1 for two files of the same content", n)
	}
	for _, r := range w.hub.Requests() {
		if signed := r.Origin == "storage" || r.Route == hubtest.RouteComplete; r.Authorization == signed {
			t.Errorf("%s: with a token: %t", r.Route, r.Authorization)
		}
	}
	for prefix, paths := range map[string][]string{
		"":                  {"README.md", "data/2026/a.parquet", "data/2026/b.parquet", "data/copy.parquet", "data/empty.parquet", "datum.txt", "ref/2026.txt"},
		"data":              {"data/2026/a.parquet", "data/2026/b.parquet", "data/copy.parquet", "data/empty.parquet"},
		"data/":             {"data/2026/a.parquet", "data/2026/b.parquet", "data/copy.parquet", "data/empty.parquet"},
		"dat":               {"data/2026/a.parquet", "data/2026/b.parquet", "data/copy.parquet", "data/empty.parquet", "datum.txt"},
		"data/2":            {"data/2026/a.parquet", "data/2026/b.parquet"},
		"data/2026/a":       {"data/2026/a.parquet"},
		"data/copy.parquet": {"data/copy.parquet"},
		"data/co/":          {}, "nothing/at/all": {}, "/data": {}, "../x": {}, "data//x": {},
	} {
		if diff := cmp.Diff(paths, w.list(prefix)); diff != "" {
			t.Errorf("list %q (-want +got):\n%s", prefix, diff)
		}
	}
	found, err := w.Lookup(t.Context(), "", []string{"data/copy.parquet", "none", "data", "README.md", "README.md"})
	if err != nil || len(found) != 3 || found[0].SHA256 != sha(want["data/copy.parquet"]) || found[1].SHA256 != "" || found[2] != found[1] {
		t.Errorf("looked up %+v, %v", found, err)
	}
	if found[0].Size != 500 || found[0].Revision != landed.Commit || found[0].Repo != "me/demo" {
		t.Errorf("looked up %+v", found[0])
	}
	for path, content := range want {
		if got, err := w.read(path); got != content || err != nil {
			t.Errorf("%s: read %d bytes, %v", path, len(got), err)
		}
	}
	w.sound()
}

func TestTheSameCommitAgainMakesNone(t *testing.T) {
	w := newServed(t)
	want := files{"README.md": "# demo\n", "a.parquet": parquet(1, 500), "e.bin": ""}
	first := w.put(want)
	w.hub.Forget()
	second := w.put(want)
	w.holds(want, 1)
	if second.Commit != first.Commit || statesOf(second)["a.parquet"] != hub.Unchanged {
		t.Errorf("landed as %+v", second)
	}
	if n := len(w.hub.Requests()); n != 2 {
		t.Errorf("%d requests, want a lookup and the head: %+v", n, w.hub.Requests())
	}
}

func TestUploadThenCommitByName(t *testing.T) {
	w := newServed(t)
	content := files{"a.parquet": parquet(1, 700), "notes.txt": "text is kept so, too"}
	adds := content.adds()
	if err := w.Upload(t.Context(), adds); err != nil {
		t.Fatal(err)
	}
	w.holds(files{}, 0)
	for i := range adds {
		adds[i].Source = nil
	}
	sent := w.hub.StorageBytes()
	landed, err := w.Commit(t.Context(), hub.Change{Adds: adds})
	if err != nil {
		t.Fatal(err)
	}
	w.holds(content, 1)
	if w.hub.StorageBytes() != sent {
		t.Error("content was sent again")
	}
	again, err := w.Commit(t.Context(), hub.Change{Adds: adds})
	if err != nil || again.Commit != landed.Commit {
		t.Errorf("again: %+v, %v", again, err)
	}
	w.holds(content, 1)
	err = w.Upload(t.Context(), files{"e": ""}.adds())
	w.fails(err, nil, "me/demo: e: an empty file")
}

func TestObjectThatTheStoreLostIsNamed(t *testing.T) {
	w := newServed(t)
	content := files{"a.parquet": parquet(1, 700), "b.parquet": parquet(2, 700), "c.parquet": parquet(1, 700)}
	adds := content.adds()
	if err := w.Upload(t.Context(), adds); err != nil {
		t.Fatal(err)
	}
	w.hub.Lose(adds[0].SHA256)
	for i := range adds {
		adds[i].Source = nil
	}
	_, err := w.Commit(t.Context(), hub.Change{Adds: adds})
	w.fails(err, hub.ErrLost, "a.parquet")
	lost, ok := errors.AsType[*hub.LostError](err)
	if !ok || !slices.Equal(lost.Paths, []string{"a.parquet", "c.parquet"}) {
		t.Errorf("lost %+v", lost)
	}
	w.holds(files{}, 0)
	w.hub.Fail(on(hubtest.RouteBatch, hubtest.ClaimPresent, 0, "").Times(2))
	_, err = w.Commit(t.Context(), hub.Change{Adds: adds})
	if lost, ok := errors.AsType[*hub.LostError](err); !ok || len(lost.Paths) != 3 {
		t.Errorf("the store says that it has them: %v", err)
	}
}

func TestDeletes(t *testing.T) {
	w := newServed(t)
	w.put(files{"a.txt": "a", "old/x": "1", "old/y/z": "2", "keep/in": "3", "keep/out": "4", "keep/as": "5"})
	landed, err := w.Commit(t.Context(), hub.Change{
		Adds:    files{"keep/in": "new", "keep/as": "5", "fresh": "6"}.adds(),
		Deletes: []string{"a.txt", "old/", "old/x", "none", "none/", "keep/", "old"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := files{"keep/in": "new", "keep/as": "5", "fresh": "6"}
	w.holds(want, 2)
	if diff := cmp.Diff(map[string]hub.State{
		"keep/in": hub.Added, "keep/as": hub.Unchanged, "fresh": hub.Added, "a.txt": hub.Deleted, "old/": hub.Deleted,
		"old/x": hub.Deleted, "none": hub.Absent, "none/": hub.Absent, "keep/": hub.Deleted, "old": hub.Absent,
	}, statesOf(landed)); diff != "" {
		t.Error(diff)
	}
	again, err := w.Commit(t.Context(), hub.Change{Adds: files{"keep/in": "new", "keep/as": "5"}.adds(), Deletes: []string{"old/", "keep/"}})
	if err != nil || again.Commit == landed.Commit {
		t.Log("the folder keep/ lost fresh things")
	}
	w.holds(want, 2)
}

func TestParentIsACondition(t *testing.T) {
	w := newServed(t)
	head, err := w.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.hub.Put("me/demo", "theirs", []byte("x"))
	for _, adds := range []files{{"a": "a"}, {"theirs": "x"}} {
		_, err = w.Commit(t.Context(), hub.Change{Adds: adds.adds(), Parent: head})
		w.fails(err, hub.ErrMoved)
	}
	if head, err = w.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err = w.Commit(t.Context(), hub.Change{Adds: files{"a": "a"}.adds(), Parent: head}); err != nil {
		t.Fatal(err)
	}
	w.holds(files{"a": "a", "theirs": "x"}, 2)
}

func TestPullRequest(t *testing.T) {
	w := newServed(t, hubtest.WithAccount(hubtest.Account{Name: "guest", Token: "hf_guest", Role: hubtest.RolePR}))
	guest := w.dial("me/demo", "hf_guest", hub.Options{})
	landed, err := guest.Commit(t.Context(), hub.Change{Adds: files{"a.parquet": parquet(1, 99)}.adds(), PullRequest: true})
	if err != nil || !strings.Contains(landed.URL, "/discussions/1") {
		t.Fatalf("%+v, %v", landed, err)
	}
	w.holds(files{}, 0)
	if _, ok := w.hub.Files("me/demo", "refs/pr/1")["a.parquet"]; !ok {
		t.Error("the pull request has no such file")
	}
	_, err = guest.Commit(t.Context(), hub.Change{Adds: files{"b": "b"}.adds()})
	w.fails(err, hub.ErrDenied, "create_pr=1", "write access")
}

func TestIgnoredFilesAreReported(t *testing.T) {
	w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.Ignore = []string{"*.tmp"} }))
	landed := w.put(files{"a.tmp": "a", "b": "b"})
	w.holds(files{"b": "b"}, 1)
	if statesOf(landed)["a.tmp"] != hub.Ignored {
		t.Errorf("landed as %+v", landed)
	}
}

func TestCreate(t *testing.T) {
	w := newServed(t, hubtest.WithAccount(hubtest.Account{Name: "reader", Token: "hf_reader", Role: hubtest.RoleRead}))
	secret := w.dial("me/secret", w.hub.Token(), hub.Options{})
	for range 2 {
		if err := secret.Create(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.dial("me/secret", "", hub.Options{}).Head(t.Context())
	w.fails(err, hub.ErrNoRepo, "HF_TOKEN")
	reader := w.dial("me/demo", "hf_reader", hub.Options{})
	if err := reader.Create(t.Context(), false); err != nil {
		t.Errorf("a repository that is there, for one who may not make it: %v", err)
	}
	err = w.dial("me/new", "hf_reader", hub.Options{}).Create(t.Context(), false)
	w.fails(err, hub.ErrDenied, "me/new: create", "write token")
}

// TestRemoteKeepsThePromises runs the suite of all repositories on the hub.
func TestRemoteKeepsThePromises(t *testing.T) {
	conform(t, func(t *testing.T) world {
		served := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.MultipartFrom, s.PartSize = 1<<20, 300_000 }))
		t.Cleanup(served.sound)
		return world{partsFrom: 1 << 20, history: true, dial: func() hub.Repo {
			return served.dial("me/new", served.hub.Token(), hub.Options{})
		}}
	})
}
