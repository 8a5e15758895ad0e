package rangeread

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/transport"
	"github.com/open-index/ccnews/lib/transport/transporttest"
)

// fuzzFaults are what a store may do to one answer, as far as it can be noticed at
// all: it may fail, but it does not lie. Each takes the answer that it spoils and
// a number.
var fuzzFaults = []func(a behaviour, n int) behaviour{
	func(a behaviour, n int) behaviour { return a },
	func(a behaviour, n int) behaviour { return after(n, hangUp, a) },
	func(a behaviour, n int) behaviour { return chunked(after(n, hangUp, a)) },
	func(a behaviour, n int) behaviour { return chunked(a) },
	func(behaviour, int) behaviour { return hangUp },
	func(behaviour, int) behaviour { return status(503) },
	func(behaviour, int) behaviour { return status(429, "Retry-After", "3") },
	func(behaviour, int) behaviour { return status(403) },
	func(a behaviour, n int) behaviour { return without(a, "Range") },
	func(a behaviour, n int) behaviour { return without(a, "If-Range") },
	func(a behaviour, n int) behaviour { return asking(fmt.Sprintf("bytes=%d-%d", n, 2*n), a) },
	func(a behaviour, n int) behaviour { return altered(a, "Content-Range", "") },
	func(a behaviour, n int) behaviour { return altered(a, "Content-Encoding", "gzip") },
	func(behaviour, int) behaviour { return status(416, "Content-Range", "bytes */177") },
	func(behaviour, int) behaviour { return status(307, "Location", "/again") },
	func(behaviour, int) behaviour { return status(200) },
}

// fuzzVersions are one file in time: tags change with the bytes, and the third
// version begins like the first.
func fuzzVersions() []source {
	first, second := newSource(1, 1000), newSource(2, 1000)
	third := source{Data: slices.Concat(first.Data[:400], second.Data[400:]), ETag: `"v3"`}
	return []source{first, second, third, newSource(4, 900)}
}

// fuzzScript reads a store's answers out of data, three bytes each: the version
// that it serves, two faults on top of each other, and their number.
func fuzzScript(data []byte, versions []source) []behaviour {
	var answers []behaviour
	for ; len(data) >= 3; data = data[3:] {
		kind, n := int(data[1]), int(data[2])*4
		a := fuzzFaults[kind%16](fuzzFaults[kind/16](honest, n), n)
		answers = append(answers, serving(versions[min(int(data[0])/64, len(versions)-1)], a))
	}
	return answers
}

// Whatever a store does, the bytes of all reads are those of one version of the
// file, or an error comes in their place.
func FuzzEachReadIsOfOneVersionOrAnError(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x01\x20", "\x00\x00\x00\x40\x00\x00", "\x00\x01\x20\x40\x09\x00", "\x00\x01\x05\x80\x09\x00", "\x00\x08\x00",
		"\x00\x0d\x00\x00\x0d\x00", "\x00\x0a\x40\x00\x0b\x00", "\xc0\x00\x00\x00\x08\x00", "\x00\x0e\x00\x00\x07\x00", "\x00\x0f\x00",
		"\x00\x18\x20\x00\x03\x00", "\x00\x04\x00\x00\x05\x00\x00\x06\x00\x00\x01\x03", "\x00\x28\x20\x40\x38\x10",
	} {
		for kind := range byte(4) {
			f.Add(kind, []byte(seed))
		}
	}
	versions := fuzzVersions()
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		if len(data) > 60 {
			return
		}
		opt, size := Options{Tail: 100}, int64(-1)
		if kind&1 != 0 {
			opt.Tail = -1
		}
		if kind&2 != 0 {
			size = 1000
		}
		hub := script{transporttest.NewScript(versions[0], toStore("http://store"))}
		store := script{transporttest.NewScript(versions[0], honest, fuzzScript(data, versions)...)}
		c := inMemory(t, opt, hub, store)
		f, err := c.Open(t.Context(), "http://hub/x", size)
		if err != nil {
			return
		}
		defer f.Close()
		possible := slices.Clone(versions)
		for _, r := range []Range{{0, 50}, {100, 500}, {950, 50}, {300, 700}, {990, 20}} {
			p := make([]byte, r.Len)
			n, err := f.ReadAt(p, r.Off)
			if err == nil && n < len(p) || err == io.EOF && r.Off+int64(n) != f.Size() {
				t.Fatalf("%v: %d, %v", r, n, err)
			}
			possible = slices.DeleteFunc(possible, func(s source) bool {
				return r.Off+int64(n) > int64(len(s.Data)) || !bytes.Equal(p[:n], s.Data[r.Off:r.Off+int64(n)])
			})
			if len(possible) == 0 {
				t.Fatalf("%v: %d bytes of another version, %v", r, n, err)
			}
		}
	})
}

// inMemory is a client for which all of the network is http://hub and http://store.
func inMemory(t *testing.T, opt Options, hub, store script) *Client {
	network := transporttest.NewMemory()
	server := &httptest.Server{Listener: network, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "hub" {
				hub.ServeHTTP(w, r)
			} else {
				store.ServeHTTP(w, r)
			}
		}),
	}}
	server.Start()
	t.Cleanup(server.Close)
	kept := transport.New(DefaultMaxInFlight, transport.HeaderTimeout)
	kept.DialContext, kept.DisableKeepAlives = network.Dial, true
	opt.Transport = kept
	c, _ := newClient(t, opt)
	return c
}

// What is taken for a range of a file is one, and written again it is the same.
func FuzzContentRangeLiesInTheFile(f *testing.F) {
	for _, seed := range []string{
		"bytes 5-9/10", "bytes 0-0/1", "bytes 5-9/*", "bytes */10", "bytes 9-5/10", "bytes 0--1/0", "bytes 5-10/10", "Bytes 5-9/10",
		"bytes 0-9223372036854775806/9223372036854775807", "bytes 0-99999999999999999999/1", "bytes +1-2/3", "bytes 5-9/10/11", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r, size, ok := parseContentRange(value)
		if !ok {
			return
		}
		if r.Off < 0 || r.Len <= 0 || r.end() > size {
			t.Errorf("%q: %v of %d", value, r, size)
		}
		again, size2, ok := parseContentRange(fmt.Sprintf("%v/%d", r, size))
		if !ok || again != r || size2 != size || transport.Unsatisfied(value) >= 0 {
			t.Errorf("%q: %v of %d, and again %v of %d", value, r, size, again, size2)
		}
	})
}

// A signed URL is never used for longer than any part of its query allows, counted
// from when it was given.
func FuzzNoAddressOutlivesItsSignature(f *testing.F) {
	for _, seed := range []string{
		"Expires=1796047028", "Expires=-1", "Expires=0", "X-Amz-Date=20261130T120000Z&X-Amz-Expires=3600", "X-Amz-Expires=3600&Expires=1796047028",
		"X-Amz-Date=20261130T120000Z&X-Amz-Expires=-5&Expires=281474976710655", "Expires=140737488355327", "%zz&Expires=5", "X-Goog-Date=00000101T000000Z&X-Goog-Expires=1",
	} {
		f.Add(seed, int64(1796040000))
	}
	f.Fuzz(func(t *testing.T, query string, unix int64) {
		now := time.Unix(unix%(1<<40), 0)
		end, ok := signedUntil(query)
		left := lifetime(end, http.Header{}, now)
		values, _ := url.ParseQuery(query)
		if s, err := strconv.ParseInt(values.Get("Expires"), 10, 40); err == nil && (!ok || end.After(time.Unix(s, 0))) {
			t.Errorf("ends %v, after Expires %d", end, s)
		}
		if ok && left > 0 && now.Add(left).After(end) || left < 0 {
			t.Errorf("used for %v, until after %v", left, end)
		}
	})
}

// The hub's word can lower the limit, and never to nothing.
func FuzzQuotaLeavesOneRequest(f *testing.F) {
	f.Add(`"resolvers";r=990;t=217`)
	f.Add(`"a";r=0;t=9223372036854775807, "b";r=9223372036854775807;t=1`)
	f.Fuzz(func(t *testing.T, value string) {
		l := newLimiter(16, time.Now)
		l.observe(&http.Response{StatusCode: 302, Header: http.Header{"Ratelimit": {value}}}, 0)
		if n := l.allowed(); n < 1 || n > 16 || time.Until(l.quotaEnd) > 25*time.Hour {
			t.Errorf("%q: %d until %v", value, n, l.quotaEnd)
		}
	})
}
