package fetch

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/leaktest"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/retry/retrytest"
	"github.com/open-index/ccnews/lib/transport/transporttest"
)

const name = "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-00001.warc.gz"

// page is the block of a response.
func page(header, body string) []byte {
	return []byte("HTTP/1.1 200 OK\r\n" + header + "\r\n" + body)
}

// response is a record of its own, without the blank lines behind it.
func response(url string, block []byte) []byte {
	_, body, _ := bytes.Cut(block, []byte("\r\n\r\n"))
	digest := sha1.Sum(body)
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Record-ID: <urn:id:%s>\r\n"+
		"WARC-Date: 2026-07-01T02:25:01Z\r\nContent-Type: application/http\r\nWARC-Payload-Digest: sha1:%s\r\n"+
		"Content-Length: %d\r\n\r\n%s", url, url, base32.StdEncoding.EncodeToString(digest[:]), len(block), block)
}

const blank = "\r\n\r\n"

// member is bytes as a gzip member.
func member(parts ...[]byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	for _, part := range parts {
		w.Write(part)
	}
	w.Close()
	return out.Bytes()
}

// noise does not compress.
func noise(seed uint64, n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return string(b)
}

// archived is an archive with the locations of its records.
type archived struct {
	data []byte
	rows []Location
}

// add appends a stored record that begins with span bytes.
func (a *archived) add(url string, stored []byte, span int) {
	a.rows = append(a.rows, Location{Filename: name, Offset: int64(len(a.data)), Length: int64(span), URL: url, RecordID: "urn:id:" + url})
	a.data = append(a.data, stored...)
}

// pages is an archive of n pages with some kilobytes each.
func pages(n int) *archived {
	a := new(archived)
	for i := range n {
		url := fmt.Sprintf("https://example.org/%d", i)
		m := member(response(url, page("Content-Type: text/html\r\n", fmt.Sprintf("<title>Page %d</title>%x", i, noise(uint64(i), 2000)))), []byte(blank))
		a.add(url, m, len(m))
	}
	return a
}

// How servers behave is transporttest's.
type (
	source    = transporttest.Source
	behaviour = transporttest.Answer
)

var (
	honest          = transporttest.Honest
	ignoring        = transporttest.Ignoring
	status          = transporttest.Status
	cut             = transporttest.Cut
	noGoroutineLeft = leaktest.NoGoroutineLeft
)

// server has one archive under whatever name. It answers the first requests as it is
// told, and then as usual.
type server struct{ *transporttest.Script }

func serve(t testing.TB, data []byte, usual behaviour, answers ...behaviour) server {
	return server{transporttest.Serve(t, source{Data: data, ETag: `"v1"`}, usual, answers...)}
}

// requests is how many came.
func (s server) requests() int { return len(s.Requests()) }

// fetched is what a run did.
type fetched struct {
	Count
	out      string
	failures []string
	warnings []string
}

// newFetcher fetches from base without ever waiting in earnest, and sees all of its
// input at once.
func newFetcher(t testing.TB, base string) *Fetcher {
	noGoroutineLeft(t)
	files := rangeread.New(rangeread.Options{Tail: -1, Retry: retry.Policy{
		Tries: 4, Also: []int{http.StatusForbidden}, Clock: new(retrytest.Clock),
	}})
	t.Cleanup(files.Close)
	return &Fetcher{Files: files, Base: base, Jobs: 4, MaxBody: 16 << 20, linger: time.Hour}
}

func (f *Fetcher) do(t testing.TB, rows ...Location) fetched {
	t.Helper()
	var got fetched
	var out bytes.Buffer
	f.OnFailure = func(err error) { got.failures = append(got.failures, err.Error()) }
	f.OnWarning = func(err error) { got.warnings = append(got.warnings, err.Error()) }
	count, err := f.Run(t.Context(), list(rows...), &out)
	if err != nil {
		t.Fatal(err)
	}
	if int(count.Failed) != len(got.failures) || int(count.Records+count.Failed) != len(rows) {
		t.Errorf("%+v of %d locations, and %d failures were told", count, len(rows), len(got.failures))
	}
	got.Count, got.out = count, out.String()
	return got
}

func list(rows ...Location) iter.Seq2[Location, error] {
	return func(yield func(Location, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}
