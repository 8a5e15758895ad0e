package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// faulty serves one archive, and does something wrong with the first answers.
type faulty struct {
	archive []byte
	mu      sync.Mutex
	asked   int
	// fault handles request n, counting from 0; false leaves it to a good server.
	fault func(w http.ResponseWriter, r *http.Request, n int) bool
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	n := f.asked
	f.asked++
	f.mu.Unlock()
	w.Header().Set("ETag", `"v1"`)
	if f.fault != nil && f.fault(w, r, n) {
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.archive))
}

// drop answers with good headers and then breaks the connection after n bytes of
// the body.
func (f *faulty) drop(w http.ResponseWriter, r *http.Request, n int) bool {
	http.ServeContent(&dropping{w, n}, r, "", time.Time{}, bytes.NewReader(f.archive))
	return true
}

type dropping struct {
	http.ResponseWriter
	left int
}

func (d *dropping) Write(p []byte) (int, error) {
	n, err := d.ResponseWriter.Write(p[:min(len(p), d.left)])
	if d.left -= n; d.left == 0 {
		http.NewResponseController(d.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func status(code int) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "no", code)
		return true
	}
}

// An archive behind a bad server gives the very lines of the file, or a named
// failure; never a record twice, and never one less.
func TestArchiveFromABadServer(t *testing.T) {
	archive := readFile(t, newsArchive(t))
	want := must(t, ".", "warc-records --no-body --filename x.warc.gz '"+newsArchive(t)+"'")
	rng := rand.New(rand.NewPCG(3, 3))
	f := &faulty{archive: archive}
	tests := []struct {
		name   string
		fault  func(w http.ResponseWriter, r *http.Request, n int) bool
		status int
		stderr string
	}{
		{"good", nil, 0, ""},
		{"drops", func(w http.ResponseWriter, r *http.Request, n int) bool {
			return n < 5 && f.drop(w, r, 1+rng.IntN(3<<20))
		}, 0, "try 2 of"},
		{"ignores Range", func(w http.ResponseWriter, r *http.Request, n int) bool {
			r.Header.Del("Range")
			return n < 1 && f.drop(w, r, 5<<20)
		}, 0, ""},
		{"no length", func(w http.ResponseWriter, r *http.Request, n int) bool {
			for b := archive; len(b) > 0; b = b[min(len(b), 1<<20):] {
				w.Write(b[:min(len(b), 1<<20)])
				http.NewResponseController(w).Flush()
			}
			return true
		}, 0, ""},
		{"no length, cut", func(w http.ResponseWriter, r *http.Request, n int) bool {
			w.Write(archive[:5<<20])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 75, "given up after"},
		{"busy at first", func(w http.ResponseWriter, r *http.Request, n int) bool {
			return n < 3 && status(503)(w, r, n)
		}, 0, "503"},
		{"changes", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 0 {
				return f.drop(w, r, 5<<20)
			}
			w.Header().Set("ETag", `"v2"`)
			return false
		}, 1, "the source has changed"},
		{"404", status(404), 1, "404"},
		{"410", status(410), 1, "410"},
		{"403 for ever", status(403), 75, "403"},
		{"503 for ever", status(503), 75, "503"},
		{"empty", func(w http.ResponseWriter, r *http.Request, n int) bool { return true }, 1, "the input is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f.fault, f.asked = tt.fault, 0
			server := httptest.NewServer(f)
			defer server.Close()
			out, errOut, status := shell(t, ".", "warc-records --tries 4 --no-body --filename x.warc.gz "+server.URL+"/x.warc.gz")
			if status != tt.status || !strings.Contains(errOut, tt.stderr) {
				t.Errorf("status %d, want %d; %s", status, tt.status, errOut)
			}
			if status == 0 && out != want {
				t.Errorf("%d lines differ from the %d of the file", strings.Count(out, "\n"), strings.Count(want, "\n"))
			}
			if status != 0 {
				checkFailed(t, out, want)
			}
		})
	}
}

// checkFailed: what came before the failure is the start of the whole, and then
// comes _error.
func checkFailed(t *testing.T, out, want string) {
	t.Helper()
	body, fault := out, ""
	if i := strings.LastIndex(strings.TrimSuffix(out, "\n"), "\n"); i >= 0 {
		body, fault = out[:i+1], out[i+1:]
	} else {
		body, fault = "", out
	}
	if !strings.HasPrefix(want, body) || !strings.HasPrefix(fault, `{"_error":`) {
		t.Errorf("%d lines, then %.100s", strings.Count(body, "\n"), fault)
	}
}

// A cut of the stored archive behind a server that announces the short length is
// damage, as in a file: the whole source was read.
func TestShortArchiveFromAServerIsDamage(t *testing.T) {
	archive := readFile(t, newsArchive(t))
	server := httptest.NewServer(&faulty{archive: archive[:7<<20]})
	defer server.Close()
	out, errOut, status := shell(t, ".", "warc-records --no-body "+server.URL+"/x.warc.gz")
	if status != 1 || !strings.Contains(errOut, "damage: offset") || !strings.Contains(out, `"damaged":1`) {
		t.Errorf("status %d, %s", status, errOut)
	}
	if _, _, status := shell(t, ".", "warc-records --allow-damage --no-body "+server.URL+"/x.warc.gz"); status != 0 {
		t.Errorf("status %d under --allow-damage", status)
	}
}

// CC_BASE names the server, or a folder, of paths that begin with crawl-data/.
func TestBase(t *testing.T) {
	name := "crawl-data/CC-NEWS/2026/07/" + newsName + ".warc.gz"
	want := must(t, ".", "warc-records --no-body '"+newsArchive(t)+"'")
	if got := must(t, ".", "CC_BASE="+serve(t)+" warc-records --no-body "+name); got != want {
		t.Error("lines from a server differ")
	}
	dir := t.TempDir()
	must(t, dir, fmt.Sprintf("mkdir -p $(dirname %s) && ln -s '%s' %s", name, newsArchive(t), name))
	if got := must(t, ".", "CC_BASE="+dir+" warc-records --no-body "+name); got != want {
		t.Error("lines from a folder differ")
	}
	_, errOut, status := shell(t, ".", "CC_BASE="+strconv.Quote(dir)+" warc-records crawl-data/none.warc.gz")
	if status != 1 || !strings.Contains(errOut, "none.warc.gz: no such file") {
		t.Errorf("status %d, %s", status, errOut)
	}
}
