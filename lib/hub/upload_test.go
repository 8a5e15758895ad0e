package hub_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/hub/hubtest"
	"github.com/open-index/ccnews/lib/retry/retrytest"
)

// zeros is content of a size that is nowhere.
type zeros int64

func (z zeros) String() string             { return "zeros" }
func (z zeros) Size() int64                { return int64(z) }
func (z zeros) Check() error               { return nil }
func (z zeros) Open() (hub.Content, error) { return z, nil }
func (z zeros) Close() error               { return nil }
func (z zeros) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), int64(z)-off)
	clear(p[:n])
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func TestUploadNeedsNoMemoryForContent(t *testing.T) {
	w := newServed(t, hubtest.Discard())
	const size = 200 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := w.Upload(t.Context(), []hub.Add{{Path: "a.parquet", Source: zeros(size)}, {Path: "b.parquet", Source: zeros(10 << 20)}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16<<20 {
		t.Errorf("%d MiB were allocated for %d MiB", allocated>>20, size>>20)
	}
	if w.sent.Load() != 210<<20 || w.hub.StorageBytes() != 210<<20 {
		t.Errorf("%d bytes were told of, %d sent", w.sent.Load(), w.hub.StorageBytes())
	}
	w.sound()
}

func TestJobsBoundRequestsInFlight(t *testing.T) {
	for _, test := range []struct{ jobs, most int }{{1, 1}, {3, 3}, {0, 5}} {
		w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.Latency = time.Millisecond }))
		w.Repo = w.dial("me/demo", w.hub.Token(), hub.Options{Jobs: test.jobs})
		many := files{}
		for i := range 20 {
			many[string(rune('a'+i))+".parquet"] = parquet(uint64(i), 50)
		}
		w.put(many)
		w.holds(many, 1)
		if n := w.hub.Peak("storage"); n > test.most {
			t.Errorf("jobs %d: %d requests at once", test.jobs, n)
		}
	}
}

func TestURLsThatExpireInTheQueueAreRenewed(t *testing.T) {
	clock := &retrytest.Clock{}
	w := newServed(t, hubtest.WithClock(clock.Now))
	w.clock = clock
	w.Repo = w.dial("me/demo", w.hub.Token(), hub.Options{})
	many := files{}
	for i := range 20 {
		many[string(rune('a'+i))+".parquet"] = parquet(uint64(i), 50)
	}
	var once sync.Once
	w.hub.Before(hubtest.RoutePutObject, func() { once.Do(func() { clock.Sleep(t.Context(), 20*time.Minute) }) })
	w.put(many)
	w.holds(many, 1)
	if n := w.count(hubtest.RoutePutObject); n > 25 {
		t.Errorf("%d requests for 20 objects: those that had not begun did not ask again", n)
	}
}

// turning is content that changes once it was summed, and does not show it.
type turning struct {
	hub.Source
	opened *int
	second hub.Source
}

func (s turning) Open() (hub.Content, error) {
	if *s.opened++; *s.opened > 2 { // the sums and the sample are of the first
		return s.second.Open()
	}
	return s.Source.Open()
}

func TestContentThatIsNotWhatWasSummedDoesNotLand(t *testing.T) {
	for _, path := range []string{"README.md", "a.parquet"} {
		w := newServed(t)
		source := turning{hub.BytesSource("the file", []byte("PAR1 before")), new(int), hub.BytesSource("the file", []byte("PAR1 after!"))}
		_, err := w.Commit(t.Context(), hub.Change{Adds: []hub.Add{{Path: path, Source: source}}})
		want := "the file: the file changed while it was read"
		if path == "a.parquet" {
			want = "BadDigest" // hubtest's store compares sums; S3 would by its checksum headers
		}
		w.fails(err, nil, want)
		w.holds(files{}, 0)
	}
}

func TestFileThatEndsEarlyIsNamed(t *testing.T) {
	w := newServed(t)
	source := turning{hub.BytesSource("the file", []byte(strings.Repeat("x", 100))), new(int), hub.BytesSource("the file", []byte("x"))}
	_, err := w.Commit(t.Context(), hub.Change{Adds: []hub.Add{{Path: "README.md", Source: source}}})
	w.fails(err, nil, "the file: the file changed while it was read")
	w.holds(files{}, 0)
}

func TestPullRequestWhoseAnswerIsLostIsNotOpenedAgain(t *testing.T) {
	w := newServed(t)
	w.hub.Fail(on(hubtest.RouteCommit, hubtest.ApplyThenDrop, 0, ""))
	_, err := w.Commit(t.Context(), hub.Change{Adds: small.adds(), PullRequest: true})
	w.fails(err, nil, "whether the pull request was opened is not known")
	if w.hub.Head("me/demo", "refs/pr/1") == "" || w.hub.Head("me/demo", "refs/pr/2") != "" {
		t.Error("not one pull request")
	}
	w.hub.Fail(on(hubtest.RouteCommit, hubtest.Answer, 409, "Another commit operation is in progress"))
	if _, err := w.Commit(t.Context(), hub.Change{Adds: small.adds(), PullRequest: true}); err != nil {
		t.Errorf("after a lock: %v", err)
	}
}

func TestConditionalCommitWhoseAnswerIsLost(t *testing.T) {
	w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.StaleReads = 2 }))
	head, err := w.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.hub.Fail(on(hubtest.RouteCommit, hubtest.ApplyThenDrop, 0, ""))
	landed, err := w.Commit(t.Context(), hub.Change{Adds: small.adds(), Parent: head})
	if err != nil || landed.Commit != w.hub.Head("me/demo", "main") {
		t.Fatalf("%+v, %v", landed, err)
	}
	w.holds(small, 1)
}

func TestRecreatedRepositoryGetsItsObjectsAgain(t *testing.T) {
	w := newServed(t)
	w.hub.Fail(on(hubtest.RouteBatch, hubtest.ClaimPresent, 0, "")) // once, and it is not there
	w.put(small)
	w.holds(small, 1)
	if w.count(hubtest.RouteCommit) != 2 || w.count(hubtest.RoutePutObject) != 1 {
		t.Errorf("%d commits, %d objects sent", w.count(hubtest.RouteCommit), w.count(hubtest.RoutePutObject))
	}
}

func TestCancelledCommitEndsAtOnce(t *testing.T) {
	w := newServed(t)
	w.hub.Fail(on(hubtest.RoutePutObject, hubtest.Stall, 0, ""))
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var once sync.Once
	w.hub.Before(hubtest.RoutePutObject, func() { once.Do(func() { cancel(cause) }) })
	_, err := w.Commit(ctx, hub.Change{Adds: small.adds()})
	w.fails(err, ctx.Err(), "a.parquet")
	w.holds(files{}, 0)
}

func TestRulesOfTheSameCommitCount(t *testing.T) {
	w := newServed(t)
	attributes := "*.dat filter=lfs diff=lfs merge=lfs -text\n"
	landed := w.put(files{".gitattributes": attributes, "a.dat": "text", "b.txt": "text"})
	if f := w.hub.Files("me/demo", "main"); f["a.dat"].SHA256 == "" || f["b.txt"].SHA256 != "" {
		t.Errorf("landed as %+v: %+v", landed, f)
	}
}

func TestDeletesWhoseAnswerIsLostAreDeleted(t *testing.T) {
	w := newServed(t)
	w.put(files{"a": "1", "old/b": "2", "c": "3"})
	w.hub.Set(func(s *hubtest.Settings) { s.StaleReads = 3 })
	w.hub.Fail(on(hubtest.RouteCommit, hubtest.ApplyThenDrop, 0, ""))
	landed, err := w.Commit(t.Context(), hub.Change{Deletes: []string{"a", "old/", "none"}})
	if err != nil {
		t.Fatal(err)
	}
	w.holds(files{"c": "3"}, 2)
	if got := statesOf(landed); got["a"] != hub.Deleted || got["old/"] != hub.Deleted || got["none"] != hub.Absent || landed.Commit != w.hub.Head("me/demo", "main") {
		t.Errorf("landed as %+v", landed)
	}
}

func TestDeletionThatSomebodyElseMadeFirst(t *testing.T) {
	w := newServed(t)
	w.put(files{"a": "1", "b": "2"})
	var once sync.Once
	w.hub.Before(hubtest.RouteCommit, func() { once.Do(func() { w.hub.Remove("me/demo", "a") }) })
	landed, err := w.Commit(t.Context(), hub.Change{Deletes: []string{"a", "b"}})
	if err != nil || statesOf(landed)["a"] != hub.Absent {
		t.Errorf("%+v, %v", landed, err)
	}
	w.holds(files{}, 3)
}

func TestRepositoryThatIsBeingCreated(t *testing.T) {
	w := newServed(t)
	w.hub.Fail(on(hubtest.RouteCreateRepo, hubtest.Answer, 409, "Cannot create repo: another conflicting operation is in progress"))
	repo := w.dial("me/new", w.hub.Token(), hub.Options{})
	if err := repo.Create(t.Context(), false); err != nil || w.hub.Head("me/new", "main") == "" {
		t.Errorf("%v, head %q", err, w.hub.Head("me/new", "main"))
	}
	w.sound()
}
