package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/open-index/ccnews/lib/field"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/warc"
)

func response() *warc.Record {
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n<html>hello"
	return &warc.Record{
		Version: "WARC/1.0", Offset: 71779, Length: 20806, Block: []byte(block), BlockLength: int64(len(block)),
		Header: field.Header{
			{Name: "warc-record-id", Values: []string{"<urn:uuid:1>"}},
			{Name: "warc-date", Values: []string{"2026-07-01T02:25:01Z"}},
			{Name: "warc-type", Values: []string{"response"}},
			{Name: "warc-target-uri", Values: []string{"<https://example.com/a b>"}},
			{Name: "content-type", Values: []string{"application/http; msgtype=response"}},
		},
	}
}

func TestNew(t *testing.T) {
	got := New(response(), "x.warc.gz", 5)
	want := &Record{
		Type: "response", WARCFilename: "x.warc.gz", Offset: 71779, Length: 20806, RecordID: "urn:uuid:1",
		URL: "https://example.com/a%20b", FetchTime: 1782872701000, Dated: true, WARCHeaders: response().Header,
		HTTPStartLine: "HTTP/1.1 200 OK", HTTPStatus: 200,
		HTTPHeaders: field.Header{
			{Name: "content-type", Values: []string{"text/html"}}, {Name: "set-cookie", Values: []string{"a", "b"}},
		},
		BodyLength: 11, BodyCut: true, Body: []byte("<html"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A block that is no HTTP message is body as a whole; so is any block that does
// not claim to be one.
func TestNewWithoutHTTP(t *testing.T) {
	log := response()
	log.Block, log.BlockLength = []byte("127.0.0.1 - - [x] GET"), 21
	dns := response()
	dns.Header[4].Values[0] = "text/dns"
	for _, rec := range []*warc.Record{log, dns} {
		got := New(rec, "", 100)
		if got.HTTPStartLine != "" || got.HTTPStatus != 0 || got.HTTPHeaders != nil || got.BodyLength != rec.BlockLength || !bytes.Equal(got.Body, rec.Block) {
			t.Errorf("%.20q: %+v", rec.Block, got)
		}
	}
	bare := response()
	bare.Header = bare.Header[:4]
	if got := New(bare, "", 100); got.HTTPStatus != 200 {
		t.Errorf("without Content-Type: %+v", got)
	}
}

func TestArchiveName(t *testing.T) {
	for name, want := range map[string]string{
		"CC-NEWS-20260701022501-08467.warc.gz":                                  "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-08467.warc.gz",
		"CC-NEWS-20260701022501-01-08467.warc.gz":                               "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-01-08467.warc.gz",
		"/tmp/x/CC-NEWS-20260701022501-08467.warc.gz":                           "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-08467.warc.gz",
		"crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-08467.warc.gz":       "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-08467.warc.gz",
		"https://h/crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-1.warc.gz": "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-1.warc.gz",
		"https://h/crawl-data/CC-MAIN-2026-25/warc/CC-MAIN-1.warc.gz":           "crawl-data/CC-MAIN-2026-25/warc/CC-MAIN-1.warc.gz",
		"my-crawl-data/x.warc.gz":                                               "my-crawl-data/x.warc.gz",
		"dir/my.warc.gz":                                                        "dir/my.warc.gz",
		"CC-NEWS-2026.warc.gz":                                                  "CC-NEWS-2026.warc.gz",
		"CC-MAIN-20260701022501-1.warc.gz":                                      "CC-MAIN-20260701022501-1.warc.gz",
		"":                                                                      "",
	} {
		if got := ArchiveName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestParseSkipsUnknownKeysAndSaysWhatIsWrong(t *testing.T) {
	r, err := Parse([]byte(`{"new":{"a":[1,null]},"warc_record_offset":7,"body":"aGVsbG8gd29ybGQ\u003d"}`), 5)
	if err != nil || r.Offset != 7 || string(r.Body) != "hello" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := Parse([]byte(`{"warc_record_offset":7,"body":"a\/8="}`), 5); err != nil || string(r.Body) != "k\xff" {
		t.Errorf("escaped base64: %+v, %v", r, err)
	}
	for line, want := range map[string]string{
		`{"url":"x"}`:                                       "warc_record_offset",
		`{"warc_record_offset":"7"}`:                        `key "warc_record_offset": want an integer`,
		`{"warc_record_offset":-7}`:                         "negative",
		`{"warc_record_offset":7,"body":"*"}`:               `key "body": not base64`,
		`{"warc_record_offset":7,"body":1}`:                 `key "body": want a base64 string`,
		`{"warc_record_offset":7,"http_headers":{"a":"b"}}`: "want an array of strings",
		`{"warc_record_offset":7,"http_headers":{"a":[1]}}`: "want a string",
		`{"warc_record_offset":7,"fetch_time":"yesterday"}`: "RFC 3339",
		`{"warc_record_offset":7} x`:                        "bytes follow",
		`{"warc_record_offset":7`:                           "does not end",
	} {
		if _, err := Parse([]byte(line), 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", line, err, want)
		}
	}
}

// A record read back from its line is the record.
func FuzzParseInvertsAppendJSON(f *testing.F) {
	f.Add("response", "https://example.com/", "HTTP/1.1 200 OK", "x-name", "a \"value\"\n", []byte("body"), int64(7), true)
	f.Fuzz(func(t *testing.T, kind, url, start, name, value string, body []byte, n int64, flag bool) {
		for _, s := range []string{kind, url, start, name, value} {
			if !utf8.ValidString(s) {
				return // records hold valid UTF-8 alone
			}
		}
		n = n >> 1 & (1<<52 - 1)
		r := &Record{
			Type: kind, URL: url, WARCFilename: value, Offset: n, Length: n / 2, RecordID: name, FetchTime: n % 2e12, Dated: flag,
			WARCHeaders: field.Header{{Name: name, Values: []string{value, ""}}, {Name: name + "2", Values: []string{start}}},
			HTTPStatus:  int(n % 1000), BodyLength: n, BodyCut: flag, MemberShared: !flag, Body: body,
		}
		if !flag {
			r.FetchTime = 0
		}
		if r.HTTPStartLine = start; start != "" {
			r.HTTPHeaders = r.WARCHeaders[:1]
		}
		line := r.AppendJSON(nil)
		if !json.Valid(line) || bytes.IndexByte(line, '\n') >= 0 {
			t.Fatalf("not a line of JSON: %q", line)
		}
		back, err := Parse(line, len(body))
		if diff := cmp.Diff(r, back, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

func archive(n int) string {
	var out strings.Builder
	for i := range n {
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbody %d", i)
		fmt.Fprintf(&out, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h%d.example.com/\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i%3, len(block), block)
	}
	return out.String()
}

func split(t *testing.T, s Splitter, in string) (string, Count) {
	t.Helper()
	var out bytes.Buffer
	w := jsonl.NewWriter(&out)
	s.Size = int64(len(in))
	end, err := s.Run(context.Background(), strings.NewReader(in), w)
	if err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return out.String(), end
}

func TestSplitIsTheSameOnAnyNumberOfCores(t *testing.T) {
	in := archive(1000)
	one, endOne := split(t, Splitter{Jobs: 1, MaxBody: 100}, in)
	many, endMany := split(t, Splitter{Jobs: 8, MaxBody: 100}, in)
	if one != many || endOne != endMany {
		t.Error("-j1 and -j8 differ")
	}
	want := Count{jsonl.End{Bytes: int64(len(in)), Records: 1000, Responses: 1000}, 1000}
	if endOne != want || strings.Count(one, "\n") != 1000 {
		t.Errorf("%+v, %d lines", endOne, strings.Count(one, "\n"))
	}
}

func TestSplitFilters(t *testing.T) {
	in := archive(100)
	tests := []struct {
		filter  Filter
		lines   int
		records int64
	}{
		{Filter{Types: []string{"request"}}, 0, 100},
		{Filter{Host: "h1.example.com"}, 33, 100},
		{Filter{Host: "example.com"}, 100, 100},
		{Filter{Host: "ample.com"}, 0, 100},
		{Filter{Limit: 10}, 10, 10},
		{Filter{Host: "h1.example.com", Limit: 2}, 2, 5},
	}
	for _, tt := range tests {
		out, end := split(t, Splitter{Jobs: 4, Filter: tt.filter}, in)
		if n := strings.Count(out, "\n"); n != tt.lines || end.Records != tt.records || !end.Filtered {
			t.Errorf("%+v: %d lines, end %+v", tt.filter, n, end)
		}
	}
}
