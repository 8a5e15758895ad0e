package webstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport/transporttest"
)

// fuzzFaults are what a server may do to one answer, as far as it can be noticed
// at all: it may fail, and it may lack knowledge, but it does not lie. Each takes
// the answer that it spoils and a number.
var fuzzFaults = []func(a answer, n int) answer{
	func(a answer, n int) answer { return a },
	func(a answer, n int) answer { return after(n, hangUp, a) },
	func(a answer, n int) answer { return after(n%10, hangUp, a) },
	func(a answer, n int) answer { return chunked(after(n, hangUp, a)) },
	func(a answer, n int) answer { return chunked(a) },
	func(answer, int) answer { return hangUp },
	func(answer, int) answer { return status(503) },
	func(answer, int) answer { return status(429, "Retry-After", "3") },
	func(answer, int) answer { return status(404) },
	func(a answer, n int) answer { return without(a, "Range") },
	func(a answer, n int) answer { return without(a, "If-Range") },
	func(a answer, n int) answer { return altered(a, noTags...) },
	func(a answer, n int) answer { return altered(a, "ETag", `W/"1"`) },
	func(a answer, n int) answer { return altered(a, "Content-Range", "") },
	func(answer, int) answer { return status(416, "Content-Range", "bytes */177") },
	func(answer, int) answer { return raw("HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n", 500, false) },
}

// fuzzScript reads a server's answers out of data, three bytes each: the state of
// the source that it serves, two faults on top of each other, and their number.
func fuzzScript(data []byte, states []source) []answer {
	var answers []answer
	for ; len(data) >= 3; data = data[3:] {
		kind, n := int(data[1]), int(data[2])*4
		a := fuzzFaults[kind%16](fuzzFaults[kind/16](honest, n), n)
		answers = append(answers, serving(states[min(int(data[0])/64, len(states)-1)], a))
	}
	return answers
}

// fuzzStates are one source in time: tags change with the bytes, and the third
// begins like the first.
func fuzzStates() []source {
	first, second := newSource(1, 1000), newSource(2, 1000)
	third := source{Data: slices.Concat(first.Data[:400], second.Data[400:]), ETag: `"v3"`}
	return []source{first, second, third, newSource(4, 900)}
}

// Whatever a server does, what comes out is all the bytes of one state of the
// source, or a named error after the first bytes of one.
func FuzzEachByteComesOnceOrAnErrorDoes(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x01\x20", "\x00\x01\x20\x00\x09\x20", "\x00\x0b\x20\x80\x10\x20", "\x00\x1b\x20\x80\x0b\x00",
		"\x00\x1b\x64\xb0\x1b\xa0\x00\x01\x30", "\x00\x03\x10\x00\x04\x10", "\x00\x01\x20\x40\x1a\x20", "\x00\x05\x00\x00\x06\x00\x00\x07\x00",
		"\x00\x01\x20\x00\x0d\x20\x00\x01\x50\x00\x0e\x00", "\x00\x1c\x20\xc0\x00\x00", "\x00\x0f\x00\x00\x0f\x00", "\x00\x2b\x20\x00\x2b\x21",
	} {
		f.Add([]byte(seed))
	}
	states := fuzzStates()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 60 {
			return
		}
		server, opt := serveInMemory(t, states[0], fuzzScript(data, states))
		got, size, err := readAll(t.Context(), server.URL, opt)
		if err := oneState(states, got, size, err); err != nil {
			t.Errorf("%v, requests %s", err, server.ranges())
		}
	})
}

func serveInMemory(t *testing.T, src source, answers []answer) (script, Options) {
	listener := transporttest.NewMemory()
	server := script{transporttest.NewScript(src, honest, answers...)}
	server.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: server}}
	server.Start()
	t.Cleanup(server.Close)
	opt, _ := options(t)
	opt.Transport.(*http.Transport).DialContext = listener.Dial
	return server, opt
}

func oneState(states []source, got []byte, size int64, err error) error {
	_, passes := errors.AsType[*retry.LaterError](err)
	_, status := errors.AsType[*retry.StatusError](err)
	if err != nil && !passes && !status && !errors.Is(err, ErrChanged) {
		return fmt.Errorf("error without a name: %w", err)
	}
	whole := err == nil
	if whole && size >= 0 && size != int64(len(got)) {
		return fmt.Errorf("%d bytes, announced %d", len(got), size)
	}
	for _, s := range states {
		if whole && bytes.Equal(got, s.Data) || !whole && bytes.HasPrefix(s.Data, got) {
			return nil
		}
	}
	return fmt.Errorf("%d bytes are of no state of the source: error %w", len(got), err)
}

func BenchmarkStream(b *testing.B) {
	big := newSource(1, 64<<20)
	server := serve(b, big)
	opt, _ := options(b)
	b.Run("stream", func(b *testing.B) {
		b.SetBytes(int64(len(big.Data)))
		for b.Loop() {
			s, err := Open(b.Context(), server.URL, opt)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, s); err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
	b.Run("net/http", func(b *testing.B) {
		b.SetBytes(int64(len(big.Data)))
		for b.Loop() {
			resp, err := (&http.Client{Transport: opt.Transport}).Get(server.URL)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}
