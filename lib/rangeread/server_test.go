package rangeread

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/retry/retrytest"
	"github.com/open-index/ccnews/lib/transport"
)

// source is what a store has. It is served by [http.ServeContent], which answers
// Range and If-Range by the book.
type source struct {
	data     []byte
	etag     string
	modified time.Time // zero: none
}

func newSource(seed uint64, n int) source {
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	data := make([]byte, n)
	random.Read(data)
	return source{data: data, etag: fmt.Sprintf(`"v%d"`, seed)}
}

// behaviour is how a server behaves for one request.
type behaviour func(w http.ResponseWriter, r *http.Request, src source)

// honest is a store: it refuses what the hub's token comes to, as the real ones do.
func honest(w http.ResponseWriter, r *http.Request, src source) {
	if r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if src.etag != "" {
		w.Header().Set("ETag", src.etag)
	}
	http.ServeContent(w, r, "", src.modified, bytes.NewReader(src.data))
}

// hangUp closes the connection without an answer, or in the middle of one.
func hangUp(http.ResponseWriter, *http.Request, source) { panic(http.ErrAbortHandler) }

// hang says nothing more until the client goes away.
func hang(_ http.ResponseWriter, r *http.Request, _ source) { <-r.Context().Done() }

// after lets a body go on as then does after n bytes.
func after(n int, then, a behaviour) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		a(&brokenWriter{w, n, func() { then(w, r, src) }}, r, src)
	}
}

func cut(n int) behaviour { return after(n, hangUp, honest) }

type brokenWriter struct {
	http.ResponseWriter
	left int
	then func()
}

func (w *brokenWriter) Write(b []byte) (int, error) {
	n, _ := w.ResponseWriter.Write(b[:min(len(b), w.left)])
	if w.left -= n; n < len(b) {
		w.ResponseWriter.(http.Flusher).Flush()
		w.then()
	}
	return len(b), nil
}

// asking answers as if the client had asked for another range.
func asking(value string, a behaviour) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		r = r.Clone(r.Context())
		r.Header.Set("Range", value)
		a(w, r, src)
	}
}

// without answers as if the client had not sent the header fields.
func without(a behaviour, fields ...string) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		r = r.Clone(r.Context())
		for _, field := range fields {
			r.Header.Del(field)
		}
		a(w, r, src)
	}
}

// serving answers from another source.
func serving(other source, a behaviour) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ source) { a(w, r, other) }
}

// altered sets header fields, "" removes one, just before the header is sent.
func altered(a behaviour, fields ...string) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		a(&headerWriter{w, fields}, r, src)
	}
}

type headerWriter struct {
	http.ResponseWriter
	fields []string
}

func (w *headerWriter) WriteHeader(status int) {
	for i := 0; i < len(w.fields); i += 2 {
		if w.Header().Del(w.fields[i]); w.fields[i+1] != "" {
			w.Header().Set(w.fields[i], w.fields[i+1])
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *headerWriter) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

// chunked is a body without a length.
func chunked(a behaviour) behaviour {
	return altered(a, "Content-Length", "", "Transfer-Encoding", "chunked")
}

func status(code int, fields ...string) behaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ source) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(code)
		if code >= 400 {
			io.WriteString(w, "no file")
		}
	}
}

// ignoring is a server that knows no ranges.
var ignoring = without(honest, "Range")

// script is a server that answers each request in turn, and as it usually does at
// the end.
type script struct {
	*httptest.Server
	mu       sync.Mutex
	src      source
	usual    behaviour
	answers  []behaviour
	requests []*http.Request
}

func serve(t testing.TB, src source, usual behaviour, answers ...behaviour) *script {
	s := &script{src: src, usual: usual, answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	next := s.usual
	if i := len(s.requests); i < len(s.answers) {
		next = s.answers[i]
	}
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	next(w, r, s.src)
}

// then has the server answer the next requests so.
func (s *script) then(answers ...behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.answers) < len(s.requests) {
		s.answers = append(s.answers, s.usual)
	}
	s.answers = append(s.answers[:len(s.requests)], answers...)
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// ranges lists the Range of each request; ! marks one without If-Range.
func (s *script) ranges() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ranges []string
	for _, r := range s.requests {
		value := strings.TrimPrefix(r.Header.Get("Range"), "bytes=")
		if r.Header.Get("If-Range") == "" {
			value += "!"
		}
		ranges = append(ranges, value)
	}
	return strings.Join(ranges, " ")
}

// signature holds what is lost where a query is parsed and built again.
const signature = "Policy=a~b%7Ec+d&Signature=x%2Fy&Key-Pair-Id=K&&b=2&a=1"

// toStore is a hub: it answers with where the bytes are, and knows their size.
func toStore(store string, fields ...string) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		w.Header().Set("Location", store+"/xet/o%7E~1?"+signature)
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(src.data)))
		w.Header().Set("X-Linked-ETag", `"not the ETag of the store"`)
		w.Header().Set("RateLimit", `"resolvers";r=2990;t=217`)
		altered(func(w http.ResponseWriter, _ *http.Request, _ source) {
			w.WriteHeader(http.StatusFound)
			io.WriteString(w, found)
		}, fields...)(w, r, src)
	}
}

// found is the body of a redirect.
const found = "Found. Redirecting"

// world is a hub and a store, on two ports of one host.
type world struct {
	hub, store *script
	clock      *retrytest.Clock
	client     *Client
}

const path = "/datasets/a/b/resolve/0f/data/c%23/a%2520b%20+%3F.parquet"

func newWorld(t testing.TB, src source, opt Options) *world {
	store := serve(t, src, honest)
	w := &world{hub: serve(t, src, toStore(store.URL)), store: store}
	w.client, w.clock = newClient(t, opt)
	return w
}

func (w *world) open(t testing.TB, size int64) *File {
	t.Helper()
	f, err := w.client.Open(t.Context(), w.hub.URL+path, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// newClient never waits in earnest between tries. It keeps no connections, because
// net/http sends a request again by itself if a kept one breaks.
func newClient(t testing.TB, opt Options) (*Client, *retrytest.Clock) {
	if opt.Transport == nil {
		kept := transport.New(DefaultMaxInFlight, transport.HeaderTimeout)
		kept.DisableKeepAlives = true
		opt.Transport = kept
	}
	clock := new(retrytest.Clock)
	opt.Retry.Tries, opt.Retry.Clock = 5, clock
	opt.Retry.Random = func() float64 { return 0.5 }

	c := New(opt)
	t.Cleanup(c.Close)
	return c, clock
}

// noGoroutineLeft holds after all cleanups that are registered later.
func noGoroutineLeft(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			}
		}
	})
}

// repeated is an answer that never changes, as far as tests can tell.
func repeated(a behaviour) []behaviour { return slices.Repeat([]behaviour{a}, 100) }
