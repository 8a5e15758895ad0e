package webstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

func TestDropsAnywhere(t *testing.T) {
	noGoroutineLeft(t)
	random := rand.New(rand.NewPCG(4, 20260701))
	for range 100 {
		var answers []answer
		for range random.IntN(12) {
			a := cut(random.IntN(length / 4))
			if random.IntN(4) == 0 {
				a = without(cut(random.IntN(length)), "Range")
			}
			answers = append(answers, a)
		}
		server := serve(t, src, answers...)
		opt, _ := options(t)
		opt.Retry.Tries = len(answers) + 1
		data, size, err := readAll(t.Context(), server.URL, opt)
		if err != nil || size != length || !bytes.Equal(data, src.Data) {
			t.Errorf("requests %s: %d bytes of %d, %v", server.ranges(), len(data), size, err)
		}
		server.Close()
	}
}

// More failures than tries are no matter while bytes come in between.
func TestProgressBeginsAnew(t *testing.T) {
	server := serve(t, src, slices.Repeat([]answer{cut(1000), hangUp}, 40)...)
	opt, clock := options(t)
	opt.Retry.Tries = 3
	data, _, err := readAll(t.Context(), server.URL, opt)
	checkBytes(t, data, err, nil)
	if waits := clock.Waits(); err != nil || len(waits) != 80 || slices.Max(waits) != time.Second {
		t.Errorf("%v, %v", waits, err)
	}
}

func TestServerDecidesTheWait(t *testing.T) {
	tests := []struct {
		answer answer
		wait   time.Duration
		err    error
	}{
		{status(429, "Retry-After", "7"), 7500 * time.Millisecond, nil},
		{status(503, "Retry-After", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat)), 0, nil},
		{status(429, "RateLimit", `"resolvers";r=0;t=4`), 5500 * time.Millisecond, nil},
		{status(429, "RateLimit", `"api";r=949;t=271`), 500 * time.Millisecond, nil},
		{status(429, "Retry-After", "3600"), 0, later},
	}
	for i, tt := range tests {
		server := serve(t, src, tt.answer)
		opt, clock := options(t)
		data, _, err := readAll(t.Context(), server.URL, opt)
		waits := clock.Waits()
		if !matches(err, tt.err) || tt.err == nil && (len(waits) != 1 || tt.wait != 0 && waits[0] != tt.wait) {
			t.Errorf("%d: waits %v, %v", i, waits, err)
		}
		if tt.err == nil && !bytes.Equal(data, src.Data) || tt.err != nil && len(waits) != 0 {
			t.Errorf("%d: %d bytes, waits %v", i, len(data), waits)
		}
	}
}

func TestForbiddenPassesWhereTheCallerSaysSo(t *testing.T) {
	server := serve(t, src, status(403), cut(10), status(403))
	opt, _ := options(t)
	opt.Retry.Also = []int{http.StatusForbidden}
	data, _, err := readAll(t.Context(), server.URL, opt)
	checkBytes(t, data, err, nil)
	if err != nil || server.ranges() != "- - 10- 10-" {
		t.Errorf("requests %s, %v", server.ranges(), err)
	}
}

func TestStall(t *testing.T) {
	noGoroutineLeft(t)
	server := serve(t, src, after(20000, hang, honest), after(0, hang, honest))
	opt, _ := options(t)
	opt.Stall = 200 * time.Millisecond
	var waits []string
	opt.Retry.OnWait = func(w retry.Wait) { waits = append(waits, w.String()) }
	data, _, err := readAll(t.Context(), server.URL, opt)
	checkBytes(t, data, err, nil)
	want := []string{
		server.URL + ": offset 20000: stalled: no byte for 200ms; try 2 of 5 in 500ms",
		server.URL + ": offset 20000: stalled: no byte for 200ms; try 3 of 5 in 1s",
	}
	if err != nil || !slices.Equal(waits, want) || server.ranges() != "- 20000- 20000-" {
		t.Errorf("requests %s, waits %q, %v", server.ranges(), waits, err)
	}
}

func TestNoHeader(t *testing.T) {
	noGoroutineLeft(t)
	server := serve(t, src, hang, hang)
	opt, clock := options(t)
	opt.Transport = transport.New(maxIdle, 150*time.Millisecond)
	data, _, err := readAll(t.Context(), server.URL, opt)
	checkBytes(t, data, err, nil)
	opt.Transport.(*http.Transport).CloseIdleConnections()
	if err != nil || len(clock.Waits()) != 2 {
		t.Errorf("waits %v, %v", clock.Waits(), err)
	}
}

// A trickle is no stall, and neither is a reader that takes its time.
func TestSlowIsNotStalled(t *testing.T) {
	small := newSource(5, 40)
	trickle := func(w http.ResponseWriter, _ *http.Request, src source) {
		for _, b := range src.Data {
			w.Write([]byte{b})
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}
	server := serve(t, small, trickle)
	opt, _ := options(t)
	opt.Stall = 300 * time.Millisecond
	data, _, err := readAll(t.Context(), server.URL, opt)
	if err != nil || !bytes.Equal(data, small.Data) || server.ranges() != "-" {
		t.Errorf("requests %s, %d bytes, %v", server.ranges(), len(data), err)
	}

	server = serve(t, src)
	s, err := Open(t.Context(), server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	time.Sleep(400 * time.Millisecond)
	if data, err = io.ReadAll(s); err != nil || !bytes.Equal(data, src.Data) || server.ranges() != "-" {
		t.Errorf("requests %s, %d bytes, %v", server.ranges(), len(data), err)
	}
}

func TestConnectionRefused(t *testing.T) {
	noGoroutineLeft(t)
	server := serve(t, src)
	server.Close()
	opt, clock := options(t)
	_, err := Open(t.Context(), server.URL+"/x", opt)
	if !matches(err, later) || !errors.Is(err, syscall.ECONNREFUSED) || len(clock.Waits()) != 4 {
		t.Errorf("waits %v, %v", clock.Waits(), err)
	}
	if !strings.HasPrefix(err.Error(), server.URL+"/x: given up after 5 tries in 7.5s: dial tcp 127.0.0.1:") {
		t.Errorf("%v", err)
	}
}

func TestMessages(t *testing.T) {
	tests := []struct {
		answers []answer
		want    string
	}{
		{[]answer{status(404)}, ": 404 Not Found"},
		{[]answer{cut(7), status(410)}, ": offset 7: 410 Gone"},
		{append([]answer{cut(7)}, repeated(cut(0))...),
			": offset 7: given up after 5 tries in 7.5s: connection lost: unexpected EOF"},
		{append([]answer{cut(7)}, repeated(status(416))...),
			`: offset 7: 416 Requested Range Not Satisfiable`}, // also without a Range
		{[]answer{cut(7), serving(other, honest)}, `: offset 7: the source has changed: its ETag was "v1" and is "v2"`},
		{[]answer{cut(7), contentRange("bytes 7-8/9")}, `: offset 7: the source has changed: it had 50000 bytes and has 9`},
		{[]answer{altered(honest, "Content-Encoding", "gzip")},
			`: the server sends Content-Encoding "gzip" and not the stored bytes`},
	}
	for _, tt := range tests {
		server := serve(t, src, tt.answers...)
		opt, _ := options(t)
		if _, _, err := readAll(t.Context(), server.URL, opt); err == nil || err.Error() != server.URL+tt.want {
			t.Errorf("%v; want %s", err, tt.want)
		}
	}
}

// A server may label a .gz file as what it is; the bytes are those of the file.
func TestGzipLabel(t *testing.T) {
	for _, coding := range []string{"gzip", "x-gzip"} {
		label := altered(honest, "Content-Encoding", coding)
		server := serve(t, src, after(20000, hangUp, label), label)
		opt, _ := options(t)
		data, _, err := readAll(t.Context(), server.URL+"/x.warc.gz?a=b", opt)
		checkBytes(t, data, err, nil)
		if err != nil || server.ranges() != "- 20000-" {
			t.Errorf("%s: requests %s, %v", coding, server.ranges(), err)
		}
	}
}

func TestContextEndsTheStream(t *testing.T) {
	noGoroutineLeft(t)
	server := serve(t, src, after(20000, hang, honest))
	opt, _ := options(t)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Open(ctx, server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.ReadFull(s, make([]byte, 20000)); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if n, err := io.Copy(io.Discard, s); n != 0 || !errors.Is(err, context.Canceled) || server.ranges() != "-" {
		t.Errorf("requests %s, %d more bytes, %v", server.ranges(), n, err)
	}
	if _, err := Open(ctx, server.URL, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("opened under an ended context: %v", err)
	}
}

func TestStreamIsAReader(t *testing.T) {
	noGoroutineLeft(t)
	server := serve(t, src, cut(100), cut(1000))
	opt, _ := options(t)
	s, err := Open(t.Context(), server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	if s.Size() != length || s.ETag() != src.ETag {
		t.Errorf("size %d, ETag %s", s.Size(), s.ETag())
	}
	if n, err := s.Read(nil); n != 0 || err != nil {
		t.Errorf("nothing read: %d, %v", n, err)
	}
	if err := iotest.TestReader(s, src.Data); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read after Close: %v", err)
	}
}

// A connection whose body is not read to its end is given up at once.
func TestConnectionIsGivenUp(t *testing.T) {
	gone := make(chan struct{})
	waiting := func(w http.ResponseWriter, r *http.Request, src source) {
		hang(w, r, src)
		gone <- struct{}{}
		hangUp(w, r, src)
	}
	forbidden := func(w http.ResponseWriter, r *http.Request, _ source) {
		w.WriteHeader(http.StatusForbidden)
		w.Write(src.Data)
	}
	server := serve(t, src, after(20000, waiting, honest), after(20000, waiting, forbidden))
	opt, _ := options(t)
	s, err := Open(t.Context(), server.URL, opt)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	<-gone
	if _, err := Open(t.Context(), server.URL, opt); !errors.Is(err, ErrForbidden) {
		t.Error(err)
	}
	<-gone
}

// The package's own transport goes on with the connection of a stream that ended.
func TestConnectionIsKept(t *testing.T) {
	conns := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { honest(w, r, src) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns++
		}
	}
	server.Start()
	defer server.Close()
	defer sharedTransport().CloseIdleConnections()
	for range 3 {
		data, _, err := readAll(t.Context(), server.URL, Options{})
		checkBytes(t, data, err, nil)
	}
	if conns != 1 {
		t.Errorf("%d connections", conns)
	}
}
