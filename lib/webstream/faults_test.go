package webstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// later stands for a *retry.LaterError in the tables.
var later = errors.New("try again later")

func matches(err, want error) bool {
	if want == later {
		_, ok := errors.AsType[*retry.LaterError](err)
		return ok
	}
	_, passes := errors.AsType[*retry.LaterError](err)
	return errors.Is(err, want) && !passes
}

const length = 50000

var (
	src      = newSource(1, length)
	bare     = source{Data: src.Data} // no validator
	dated    = source{Data: src.Data, Modified: time.Now().Add(-24 * time.Hour)}
	fresh    = source{Data: src.Data, Modified: time.Now()}
	weak     = source{Data: src.Data, ETag: `W/"1"`}
	other    = newSource(2, length)
	longer   = newSource(3, length+1)
	noTags   = []string{"ETag", "", "Last-Modified", ""}
	bareTail = source{Data: slices.Concat(src.Data[:30000], other.Data[30000:])}
)

func contentRange(value string) answer {
	return altered(honest, "Content-Range", value)
}

// chunkedCut has n bytes in one chunk, and not the end of the body.
func chunkedCut(n int) answer {
	return after(n, hangUp, chunked(func(w http.ResponseWriter, r *http.Request, s source) {
		w.Header().Set("ETag", s.ETag)
		w.WriteHeader(http.StatusOK)
		w.Write(s.Data[:n])
		w.Write([]byte{0}) // one more than goes through
	}))
}

// faults are what servers do. A source of which nothing is said is src.
var faults = []struct {
	name    string
	src     source
	answers []answer
	ranges  string // of the requests
	size    int64  // at the end; 0 means length
	err     error
	data    []byte // expected; nil means that of src
}{
	{name: "nothing wrong", ranges: "-"},
	{name: "drops", answers: []answer{cut(20000)}, ranges: "- 20000-"},
	{name: "drops before the first byte", answers: []answer{cut(0)}, ranges: "- -"},
	{name: "drops before the last byte", answers: []answer{cut(length - 1)}, ranges: "- 49999-"},
	{name: "drops again and again", answers: []answer{cut(1), cut(1), cut(100), cut(20000)}, ranges: "- 1- 2- 102- 20102-"},
	{name: "hangs up at first", answers: []answer{hangUp, hangUp}, ranges: "- - -"},
	{name: "hangs up for a while", answers: []answer{cut(5), hangUp, hangUp, cut(0)}, ranges: "- 5- 5- 5- 5-"},
	{name: "gone for ever", answers: append([]answer{cut(5)}, repeated(hangUp)...), ranges: "- 5- 5- 5- 5-", err: later},
	{name: "drops, dated", src: dated, answers: []answer{cut(20000)}, ranges: "- 20000-"},

	{name: "ignores Range", answers: []answer{cut(20000), without(honest, "Range")}, ranges: "- 20000-"},
	{name: "ignores Range and drops", answers: []answer{cut(20000), without(cut(10), "Range"), without(cut(30000), "Range")},
		ranges: "- 20000- 20000- 30000-"},
	{name: "no validator", src: bare, answers: []answer{cut(20000), cut(25000)}, ranges: "- - -"},
	{name: "weak ETag", src: weak, answers: []answer{cut(20000)}, ranges: "- -"},
	{name: "date too fresh", src: fresh, answers: []answer{cut(20000)}, ranges: "- -"},
	{name: "no progress while skipping", src: bare, answers: append([]answer{cut(20000)}, repeated(cut(20000))...),
		ranges: "- - - - -", err: later},

	{name: "changes", answers: []answer{cut(20000), serving(other, honest)}, ranges: "- 20000-", err: ErrChanged},
	{name: "changes before the first byte", answers: []answer{cut(0), serving(other, honest)}, ranges: "- -", err: ErrChanged},
	{name: "changes, ignores If-Range", answers: []answer{cut(20000), serving(other, without(honest, "If-Range"))},
		ranges: "- 20000-", err: ErrChanged},
	{name: "changes length", answers: []answer{cut(20000), serving(source{Data: longer.Data}, without(honest, "If-Range"))},
		ranges: "- 20000-", err: ErrChanged},
	{name: "changes length, no validator", src: bare, answers: []answer{cut(20000), serving(longer, honest)}, ranges: "- -", err: ErrChanged},
	{name: "changes length, says nothing", src: bare, answers: []answer{cut(20000),
		serving(source{Data: append(src.Data[:length:length], 0)}, chunked(honest))}, ranges: "- -", err: ErrChanged},
	{name: "changes bytes, no validator", src: bare, answers: []answer{cut(20000), serving(other, honest)}, ranges: "- -", err: ErrChanged},
	{name: "changes later bytes, no validator", src: bare, answers: []answer{cut(20000), serving(bareTail, honest)},
		ranges: "- -", data: bareTail.Data},
	{name: "changes nothing but the date", src: dated, answers: []answer{cut(20000), serving(bare, honest)}, ranges: "- 20000-"},
	// Bytes of one state must not be joined to those of another on its word.
	{name: "changes and changes back", answers: []answer{cut(20000), serving(bareTail, without(cut(40000), "Range"))},
		ranges: "- 20000- -", err: ErrChanged},

	{name: "206 from elsewhere", answers: []answer{cut(20000), contentRange("bytes 19999-49999/50000")}, ranges: "- 20000- -"},
	{name: "206 from before", answers: []answer{cut(20000), asking("bytes=19000-", honest)}, ranges: "- 20000- -"},
	{name: "206 from behind", answers: []answer{cut(20000), asking("bytes=21000-", chunked(honest))}, ranges: "- 20000- -"},
	{name: "206 of a part", answers: []answer{cut(20000), contentRange("bytes 20000-49998/50000")}, ranges: "- 20000- -"},
	{name: "206 without a length", answers: []answer{cut(20000), contentRange("bytes 20000-49999/*")}, ranges: "- 20000- -"},
	{name: "206 of another length", answers: []answer{cut(20000), contentRange("bytes 20000-59999/60000")}, ranges: "- 20000-", err: ErrChanged},
	{name: "206 without a range", answers: []answer{cut(20000), contentRange("")}, ranges: "- 20000- -"},
	{name: "206 without ETag", answers: []answer{cut(20000), altered(honest, noTags...)}, ranges: "- 20000- -"},
	{name: "206 of a wrong Content-Length", answers: []answer{cut(20000),
		altered(after(100, hangUp, honest), "Content-Length", "100")}, ranges: "- 20000- -"},
	{name: "Range is tried again after progress", answers: []answer{cut(20000), contentRange(""), cut(30000)},
		ranges: "- 20000- - 30000-"},
	{name: "206 unasked", answers: []answer{status(206)}, ranges: "-", err: &retry.StatusError{Status: 206}},
	{name: "416 of another answer", answers: []answer{cut(20000), status(416, "Content-Range", "bytes */177")}, ranges: "- 20000- -"},
	{name: "416 at a false end", answers: []answer{cut(20000), status(416, "Content-Range", "bytes */20000")}, ranges: "- 20000- -"},
	{name: "416 of another answer, no length", answers: []answer{chunked(cut(20000)), status(416, "Content-Range", "bytes */177")},
		ranges: "- 20000- -"},
	{name: "416 of another state", answers: []answer{cut(20000), status(416, "ETag", `"x"`)}, ranges: "- 20000-", err: ErrChanged},

	{name: "404", answers: []answer{status(404)}, ranges: "-", err: ErrNotFound},
	{name: "403", answers: []answer{status(403)}, ranges: "-", err: ErrForbidden},
	{name: "410", answers: []answer{status(410)}, ranges: "-", err: ErrGone},
	{name: "204", answers: []answer{status(204)}, ranges: "-", err: &retry.StatusError{Status: 204}},
	{name: "404 in mid-way", answers: []answer{cut(20000), status(404)}, ranges: "- 20000-", err: ErrNotFound},
	{name: "503 thrice", answers: []answer{status(503), status(500), status(502)}, ranges: "- - - -"},
	{name: "503 in mid-way", answers: []answer{cut(20000), status(503), status(503), status(503)}, ranges: "- 20000- 20000- 20000- 20000-"},
	{name: "503 for ever", answers: repeated(status(503)), ranges: "- - - - -", err: later},

	{name: "no length", answers: []answer{chunked(honest)}, ranges: "-", size: -1},
	{name: "no length, cut", answers: []answer{chunked(cut(20000))}, ranges: "- 20000-"},
	{name: "no length, cut before the end", answers: []answer{chunkedCut(length)}, ranges: "- 50000-", size: -1},
	{name: "no length, no validator, cut", src: bare, answers: []answer{chunked(cut(20000)), chunked(honest)}, ranges: "- -", size: -1},
	{name: "no length, no validator, ends before", src: bare, answers: []answer{chunked(cut(20000)),
		serving(source{Data: src.Data[:10000]}, chunked(honest)), honest}, ranges: "- - -"},
	{name: "no length on resuming", src: bare, answers: []answer{cut(20000), chunked(honest)}, ranges: "- -"},
	{name: "no length on resuming, ends early", src: bare, answers: []answer{cut(20000),
		serving(source{Data: src.Data[:30000]}, chunked(honest)), honest}, ranges: "- - -"},
	{name: "no length on resuming, ends before", src: bare, answers: []answer{cut(20000),
		serving(source{Data: src.Data[:10000]}, chunked(honest)), honest}, ranges: "- - -"},
	{name: "HTTP/1.0, until close", answers: []answer{raw("HTTP/1.0 200 OK\r\n\r\n", length, false)}, ranges: "-", size: -1},
	{name: "HTTP/1.0, reset", answers: []answer{raw("HTTP/1.0 200 OK\r\nETag: \"v1\"\r\n\r\n", 20000, true)}, ranges: "- 20000-"},
	{name: "HTTP/1.0, with a length", answers: []answer{raw("HTTP/1.0 200 OK\r\nContent-Length: 50000\r\n\r\n", 20000, false)}, ranges: "- -"},
	{name: "empty", src: source{ETag: `"0"`}, ranges: "-", size: -2, data: []byte{}},
	{name: "length beyond the body", answers: repeated(without(serving(source{Data: src.Data[:100]},
		altered(after(100, hangUp, honest), "Content-Length", "50000")), "Range")),
		ranges: "- - - - -", err: later},

	{name: "gzipped on the way", answers: []answer{altered(honest, "Content-Encoding", "gzip")},
		ranges: "-", err: errAny},
	{name: "gzipped in mid-way", answers: []answer{cut(20000), altered(honest, "Content-Encoding", "br")},
		ranges: "- 20000-", err: errAny},
	{name: "said to be identity", answers: []answer{altered(honest, "Content-Encoding", "Identity")}, ranges: "-"},
	{name: "no HTTP", answers: []answer{raw("220 ftp ready\r\n", 0, false)}, ranges: "- -"},
}

// errAny stands for an error without a name of its own.
var errAny = errors.New("any")

func TestFaults(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			noGoroutineLeft(t)
			if tt.src.Data == nil && tt.src.ETag == "" {
				tt.src = src
			}
			server := serve(t, tt.src, tt.answers...)
			opt, _ := options(t)
			start := time.Now()
			data, size, err := readAll(t.Context(), server.URL+"/x.warc", opt)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if got := server.ranges(); got != tt.ranges {
				t.Errorf("requests %s; want %s", got, tt.ranges)
			}
			checkBytes(t, data, err, tt.data)
			switch {
			case tt.err == errAny && (err == nil || matches(err, later)), tt.err != errAny && !matches(err, tt.err):
				t.Errorf("error %v; want %v", err, tt.err)
			case err != nil && !strings.HasPrefix(err.Error(), server.URL+"/x.warc: "):
				t.Errorf("error %v names no URL", err)
			case err == nil && tt.size == 0 && size != length, err == nil && tt.size == -1 && size != -1:
				t.Errorf("size %d", size)
			}
		})
	}
}

// checkBytes wants all bytes of want (src if nil), or after an error its beginning.
func checkBytes(t *testing.T, data []byte, err error, want []byte) {
	t.Helper()
	if want == nil {
		want = src.Data
	}
	if err == nil && !bytes.Equal(data, want) {
		t.Errorf("%d bytes are not the %d of the source", len(data), len(want))
	}
	if err != nil && !bytes.HasPrefix(want, data) && !bytes.HasPrefix(bareTail.Data, data) {
		t.Errorf("%d bytes are not the beginning of the source", len(data))
	}
}

func readAll(ctx context.Context, url string, opt Options) ([]byte, int64, error) {
	s, err := Open(ctx, url, opt)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	data, err := io.ReadAll(s)
	return data, s.Size(), err
}
