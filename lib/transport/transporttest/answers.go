// Package transporttest has servers that behave badly in every way that a client of
// ours must survive: they drop, stall, cut, lie about ranges and lengths, change what
// they have. A test lines up an [Answer] for each request.
package transporttest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// Source is what a store has. It is served by [http.ServeContent], which answers
// Range and If-Range by the book.
type Source struct {
	Data     []byte
	ETag     string
	Modified time.Time // zero: none
}

// NewSource is n random bytes, the same for the same seed.
func NewSource(seed uint64, n int) Source {
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	data := make([]byte, n)
	random.Read(data)
	return Source{Data: data, ETag: fmt.Sprintf(`"v%d"`, seed)}
}

// Answer is how a server behaves for one request.
type Answer func(w http.ResponseWriter, r *http.Request, src Source)

// Honest is a store: it refuses what the hub's token comes to, as the real ones do.
func Honest(w http.ResponseWriter, r *http.Request, src Source) {
	if r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if src.ETag != "" {
		w.Header().Set("ETag", src.ETag)
	}
	http.ServeContent(w, r, "", src.Modified, bytes.NewReader(src.Data))
}

// HangUp closes the connection without an answer, or in the middle of one.
func HangUp(http.ResponseWriter, *http.Request, Source) { panic(http.ErrAbortHandler) }

// Hang says nothing more until the client goes away.
func Hang(_ http.ResponseWriter, r *http.Request, _ Source) { <-r.Context().Done() }

// After lets a body go on as then does after n bytes.
func After(n int, then, a Answer) Answer {
	return func(w http.ResponseWriter, r *http.Request, src Source) {
		a(&brokenWriter{w, n, func() { then(w, r, src) }}, r, src)
	}
}

// Cut is honest for n bytes of a body, and then hangs up.
func Cut(n int) Answer { return After(n, HangUp, Honest) }

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

// Asking answers as if the client had asked for another range.
func Asking(value string, a Answer) Answer {
	return func(w http.ResponseWriter, r *http.Request, src Source) {
		r = r.Clone(r.Context())
		r.Header.Set("Range", value)
		a(w, r, src)
	}
}

// Without answers as if the client had not sent the header fields.
func Without(a Answer, fields ...string) Answer {
	return func(w http.ResponseWriter, r *http.Request, src Source) {
		r = r.Clone(r.Context())
		for _, field := range fields {
			r.Header.Del(field)
		}
		a(w, r, src)
	}
}

// Serving answers from another source.
func Serving(other Source, a Answer) Answer {
	return func(w http.ResponseWriter, r *http.Request, _ Source) { a(w, r, other) }
}

// Altered sets header fields, "" removes one, just before the header is sent.
func Altered(a Answer, fields ...string) Answer {
	return func(w http.ResponseWriter, r *http.Request, src Source) {
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

// Chunked is a body without a length.
func Chunked(a Answer) Answer {
	return Altered(a, "Content-Length", "", "Transfer-Encoding", "chunked")
}

// Status answers so, with header fields in pairs of name and value.
func Status(code int, fields ...string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Source) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(code)
		if code >= 400 {
			io.WriteString(w, "no file")
		}
	}
}

// Ignoring is a server that knows no ranges.
var Ignoring = Without(Honest, "Range")

// Raw writes text and then n bytes of the source onto the connection, and closes
// or resets it.
func Raw(text string, n int, reset bool) Answer {
	return func(w http.ResponseWriter, _ *http.Request, src Source) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, text)
		conn.Write(src.Data[:n])
		if reset {
			time.Sleep(100 * time.Millisecond) // a reset may overtake bytes that were not read
			conn.(*net.TCPConn).SetLinger(0)
		}
	}
}
