package rangeread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

func TestOpeningAndTailCostOneRequestEach(t *testing.T) {
	noGoroutineLeft(t)
	for size, shards := range map[int64]int64{length: 20, -1: 353} {
		w := newWorld(t, src, Options{Transport: transport.New(DefaultMaxInFlight, transport.HeaderTimeout)})
		var group sync.WaitGroup
		for range shards {
			group.Go(func() {
				f, err := w.client.Open(t.Context(), w.hub.URL+path, size)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				var readers sync.WaitGroup
				for _, off := range []int64{length - 8, length - DefaultTail, length - 5000} {
					readers.Go(func() { checkRead(t, f, off, 8) })
				}
				readers.Wait()
			})
		}
		group.Wait()
		stats := w.client.Stats()
		if stats != (Stats{Resolver: shards, Storage: shards, Bytes: shards * (DefaultTail + int64(len(found)))}) {
			t.Errorf("size %d: %+v", size, stats)
		}
		if int64(w.hub.count()) != shards || int64(w.store.count()) != shards {
			t.Errorf("size %d: %d and %d requests arrived", size, w.hub.count(), w.store.count())
		}
		if got := w.store.ranges(); strings.ReplaceAll(got, "34464-99999! ", "") != "34464-99999!" {
			t.Errorf("size %d: ranges %s", size, got)
		}
	}
}

// checkRead reads n bytes at off.
func checkRead(t *testing.T, r io.ReaderAt, off int64, n int) {
	t.Helper()
	p := make([]byte, n)
	if got, err := r.ReadAt(p, off); got != n || err != nil || !bytes.Equal(p, src.Data[off:off+int64(n)]) {
		t.Errorf("%d bytes at %d: %d, %v", n, off, got, err)
	}
}

func TestReadsBesideTheTail(t *testing.T) {
	w := newWorld(t, src, Options{Tail: 1000})
	f := w.open(t, length)
	if w.hub.count() != 0 {
		t.Error("Open sent a request")
	}
	checkRead(t, f, 0, 100)
	checkRead(t, f, 98000, 1500) // in front of the tail, and into it
	checkRead(t, f, 99400, 600)  // not held until now
	checkRead(t, f, 98900, 200)  // in front, and held
	if got := w.store.ranges(); got != "0-99! 98000-99499 99000-99999 98900-98999" {
		t.Errorf("ranges %s", got)
	}
	if stats := w.client.Stats(); stats != (Stats{Resolver: 1, Storage: 4, Bytes: int64(len(found)) + 100 + 1500 + 1000 + 100}) {
		t.Errorf("%+v", stats)
	}
}

func TestIsAReaderAt(t *testing.T) {
	for _, tail := range []int64{-1, 1, 200, 5000} {
		short := newSource(1, 300)
		w := newWorld(t, short, Options{Tail: tail})
		f := w.open(t, -1)
		checkEnds(t, f, 300)
		if err := iotest.TestReader(io.NewSectionReader(f, 0, f.Size()), short.Data); err != nil {
			t.Errorf("tail %d: %v", tail, err)
		}
	}
}

// checkEnds reads around the end of a source.
func checkEnds(t *testing.T, r Source, size int64) {
	t.Helper()
	for _, tt := range []struct {
		off  int64
		n    int
		want int
		err  error
	}{
		{size, 1, 0, io.EOF}, {size + 5, 1, 0, io.EOF}, {size - 3, 5, 3, io.EOF}, {size - 3, 3, 3, nil},
		{size, 0, 0, nil}, {0, 0, 0, nil}, {math.MaxInt64 - 2, 8, 0, io.EOF}, {0, int(size) + 1, int(size), io.EOF},
	} {
		n, err := r.ReadAt(make([]byte, tt.n), tt.off)
		if n != tt.want || err != tt.err {
			t.Errorf("%d bytes at %d: %d, %v", tt.n, tt.off, n, err)
		}
	}
	if n, err := r.ReadAt(make([]byte, 4), -1); n != 0 || err == nil || err == io.EOF {
		t.Errorf("before the start: %d, %v", n, err)
	}
	if r.Size() != size {
		t.Errorf("size %d", r.Size())
	}
}

func TestUnknownSize(t *testing.T) {
	noGoroutineLeft(t)
	short, empty := newSource(1, 300), newSource(1, 0)
	silent := []string{"X-Linked-Size", ""}
	for _, tt := range []struct {
		name    string
		src     source
		hub     []string // fields of its redirect
		answers []behaviour
		size    int64
		ranges  string
		err     error
	}{
		{"the hub knows", src, nil, nil, length, "90000-99999!", nil},
		{"the hub knows that it is short", short, nil, nil, 300, "0-299!", nil},
		{"the hub knows that it is empty", empty, nil, nil, 0, "", nil},
		{"the store knows", src, silent, nil, length, "-10000!", nil},
		{"the store knows that it is short", short, silent, nil, 300, "-10000!", nil},
		{"empty", empty, silent, []behaviour{ignoring}, 0, "-10000!", nil},
		{"empty, 416", empty, silent, repeated(status(416, "Content-Range", "bytes */0")), 0, "-10000! -10000!", nil},
		{"416 of another answer", src, silent, []behaviour{status(416, "Content-Range", "bytes */177")}, length, "-10000! -10000!", nil},
		{"416 that is wrong", src, silent, repeated(status(416, "Content-Range", "bytes */177")), 0, "-10000! -10000!", err416},
		{"cut", src, silent, []behaviour{cut(4000)}, length, "-10000! 94000-99999", nil},
		{"cut at once", src, silent, []behaviour{hangUp}, length, "-10000! -10000!", nil},
		{"no ranges from the end", src, silent, []behaviour{ignoring}, length, "-10000! 90000-99999", nil},
		{"no ranges", src, silent, repeated(ignoring), 0, "-10000! 90000-99999", errAny},
		{"no ranges, short", short, silent, []behaviour{ignoring}, 300, "-10000!", nil},
		{"no ranges, short, chunked", short, silent, []behaviour{chunked(ignoring)}, 300, "-10000!", nil},
		{"no ranges, short, cut", short, silent, []behaviour{after(100, hangUp, ignoring)}, 300, "-10000! -10000", nil},
		{"no ranges, long, chunked", src, silent, repeated(chunked(ignoring)), 0, "-10000!", errAny},
		{"206 not from the end", src, silent, []behaviour{asking("bytes=0-9999", honest)}, length, "-10000! -10000!", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := serve(t, tt.src, honest, tt.answers...)
			w := &world{hub: serve(t, tt.src, toStore(store.URL, tt.hub...)), store: store}
			w.client, _ = newClient(t, Options{Tail: 10000})
			f, err := w.client.Open(t.Context(), w.hub.URL+path, -1)
			if got := store.ranges(); got != tt.ranges {
				t.Errorf("ranges %s; want %s", got, tt.ranges)
			}
			if tt.err != nil || err != nil {
				if tt.err == nil || tt.err != errAny && !errors.Is(err, tt.err) || strings.Contains(err.Error(), "?") {
					t.Errorf("%v; want %v", err, tt.err)
				}
				return
			}
			defer f.Close()
			data, err := io.ReadAll(io.NewSectionReader(f, max(0, tt.size-100), 200))
			if err != nil || f.Size() != tt.size || !bytes.Equal(data, tt.src.Data[max(0, tt.size-100):]) {
				t.Errorf("%d bytes of %d, %v", len(data), f.Size(), err)
			}
			if got := store.ranges(); got != tt.ranges {
				t.Errorf("the tail is not held: %s", got)
			}
		})
	}
}

func TestSizeIsLearntFromTheFirstRead(t *testing.T) {
	server := serve(t, src, honest)
	c, _ := newClient(t, Options{Tail: -1})
	f, err := c.Open(t.Context(), server.URL+"/x", -1)
	if err != nil || f.Size() != -1 {
		t.Fatal(err, f.Size())
	}
	defer f.Close()
	checkRead(t, f, 100, 100)
	if f.Size() != length {
		t.Errorf("size %d", f.Size())
	}
	g, _ := c.Open(t.Context(), server.URL+"/x", -1)
	defer g.Close()
	if n, err := g.ReadAt(make([]byte, 10), length); n != 0 || err != io.EOF || g.Size() != length {
		t.Errorf("behind the end: %d, %v, size %d", n, err, g.Size())
	}
	if got := server.ranges(); got != "100-199! 100000-100009! 100000-100009!" {
		t.Errorf("ranges %s", got)
	}
	if stats := c.Stats(); stats.Resolver != 3 || stats.Storage != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestEndIsKnownAsSoonAsAnotherReadKnowsIt(t *testing.T) {
	c, _ := newClient(t, Options{Tail: -1})
	var f *File
	server := serve(t, src, honest, func(w http.ResponseWriter, r *http.Request, src source) {
		f.learn(length) // as another read does
		honest(w, r, src)
	})
	f, err := c.Open(t.Context(), server.URL, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := f.ReadAt(make([]byte, 10), length+5); n != 0 || err != io.EOF || server.count() != 1 {
		t.Errorf("%d, %v, %d requests", n, err, server.count())
	}
}

func TestAnotherSizeThanAnnouncedIsAChange(t *testing.T) {
	w := newWorld(t, longer, Options{})
	f := w.open(t, length)
	_, err := f.ReadAt(make([]byte, 10), 0)
	checkError(t, w, err, ErrChanged)
	if w.hub.count() != 1 || w.store.count() != 0 {
		t.Errorf("%d and %d requests", w.hub.count(), w.store.count())
	}
}

func TestSmallFileOfAServerWithoutRanges(t *testing.T) {
	short := newSource(1, 3000)
	server := serve(t, short, ignoring)
	c, _ := newClient(t, Options{})
	f, err := c.Open(t.Context(), server.URL, 3000)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checkRead(t, f, 1000, 100)
	checkRead(t, f, 0, 3000)
	if server.count() != 1 {
		t.Errorf("%d requests", server.count())
	}
}

func TestResolverFailures(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []behaviour
		also    []int
		hub     int
		err     error
	}{
		{"404", []behaviour{status(404, "X-Error-Code", "EntryNotFound", "X-Error-Message", "Entry not found")}, nil, 1, err404},
		{"403", []behaviour{status(403)}, nil, 1, err403},
		{"403 of Common Crawl", []behaviour{status(403), status(403)}, []int{403}, 3, nil},
		{"429", []behaviour{status(429, "RateLimit", `"resolvers";r=0;t=100`)}, nil, 2, nil},
		{"504 for ever", repeated(status(504)), nil, 5, later},
		{"429 for long", repeated(status(429, "Retry-After", "3600")), nil, 1, later},
		{"no Location", []behaviour{status(302)}, nil, 1, errAny},
		{"Location of another scheme", []behaviour{status(302, "Location", "file:///etc/passwd?Signature=1")}, nil, 1, errAny},
		{"Location that is no URL", []behaviour{status(302, "Location", "http://[::1?Signature=1")}, nil, 1, errAny},
		{"redirected for ever", repeated(status(302, "Location", "?Signature=1")), nil, maxRedirects + 1, errAny},
		{"mirror of the hub", []behaviour{status(308, "Location", "/api/resolve-cache/datasets%2Fa?etag=%22..%22")}, nil, 2, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, src, Options{Retry: retry.Policy{Also: tt.also}})
			w.hub.Then(tt.answers...)
			f := w.open(t, length)
			_, err := f.ReadAt(make([]byte, 10), 0)
			checkError(t, w, err, tt.err)
			if w.hub.count() != tt.hub {
				t.Errorf("%d requests; want %d", w.hub.count(), tt.hub)
			}
			if tt.name == "404" && !strings.HasSuffix(err.Error(), `.parquet: bytes 0-9: 404 Not Found ("Entry not found")`) {
				t.Errorf("error %v", err)
			}
			if tt.name == "429" && w.clock.Waits()[0] < 101*time.Second {
				t.Errorf("waits %v", w.clock.Waits())
			}
		})
	}
}

func TestRefusedAddressIsResolvedOnceForAllReaders(t *testing.T) {
	w := newWorld(t, src, Options{Tail: -1})
	var version atomic.Int64
	w.hub.Usual = func(rw http.ResponseWriter, r *http.Request, src source) {
		toStore(w.store.URL, "Location", fmt.Sprintf("%s/%d?%s", w.store.URL, version.Load(), signature))(rw, r, src)
	}
	var arrived sync.WaitGroup
	arrived.Add(4)
	w.store.Usual = func(rw http.ResponseWriter, r *http.Request, src source) {
		if r.URL.Path != fmt.Sprintf("/%d", version.Load()) {
			arrived.Done()
			arrived.Wait()
			rw.WriteHeader(http.StatusForbidden)
			return
		}
		honest(rw, r, src)
	}
	f := w.open(t, length)
	checkRead(t, f, 0, 10)
	old := f.remembered()
	version.Add(1)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() { checkRead(t, f, int64(1000*i), 100) })
	}
	group.Wait()
	if stats := w.client.Stats(); stats.Resolver != 2 || stats.Storage != 1+4+4 || len(w.clock.Waits()) != 0 {
		t.Errorf("%+v, waits %v", stats, w.clock.Waits())
	}
	f.misfit(old, err403) // of a reader that comes late
	checkRead(t, f, 0, 10)
	if n := w.hub.count(); n != 2 {
		t.Errorf("%d requests to the hub", n)
	}
}

// Two stores may have two ETags for one version.
func TestACutBodyIsNotCompletedByAnotherStore(t *testing.T) {
	twin := source{Data: src.Data, ETag: `"twin"`}
	second := serve(t, twin, honest)
	w := newWorld(t, src, Options{Tail: -1})
	f := w.open(t, length)
	checkRead(t, f, 0, 10)
	w.store.Then(status(403))
	w.hub.Then(toStore(second.URL))
	checkRead(t, f, 10000, 1000)
	second.Then(cut(400), status(403))
	checkRead(t, f, 20000, 1000)
	if got := second.ranges(); got != "10000-10999! 20000-20999 20400-20999" {
		t.Errorf("ranges at the second %s", got)
	}
	if got := w.store.ranges(); got != "0-9! 10000-10999 20000-20999" {
		t.Errorf("ranges at the first %s", got)
	}
}

func TestAlsoIsNotForStores(t *testing.T) {
	w := newWorld(t, src, Options{Retry: retry.Policy{Also: []int{403}}})
	w.store.Usual = status(403)
	_, err := w.open(t, length).ReadAt(make([]byte, 10), 0)
	checkError(t, w, err, err403)
	if w.hub.count() != 2 || w.store.count() != 2 {
		t.Errorf("%d and %d requests", w.hub.count(), w.store.count())
	}
}

func TestContextAndClose(t *testing.T) {
	noGoroutineLeft(t)
	w := newWorld(t, src, Options{Tail: -1})
	ctx, cancel := context.WithCancel(t.Context())
	w.store.Then(func(_ http.ResponseWriter, r *http.Request, _ source) { cancel(); <-r.Context().Done() })
	f, err := w.client.Open(ctx, w.hub.URL+path, length)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.ReadAt(make([]byte, 10), 0)
	checkError(t, w, err, context.Canceled)

	g := w.open(t, length)
	w.store.Then(func(_ http.ResponseWriter, r *http.Request, _ source) { g.Close(); <-r.Context().Done() })
	for range 2 {
		if _, err = g.ReadAt(make([]byte, 10), 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if _, err := g.Prefetch([]Range{{0, 10}}, 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Handshakes cost more than small ranges do.
func TestConnectionsAreUsedAgain(t *testing.T) {
	noGoroutineLeft(t)
	store := serve(t, src, honest)
	hub := serve(t, src, toStore(store.URL))
	var opened atomic.Int64
	kept := transport.New(DefaultMaxInFlight, transport.HeaderTimeout)
	dial := kept.DialContext
	kept.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		opened.Add(1)
		return dial(ctx, network, address)
	}
	c := New(Options{Transport: kept})
	defer c.Close()
	for range 5 {
		f, err := c.Open(t.Context(), hub.URL+path, -1)
		if err != nil {
			t.Fatal(err)
		}
		checkRead(t, f, 0, 1000)
		checkRead(t, f, 5000, 1000)
		f.Close()
	}
	if opened.Load() != 2 || c.Stats() != (Stats{Resolver: 5, Storage: 15, Bytes: 5 * (int64(len(found)) + DefaultTail + 2000)}) {
		t.Errorf("%d connections, %+v", opened.Load(), c.Stats())
	}
}

func TestOpenRefusesWhatIsNoURL(t *testing.T) {
	c := New(Options{})
	for _, address := range []string{"", "x", "/x", "ftp://x/y", "https:///y", "http://[::1?Signature=1", "http://me:secret@x/y?Signature=1"} {
		_, err := c.Open(t.Context(), address, 1)
		if err == nil || strings.Contains(err.Error(), "Signature") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
