package rangeread

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// later stands for a *retry.LaterError in the tables.
var later = errors.New("try again later")

func matches(err, want error) bool {
	_, passes := errors.AsType[*retry.LaterError](err)
	if want == later {
		return passes
	}
	return errors.Is(err, want) && !passes
}

const length = 100000

var (
	src    = newSource(1, length)
	other  = newSource(2, length)
	longer = newSource(3, length+1)
	plain  = source{Data: src.Data} // no validator
	dated  = source{Data: src.Data, Modified: time.Now().Add(-24 * time.Hour)}
	fresh  = source{Data: src.Data, Modified: time.Now()}
	weak   = source{Data: src.Data, ETag: `W/"1"`}

	err403 error = &retry.StatusError{Status: http.StatusForbidden}
	err404 error = &retry.StatusError{Status: http.StatusNotFound}
	err416 error = &retry.StatusError{Status: http.StatusRequestedRangeNotSatisfiable}
	errAny       = errors.New("any that is final")
)

func contentRange(value string) behaviour { return altered(honest, "Content-Range", value) }

// faults are what stores do. The file is opened with its size and without a tail,
// and 10 bytes at 50 are read first, so that its version is known; then 1000 bytes
// at 20000.
var faults = []struct {
	name    string
	src     source // nothing: src
	answers []behaviour
	hub     int    // requests after the first read
	ranges  string // of the requests at the store after the first read
	waits   int
	err     error
}{
	{name: "nothing wrong", ranges: "20000-20999"},
	{name: "dated", src: dated, ranges: "20000-20999"},
	{name: "no validator", src: plain, ranges: "20000-20999!"},
	{name: "weak validator", src: weak, ranges: "20000-20999!"},
	{name: "date too fresh", src: fresh, ranges: "20000-20999!"},
	{name: "chunked", answers: []behaviour{chunked(honest)}, ranges: "20000-20999"},

	{name: "cut", answers: []behaviour{cut(400)}, ranges: "20000-20999 20400-20999", waits: 1},
	{name: "cut, dated", src: dated, answers: []behaviour{cut(400)}, ranges: "20000-20999 20400-20999", waits: 1},
	{name: "cut, chunked", answers: []behaviour{after(400, hangUp, chunked(honest))}, ranges: "20000-20999 20400-20999", waits: 1},
	{name: "cut at the first byte", answers: []behaviour{cut(0)}, ranges: "20000-20999 20000-20999", waits: 1},
	{name: "cut again and again", answers: []behaviour{cut(1), cut(1), cut(1), cut(1), cut(1), cut(1)},
		ranges: "20000-20999 20001-20999 20002-20999 20003-20999 20004-20999 20005-20999 20006-20999", waits: 6},
	{name: "cut, no validator: read again", src: plain, answers: []behaviour{cut(400)}, ranges: "20000-20999! 20000-20999!", waits: 1},
	{name: "always cut, no validator", src: plain, answers: repeated(cut(400)),
		ranges: strings.TrimSpace(strings.Repeat("20000-20999! ", 5)), waits: 4, err: later},
	{name: "cut and changed", answers: []behaviour{cut(400), serving(other, honest)}, ranges: "20000-20999 20400-20999", waits: 1, err: errAny},
	{name: "hangs up", answers: []behaviour{hangUp, hangUp}, ranges: "20000-20999 20000-20999 20000-20999", waits: 2},
	{name: "hangs up for ever", answers: repeated(hangUp), ranges: strings.TrimSpace(strings.Repeat("20000-20999 ", 5)), waits: 4, err: later},
	{name: "stalls", answers: []behaviour{after(400, hang, honest)}, ranges: "20000-20999 20400-20999", waits: 1},

	{name: "408", answers: []behaviour{status(408)}, ranges: "20000-20999 20000-20999", waits: 1},
	{name: "429", answers: []behaviour{status(429, "Retry-After", "7")}, ranges: "20000-20999 20000-20999", waits: 1},
	{name: "503 for ever", answers: repeated(status(503)), ranges: strings.TrimSpace(strings.Repeat("20000-20999 ", 5)), waits: 4, err: later},
	{name: "400", answers: []behaviour{status(400)}, ranges: "20000-20999", err: &retry.StatusError{Status: 400}},
	{name: "204", answers: []behaviour{status(204)}, ranges: "20000-20999", err: &retry.StatusError{Status: 204}},

	{name: "401 once", answers: []behaviour{status(401)}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "403 once", answers: []behaviour{status(403)}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "404 once", answers: []behaviour{status(404)}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "410 once", answers: []behaviour{status(410)}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "403 twice", answers: []behaviour{status(403), status(403)}, hub: 1, ranges: "20000-20999 20000-20999", err: err403},
	{name: "403, then 404", answers: []behaviour{status(403), status(404)}, hub: 1, ranges: "20000-20999 20000-20999", err: err404},
	{name: "403 in the middle", answers: []behaviour{cut(400), status(403)}, hub: 1, ranges: "20000-20999 20400-20999 20400-20999", waits: 1},
	{name: "403 after each gain", answers: []behaviour{cut(400), status(403), cut(100), status(403)}, hub: 2,
		ranges: "20000-20999 20400-20999 20400-20999 20500-20999 20500-20999", waits: 2},

	{name: "416 of another answer", answers: []behaviour{status(416, "Content-Range", "bytes */177")}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "416 twice", answers: repeated(status(416, "Content-Range", "bytes */177")), hub: 1, ranges: "20000-20999 20000-20999", err: err416},
	{name: "206 of another length", answers: []behaviour{contentRange("bytes 20000-20999/177000")}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "206 of another length twice", answers: repeated(contentRange("bytes 20000-20999/177000")), hub: 1,
		ranges: "20000-20999 20000-20999", err: ErrChanged},
	{name: "206 from before", answers: []behaviour{asking("bytes=19999-20998", honest)}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "206 shifted", answers: repeated(contentRange("bytes 20001-21000/100000")), hub: 1, ranges: "20000-20999 20000-20999", err: errAny},
	{name: "206 too long", answers: repeated(asking("bytes=20000-21000", honest)), hub: 1, ranges: "20000-20999 20000-20999", err: errAny},
	{name: "206 too short", answers: repeated(asking("bytes=20000-20998", honest)), hub: 1, ranges: "20000-20999 20000-20999", err: errAny},
	{name: "206 without a range", answers: repeated(contentRange("")), hub: 1, ranges: "20000-20999 20000-20999", err: errAny},
	{name: "206 without a length", answers: repeated(contentRange("bytes 20000-20999/*")), hub: 1, ranges: "20000-20999 20000-20999", err: errAny},
	{name: "206 of a longer body", answers: []behaviour{chunked(altered(asking("bytes=20000-21000", honest), "Content-Range", "bytes 20000-20999/100000"))},
		hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "206 of a wrong Content-Length", answers: []behaviour{altered(asking("bytes=20000-20998", honest), "Content-Range", "bytes 20000-20999/100000")},
		hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "206 of a shorter body", answers: []behaviour{chunked(altered(asking("bytes=20000-20998", honest), "Content-Range", "bytes 20000-20999/100000"))},
		ranges: "20000-20999 20999-20999", waits: 1},
	{name: "206 in parts", answers: []behaviour{asking("bytes=20000-20499,20500-20999", honest)}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "206 without the ETag", answers: []behaviour{altered(honest, "ETag", "")}, hub: 1, ranges: "20000-20999 20000-20999"},
	{name: "206 without the ETag twice", answers: repeated(altered(honest, "ETag", "")), hub: 1, ranges: "20000-20999 20000-20999", err: errAny},
	{name: "206 of another version", answers: []behaviour{serving(other, without(honest, "If-Range"))}, ranges: "20000-20999", err: ErrChanged},
	{name: "another version", answers: []behaviour{serving(other, honest)}, ranges: "20000-20999", err: ErrChanged},
	{name: "another version, longer", answers: repeated(serving(longer, honest)), hub: 1, ranges: "20000-20999 20000-20999", err: ErrChanged},

	{name: "no ranges", answers: []behaviour{ignoring}, ranges: "20000-20999", err: errAny},
	{name: "no ranges, chunked", answers: []behaviour{chunked(ignoring)}, ranges: "20000-20999", err: errAny},
	{name: "gzip", answers: []behaviour{altered(honest, "Content-Encoding", "gzip")}, ranges: "20000-20999", err: errAny},
	{name: "identity", answers: []behaviour{altered(honest, "Content-Encoding", "Identity")}, ranges: "20000-20999"},
	{name: "gzip of all", answers: []behaviour{altered(ignoring, "Content-Encoding", "br")}, ranges: "20000-20999", err: errAny},
	{name: "redirected on", answers: []behaviour{status(307, "Location", "/elsewhere?x")}, ranges: "20000-20999 20000-20999"},
}

func TestFaultsCostRequestsAndNeverBytes(t *testing.T) {
	noGoroutineLeft(t)
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			if tt.src.Data == nil {
				tt.src = src
			}
			w := newWorld(t, tt.src, Options{Tail: -1, Stall: 200 * time.Millisecond})
			f := w.open(t, length)
			if _, err := f.ReadAt(make([]byte, 10), 50); err != nil {
				t.Fatal(err)
			}
			hub, waits, before := w.hub.count(), len(w.clock.Waits()), w.store.ranges()
			w.store.Then(tt.answers...)
			got := make([]byte, 1000)
			n, err := f.ReadAt(got, 20000)
			if !bytes.Equal(got[:n], src.Data[20000:20000+n]) || err == nil && n != len(got) {
				t.Errorf("%d bytes are not those of the source", n)
			}
			if now := strings.TrimPrefix(w.store.ranges(), before+" "); now != tt.ranges {
				t.Errorf("store was asked for %s; want %s", now, tt.ranges)
			}
			if n := w.hub.count() - hub; n != tt.hub {
				t.Errorf("hub was asked %d times; want %d", n, tt.hub)
			}
			if n := len(w.clock.Waits()) - waits; n != tt.waits {
				t.Errorf("%d waits; want %d", n, tt.waits)
			}
			checkError(t, w, err, tt.err)
		})
	}
}

// checkError wants what matches, a name, and no secret.
func checkError(t *testing.T, w *world, err, want error) {
	t.Helper()
	switch {
	case want == errAny && (err == nil || matches(err, later) || err == io.EOF), want != errAny && !matches(err, want):
		t.Errorf("error %v; want %v", err, want)
	case err == nil:
	case !strings.HasPrefix(err.Error(), w.hub.URL+path+": ") || !strings.Contains(err.Error(), "bytes"):
		t.Errorf("error %v does not begin with URL and range", err)
	case strings.Contains(err.Error(), "Signature"), strings.Contains(err.Error(), "?"):
		t.Errorf("error %v shows a signature", err)
	}
}
