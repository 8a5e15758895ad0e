package webstream

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/retry/retrytest"
	"github.com/open-index/ccnews/lib/transport"
)

// source is what a server has. It is served by [http.ServeContent], which answers
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

// answer is how a server behaves for one request.
type answer func(w http.ResponseWriter, r *http.Request, src source)

func honest(w http.ResponseWriter, r *http.Request, src source) {
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
func after(n int, then, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		a(&brokenWriter{w, n, func() { then(w, r, src) }}, r, src)
	}
}

func cut(n int) answer { return after(n, hangUp, honest) }

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
func asking(value string, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		r = r.Clone(r.Context())
		r.Header.Set("Range", value)
		a(w, r, src)
	}
}

// without answers as if the client had not sent the header fields.
func without(a answer, fields ...string) answer {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		r = r.Clone(r.Context())
		for _, field := range fields {
			r.Header.Del(field)
		}
		a(w, r, src)
	}
}

// serving answers from another source.
func serving(other source, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request, _ source) { a(w, r, other) }
}

// altered sets header fields, "" removes one, just before the header is sent.
func altered(a answer, fields map[string]string) answer {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		a(&headerWriter{w, fields}, r, src)
	}
}

type headerWriter struct {
	http.ResponseWriter
	fields map[string]string
}

func (w *headerWriter) WriteHeader(status int) {
	for field, value := range w.fields {
		if w.Header().Del(field); value != "" {
			w.Header().Set(field, value)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *headerWriter) Flush() { w.ResponseWriter.(http.Flusher).Flush() }

// chunked is a body without a length.
func chunked(a answer) answer { return altered(a, map[string]string{"Content-Length": ""}) }

func status(code int, fields ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ source) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(code)
		if code >= 400 {
			io.WriteString(w, "<html>no archive</html>")
		}
	}
}

// raw writes text and then n bytes of the source onto the connection, and closes
// or resets it.
func raw(text string, n int, reset bool) answer {
	return func(w http.ResponseWriter, _ *http.Request, src source) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, text)
		conn.Write(src.data[:n])
		if reset {
			time.Sleep(100 * time.Millisecond) // a reset may overtake bytes that were not read
			conn.(*net.TCPConn).SetLinger(0)
		}
	}
}

// script is a server that answers each request in turn, and honestly at the end.
type script struct {
	*httptest.Server
	mu       sync.Mutex
	src      source
	answers  []answer
	requests []*http.Request
}

func serve(t testing.TB, src source, answers ...answer) *script {
	s := &script{src: src, answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	next := answer(honest)
	if i := len(s.requests); i < len(s.answers) {
		next = s.answers[i]
	}
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	next(w, r, s.src)
}

// ranges lists the Range of each request, "-" where there was none.
func (s *script) ranges() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ranges []string
	for _, r := range s.requests {
		value := strings.TrimPrefix(r.Header.Get("Range"), "bytes=")
		if value == "" {
			value = "-"
		}
		ranges = append(ranges, value)
	}
	return strings.Join(ranges, " ")
}

// options never wait in earnest between tries, and keep no connection.
func options(t testing.TB) (Options, *retrytest.Clock) {
	clock := new(retrytest.Clock)
	kept := transport.New(maxIdle, 10*time.Second)
	t.Cleanup(kept.CloseIdleConnections)
	return Options{
		Retry:     retry.Policy{Tries: 5, Clock: clock, Random: func() float64 { return 0.5 }},
		Stall:     10 * time.Second,
		Transport: kept,
	}, clock
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
func repeated(a answer) []answer { return slices.Repeat([]answer{a}, 100) }
