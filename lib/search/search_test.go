package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/ccindex/ccindextest"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/hub/hubtest"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/retry/retrytest"
	"github.com/open-index/ccnews/lib/shard"
)

// buffer is a file in memory.
type buffer struct{ bytes.Buffer }

func (b *buffer) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(b.Bytes()).ReadAt(p, off)
}

// build makes a shard of rows.
func build(t testing.TB, rows []ccindex.Row) []byte {
	t.Helper()
	b := shard.NewBuilder(0)
	defer b.Close()
	for i := range rows {
		if err := b.Add(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	n := int64(len(rows))
	var out buffer
	if _, err := b.Write(t.Context(), &out, &jsonl.End{Bytes: 1e9, Rows: &n}, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withHost gives n rows to host and its subdomains, somewhere among the others.
func withHost(rows []ccindex.Row, host string, n int) []ccindex.Row {
	for i := range n {
		r := &rows[(i+1)*len(rows)/(n+1)]
		name := []string{"", "www.", "news."}[i%3] + host
		reversed := strings.Split(strings.TrimPrefix(name, "www."), ".")
		for a, b := 0, len(reversed)-1; a < b; a, b = a+1, b-1 {
			reversed[a], reversed[b] = reversed[b], reversed[a]
		}
		r.URLHostName, r.URLHostRegisteredDomain = &name, &host
		r.URL = fmt.Sprintf("https://%s/a/%d", name, i)
		r.URLSurtkey = fmt.Sprintf("%s)/a/%d", strings.Join(reversed, ","), i)
	}
	return rows
}

// place is a file of the hub as hf-ls lists it.
func place(hub *hubtest.Hub, repo, path string) Place {
	file := hub.Files(repo, "main")[path]
	return Place{Name: path, Where: hub.Endpoint() + "/datasets/" + repo + "/resolve/" + hub.Head(repo, "main") + "/" + path, Size: file.Size}
}

func places(list ...Place) iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		for _, p := range list {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// client reads from a hub, without ever really waiting.
func client(t testing.TB, h *hubtest.Hub) *rangeread.Client {
	t.Helper()
	env := map[string]string{"HF_ENDPOINT": h.Endpoint(), "HF_TOKEN": h.Token()}
	login, err := hub.FindLogin(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	files := rangeread.New(rangeread.Options{
		Header: login.Header, Stall: time.Second, Retry: retry.Policy{Clock: new(retrytest.Clock)},
	})
	t.Cleanup(files.Close)
	return files
}

// look runs a search for a host and gives the rows found.
func look(t testing.TB, files *rangeread.Client, host string, shards iter.Seq2[Place, error]) (lines string, sum Summary, failures []string) {
	t.Helper()
	p, err := shard.ParsePattern(host, false)
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Query: shard.Host(p), Selection: ccindex.SelectAll(), Files: files, Jobs: 16}
	s.OnFailure = func(err error) { failures = append(failures, err.Error()) }
	sum, err = s.Run(t.Context(), shards, func(f Found) error {
		lines += string(f.Lines)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, sum, failures
}

// What a search costs, as the server counts it: for an absent host the end of the
// shard, for one with 10 rows that and a row group or two.
func TestOneShardBehindTheStore(t *testing.T) {
	h := hubtest.Start(t)
	h.Put("me/news", "data/x.parquet", build(t, withHost(ccindextest.News(30_000, 1), "tagesblatt.example", 10)))
	for _, test := range []struct {
		host     string
		rows     int64
		requests int
		bytes    int64
	}{
		{"absent.example.com", 0, 1, 64 << 10},
		{"zzz.zz", 0, 1, 64 << 10},
		{"tagesblatt.example", 10, 3, 450 << 10},
	} {
		h.Forget()
		lines, sum, failures := look(t, client(t, h), test.host, places(place(h, "me/news", "data/x.parquet")))
		requests := h.StorageRequests()
		var sent int64
		for _, r := range requests {
			sent += r.BytesOut
		}
		if sum.Rows != test.rows || int64(strings.Count(lines, "\n")) != test.rows || len(failures) > 0 {
			t.Errorf("%s: %d rows, %q", test.host, sum.Rows, failures)
		}
		if len(requests) > test.requests || sent > test.bytes || len(h.Requests()) != 1+len(requests) {
			t.Errorf("%s: %d storage requests, %d in all, %d bytes", test.host, len(requests), len(h.Requests()), sent)
		}
		if sum.Storage != int64(len(requests)) || sum.Resolver != 1 || sum.Bytes < sent || sum.Bytes > sent+100 { // the redirect has a body, too
			t.Errorf("%s: the summary says %+v", test.host, sum)
		}
		t.Logf("%s: %d rows, %d storage requests, %d bytes", test.host, sum.Rows, len(requests), sent)
	}
	if h.TokenLeaked() {
		t.Error("the store saw the token")
	}
}

// A shard whose end is longer than the 64 KiB that are read costs one request more,
// and one that is shorter than that none but the first.
func TestLargeAndSmallShards(t *testing.T) {
	h := hubtest.Start(t)
	h.Put("me/news", "large.parquet", build(t, withHost(ccindextest.News(60_000, 1), "tagesblatt.example", 10)))
	h.Put("me/news", "small.parquet", build(t, withHost(ccindextest.News(300, 1), "tagesblatt.example", 10)))
	for _, test := range []struct {
		path, host     string
		rows, requests int
	}{
		{"large.parquet", "absent.example.com", 0, 3}, // the tail, the rest of the footer, the filters
		{"large.parquet", "tagesblatt.example", 10, 4},
		{"small.parquet", "absent.example.com", 0, 1},
		{"small.parquet", "tagesblatt.example", 10, 1},
	} {
		h.Forget()
		lines, _, failures := look(t, client(t, h), test.host, places(place(h, "me/news", test.path)))
		if n := strings.Count(lines, "\n"); n != test.rows || len(failures) > 0 {
			t.Errorf("%s: %s: %d rows, %q", test.path, test.host, n, failures)
		}
		if n := len(h.StorageRequests()); n > test.requests {
			t.Errorf("%s: %s: %d storage requests, want at most %d", test.path, test.host, n, test.requests)
		} else {
			t.Logf("%s: %s: %d storage requests", test.path, test.host, n)
		}
	}
}

// month seeds a month of n shards, of which some have the host.
func month(t testing.TB, n, hits, rows int, options ...hubtest.Option) (*hubtest.Hub, []Place) {
	h := hubtest.Start(t, options...)
	const kinds = 6 // of shards without the host, so that seeding is quick
	var without [kinds][]byte
	for i := range without {
		without[i] = build(t, ccindextest.News(rows, uint64(i+1)))
	}
	with := build(t, withHost(ccindextest.News(rows, 99), "tagesblatt.example", 10))
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("data/2026/07/CC-NEWS-%05d.parquet", i)] = without[i%kinds]
	}
	for i := range hits {
		files[fmt.Sprintf("data/2026/07/CC-NEWS-%05d.parquet", i*n/hits)] = with
	}
	h.PutFiles("me/news", files)
	var list []Place
	for i := range n {
		list = append(list, place(h, "me/news", fmt.Sprintf("data/2026/07/CC-NEWS-%05d.parquet", i)))
	}
	return h, list
}

func TestMonthOf353Shards(t *testing.T) {
	h, list := month(t, 353, 12, 30_000, hubtest.WithSettings(func(s *hubtest.Settings) { s.Latency = 50 * time.Millisecond }))
	h.Forget()
	start := time.Now()
	_, sum, failures := look(t, client(t, h), "absent.example.com", places(list...))
	absent := time.Since(start)
	store := len(h.StorageRequests())
	if sum.Rows != 0 || sum.Shards != 353 || len(failures) > 0 {
		t.Errorf("%+v %q", sum, failures)
	}
	if resolved := len(h.Requests()) - store; resolved > 360 || store > 360 {
		t.Errorf("absent: %d hub requests, %d storage requests", resolved, store)
	}
	h.Forget()
	start = time.Now()
	lines, sum, failures := look(t, client(t, h), "tagesblatt.example", places(list...))
	hits := time.Since(start)
	if sum.Rows != 120 || strings.Count(lines, "\n") != 120 || sum.Shards != 353 || len(failures) > 0 {
		t.Errorf("%+v %q", sum, failures)
	}
	t.Logf("absent: %v, %d storage requests; in 12 of them: %v, %d", absent, store, hits, len(h.StorageRequests()))
	if watchdog := 40 * time.Second; absent > watchdog || hits > watchdog {
		t.Errorf("absent: %v, in 12 of them: %v", absent, hits)
	}
	if peak := h.Peak("storage"); peak > 16 {
		t.Errorf("%d requests in flight", peak)
	}
}

// One of 40 shards is bad: the others' rows come out, and it is named.
func TestOneBadShardOf40(t *testing.T) {
	bad := "CC-NEWS-00020"
	for _, test := range []struct {
		name, says string
		faults     []hubtest.Fault
	}{
		{"404", "404 Not Found", []hubtest.Fault{hubtest.Status(hubtest.RouteResolve, 404)}},
		{"expired for ever", "403", []hubtest.Fault{hubtest.Expired(hubtest.RouteDownload)}},
		{"500 for ever", "500 Internal Server Error", []hubtest.Fault{hubtest.Status(hubtest.RouteDownload, 500)}},
		{"cut body", "unexpected EOF", []hubtest.Fault{{On: hubtest.Match{Route: hubtest.RouteDownload}, Do: hubtest.CutBody, Bytes: 0}}},
		{"wrong total", "bytes", []hubtest.Fault{{On: hubtest.Match{Route: hubtest.RouteDownload}, Do: hubtest.WrongTotal}}},
		{"range ignored", "range", []hubtest.Fault{{On: hubtest.Match{Route: hubtest.RouteDownload}, Do: hubtest.IgnoreRange}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, list := month(t, 40, 40, 3_000)
			// Another content, so that the store's URL tells it apart.
			h.Put("me/news", "data/2026/07/"+bad+".parquet", build(t, withHost(ccindextest.News(3_000, 77), "tagesblatt.example", 10)))
			for i := range list {
				list[i] = place(h, "me/news", list[i].Name)
			}
			for _, f := range test.faults {
				f.On.Times = hubtest.Always
				f.On.URL = h.Files("me/news", "main")["data/2026/07/"+bad+".parquet"].SHA256
				if f.On.Route == hubtest.RouteResolve {
					f.On.URL = bad
				}
				h.Fail(f)
			}
			_, sum, failures := look(t, client(t, h), "tagesblatt.example", places(list...))
			if sum.Rows != 390 || sum.Shards != 39 || sum.Failed != 1 {
				t.Errorf("%+v", sum)
			}
			if len(failures) != 1 || !strings.Contains(failures[0], bad) || !strings.Contains(failures[0], test.says) || strings.Contains(failures[0], "?") {
				t.Errorf("%q", failures)
			}
			t.Log(failures)
		})
	}
}

// A shard that is damaged anywhere is an error, or its rows are right.
func TestCorruptPages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	dir := t.TempDir()
	good := build(t, withHost(ccindextest.News(9_000, 3), "tagesblatt.example", 100))
	other := filepath.Join(dir, "other.parquet")
	write(t, other, good)
	files := rangeread.New(rangeread.Options{})
	want, _, _ := look(t, files, "tagesblatt.example", places(Local(other)))
	var before, after runtime.MemStats
	noticed := 0
	for i := range 300 {
		damaged := bytes.Clone(good)
		at := rnd.IntN(len(damaged) - 200)
		for j := range 100 {
			damaged[at+j] ^= byte(1 + rnd.IntN(255))
		}
		path := filepath.Join(dir, fmt.Sprintf("bad-%d.parquet", i))
		write(t, path, damaged)
		runtime.ReadMemStats(&before)
		lines, sum, failures := look(t, files, "tagesblatt.example", places(Local(path), Local(other)))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
			t.Errorf("damage at %d: %d bytes allocated", at, used)
		}
		if !strings.HasSuffix(lines, want) {
			t.Fatalf("damage at %d of another file costs rows", at)
		}
		for line := range strings.Lines(strings.TrimSuffix(lines, want)) {
			if !strings.Contains(want, line) {
				t.Errorf("damage at %d gives a wrong row: %s", at, line)
			}
		}
		if sum.Failed == 1 {
			noticed++
			if !strings.HasPrefix(failures[0], path) {
				t.Errorf("damage at %d: %q", at, failures)
			}
		}
		os.Remove(path)
	}
	t.Logf("%d of 300 damages noticed; the others lie in groups that were not read", noticed)
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Max ends the search, and the list is read no further than the shards at work.
func TestMaxStopsTheList(t *testing.T) {
	h, list := month(t, 200, 200, 500)
	h.Forget()
	p, _ := shard.ParsePattern("tagesblatt.example", false)
	s := Search{Query: shard.Host(p), Selection: ccindex.SelectAll(), Files: client(t, h), Jobs: 4, Max: 5, OnFailure: func(err error) { t.Error(err) }}
	var given atomic.Int64
	rows := 0
	var lines string
	sum, err := s.Run(t.Context(), func(yield func(Place, error) bool) {
		for _, p := range list {
			given.Add(1)
			if !yield(p, nil) {
				return
			}
		}
	}, func(f Found) error {
		rows += int(f.Rows)
		lines += string(f.Lines)
		return nil
	})
	if err != nil || rows != 5 || sum.Rows != 5 || strings.Count(lines, "\n") != 5 {
		t.Errorf("%d rows, %+v, %v", rows, sum, err)
	}
	if n := given.Load(); n > 10 {
		t.Errorf("%d shards were asked for", n)
	}
	failed := errors.New("the reader went away")
	if _, err := s.Run(t.Context(), places(list...), func(Found) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(ended, places(list...), func(Found) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	lost := errors.New("the list broke")
	_, err = s.Run(t.Context(), func(yield func(Place, error) bool) { yield(Place{}, lost) }, func(Found) error { return nil })
	if !errors.Is(err, lost) {
		t.Error(err)
	}
}

// A list that stalls does not hold up a search that has enough, or is told to end.
func TestAStalledListIsNotWaitedFor(t *testing.T) {
	h, list := month(t, 1, 1, 500)
	p, _ := shard.ParsePattern("tagesblatt.example", false)
	s := Search{Query: shard.Host(p), Selection: ccindex.SelectAll(), Files: client(t, h), Jobs: 4, Max: 5, OnFailure: func(err error) { t.Error(err) }}
	stalled := make(chan struct{})
	defer close(stalled)
	shards := func(yield func(Place, error) bool) {
		if yield(list[0], nil) {
			<-stalled
		}
	}
	sum, err := s.Run(t.Context(), shards, func(Found) error { return nil })
	if err != nil || sum.Rows != 5 {
		t.Errorf("%+v, %v", sum, err)
	}
	s.Max = 0
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.Run(ctx, shards, func(Found) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The order is that of the list, whatever is slow; unordered, nothing is missing.
func TestOrder(t *testing.T) {
	h, list := month(t, 15, 15, 4_000)
	h.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteDownload, Chance: 0.2, Times: hubtest.Always}, Do: hubtest.Slow, Wait: 30 * time.Millisecond})
	first, _, _ := look(t, client(t, h), "com", places(list...)) // many rows, so that room runs out
	again, sum, _ := look(t, client(t, h), "com", places(list...))
	if first != again || sum.Rows < 5_000 {
		t.Errorf("two runs differ, %d rows", sum.Rows)
	}
	p, _ := shard.ParsePattern("com", false)
	s := Search{Query: shard.Host(p), Selection: ccindex.SelectAll(), Files: client(t, h), Jobs: 16, Unordered: true, OnFailure: func(err error) { t.Error(err) }}
	var mu sync.Mutex
	counts := map[string]int{}
	if _, err := s.Run(t.Context(), places(list...), func(f Found) error {
		mu.Lock()
		defer mu.Unlock()
		for line := range strings.Lines(string(f.Lines)) {
			counts[line]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for line := range strings.Lines(first) {
		want[line]++
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("unordered rows differ")
	}
}
