package ccindex

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/field"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/lang"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/sharedtest"
)

var builder = &Builder{Languages: lang.Classifier{}}

const article = `<!doctype html><html lang="en-GB"><head><title>The bridge is open again</title></head><body><p>
The old bridge over the river was opened again on Monday after two years of work, and the first to cross it were
the children of the school on the other bank, who had walked the long way round every day since it was closed.</p></body></html>`

// response is a record as warc-records writes it; headers are "Name: value".
func response(status int, body string, headers ...string) *record.Record {
	r := &record.Record{
		Type: "response", URL: "https://www.bbc.co.uk/news/1", WARCFilename: "a.warc.gz", Offset: 100, Length: 50,
		RecordID: "urn:uuid:1", FetchTime: 1782872701000, Dated: true,
		HTTPStartLine: "HTTP/1.1 x", HTTPStatus: status, BodyLength: int64(len(body)), Body: []byte(body),
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		f := field.Field{Name: strings.ToLower(name), Values: []string{value}}
		if strings.HasPrefix(f.Name, "warc-") {
			r.WARCHeaders = append(r.WARCHeaders, f)
		} else {
			r.HTTPHeaders = append(r.HTTPHeaders, f)
		}
	}
	return r
}

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func TestRowOfAnArticle(t *testing.T) {
	r := response(200, article, "Content-Type: text/html; charset=utf-8", "WARC-Payload-Digest: sha1:SKTF", "WARC-Truncated: Length")
	row, err := builder.Row(r)
	if err != nil {
		t.Fatal(err)
	}
	confidence := row.ContentLanguageConfidence
	if confidence == nil || *confidence <= 0 || *confidence > 1 {
		t.Errorf("confidence %v", confidence)
	}
	want := Row{
		URLSurtkey: "uk,co,bbc)/news/1", URL: "https://www.bbc.co.uk/news/1", URLHostName: ptr("www.bbc.co.uk"),
		URLHostRegisteredDomain: ptr("bbc.co.uk"), URLHostTLD: ptr("uk"), URLProtocol: ptr("https"),
		FetchTime: 1782872701000, FetchStatus: 200, ContentDigest: ptr("SKTF"),
		ContentMIMEType: "text/html", ContentMIMEDetected: ptr("text/html"), ContentCharset: ptr("UTF-8"),
		ContentLanguages: ptr("eng"), ContentTruncated: ptr("length"), WARCFilename: "a.warc.gz",
		WARCRecordOffset: 100, WARCRecordLength: 50, ContentLanguageConfidence: confidence,
		ContentLanguageDeclared: ptr("en-GB"), ContentLength: int64(len(article)), WARCRecordID: ptr("urn:uuid:1"),
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Each case changes one thing about a response and says what that does to its row.
func TestColumns(t *testing.T) {
	html := "Content-Type: text/html"
	russian := "\xcc\xee\xf1\xf2 \xf7\xe5\xf0\xe5\xe7 \xf0\xe5\xea\xf3 \xf1\xed\xee\xe2\xe0 \xee\xf2\xea\xf0\xfb\xf2 \xef\xee\xf1\xeb\xe5 \xe4\xe2\xf3\xf5 \xeb\xe5\xf2 \xf0\xe0\xe1\xee\xf2\xfb"
	tests := []struct {
		name string
		r    *record.Record
		want func(*Row) any
		is   any
	}{
		{"no status", response(0, "x"), func(r *Row) any { return r.FetchStatus }, int32(-1)},
		{"redirect", response(301, "", "Location: ../b?x"), func(r *Row) any { return *r.FetchRedirect }, "https://www.bbc.co.uk/b?x"},
		{"304 is no redirect", response(304, "", "Location: /b"), func(r *Row) any { return r.FetchRedirect == nil }, true},
		{"Location of a 200", response(200, "", "Location: /b"), func(r *Row) any { return r.FetchRedirect == nil }, true},
		{"no type", response(200, article), func(r *Row) any { return r.ContentMIMEType }, "unk"},
		{"type kept as written", response(200, article, "Content-Type: Text/HTML;a"), func(r *Row) any { return r.ContentMIMEType }, "Text/HTML"},
		{"type from the bytes", response(200, article, "Content-Type: image/png"), func(r *Row) any { return *r.ContentMIMEDetected }, "text/html"},
		{"charset from the page", response(200, `<html><meta charset="windows-1251"><p>x`, html), func(r *Row) any { return *r.ContentCharset }, "windows-1251"},
		{"header before page", response(200, `<html><meta charset="windows-1251"><p>x`, html+"; charset=koi8-r"), func(r *Row) any { return *r.ContentCharset }, "KOI8-R"},
		{"unknown charset", response(200, "<html>x", html+"; charset=klingon"), func(r *Row) any { return r.ContentCharset == nil }, true},
		{"charset only in the header (1251)", response(200, "<html><p>"+russian, html+"; charset=windows-1251"), func(r *Row) any { return *r.ContentLanguages }, "rus"},
		{"really gzipped", response(200, packed(article), html, "Content-Encoding: gzip"), func(r *Row) any { return *r.ContentLanguages }, "eng"},
		{"gzip claimed only", response(200, article, html, "Content-Encoding: gzip"), func(r *Row) any { return *r.ContentLanguages }, "eng"},
		{"length is the stored one", response(200, packed(article), html, "Content-Encoding: gzip"), func(r *Row) any { return r.ContentLength }, int64(len(packed(article)))},
		{"no language of a 404", response(404, article, html), func(r *Row) any { return r.ContentLanguages == nil && r.ContentLanguageConfidence == nil }, true},
		{"no language of JSON", response(200, `{"text":"`+article[200:300]+`"}`, "Content-Type: application/json"), func(r *Row) any { return r.ContentLanguages == nil }, true},
		{"no language of little text", response(200, "<html><p>hello", html), func(r *Row) any { return r.ContentLanguages == nil && r.ContentLanguageConfidence == nil }, true},
		{"other digest", response(200, "", "WARC-Payload-Digest: md5:x"), func(r *Row) any { return *r.ContentDigest }, "md5:x"},
		{"no digest", response(200, ""), func(r *Row) any { return r.ContentDigest == nil }, true},
	}
	for _, tt := range tests {
		row, err := builder.Row(tt.r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if got := tt.want(&row); got != tt.is {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.is)
		}
	}
}

func TestRowsThatCannotBe(t *testing.T) {
	undated, unnamed, bodiless, cut := response(200, "x"), response(200, "x"), response(200, "x"), response(200, "x")
	undated.Dated, unnamed.WARCFilename, bodiless.Body, cut.BodyLength = false, "", nil, 2
	homeless := response(200, "x")
	homeless.URL = ""
	for want, r := range map[error]*record.Record{ErrUndated: undated, ErrNoName: unnamed, ErrNoURL: homeless} {
		if _, err := builder.Row(r); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	for _, r := range []*record.Record{bodiless, cut} {
		if _, err := builder.Row(r); !errors.Is(err, ErrNoBody) {
			t.Errorf("%v, want %v", err, ErrNoBody)
		}
	}
	request := response(200, "")
	request.Type = "request"
	if HasRow(request) || !HasRow(response(0, "")) {
		t.Error("HasRow")
	}
}

func index(t *testing.T, stream string) (rows string, end *jsonl.End, skips []error, err error) {
	var out bytes.Buffer
	w := jsonl.NewWriter(&out)
	x := Indexer{Jobs: 4, Builder: builder, OnSkip: func(err error) { skips = append(skips, err) }}
	end, err = x.Run(context.Background(), jsonl.NewReader(strings.NewReader(stream), 0), w)
	w.Flush()
	return out.String(), end, skips, err
}

func TestIndexerCountsAndPassesOn(t *testing.T) {
	undated := response(200, "x")
	undated.Dated = false
	request := response(0, "")
	request.Type = "request"
	var stream []byte
	for _, r := range []*record.Record{request, response(200, article), undated, response(404, "")} {
		stream = append(r.AppendJSON(stream), '\n')
	}
	stream = append(jsonl.AppendEnd(stream, jsonl.End{WARCFilename: "a.warc.gz", Records: 4, Responses: 3}), '\n')
	rows, end, skips, err := index(t, string(stream))
	if err != nil || strings.Count(rows, "\n") != 2 || *end.Rows != 2 || end.Skipped != 1 || end.Responses != 3 || len(skips) != 1 {
		t.Errorf("%q, %+v, %v, %v", rows, end, skips, err)
	}
	for stream, want := range map[string]string{
		`{"_error":{"stage":"warc-records","message":"cut","offset":7}}`: "warc-records failed upstream: cut",
		"{}\n":                              "line 1 (byte 0): no record",
		`{"_end":{"records":1}}` + "\n{}\n": "line 2 (byte 23): lines follow _end",
		`{"_end":{"rows":1}}`:               "index rows already",
		`{"url_surtkey":"a","warc_record_offset":1}`: "an index row, not a record",
		`{"warc_record_offset":1`:                    "line 1 (byte 0): stream ends inside a line",
	} {
		if _, _, _, err := index(t, stream); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", stream, err, want)
		}
	}
	if _, end, _, err := index(t, ""); end != nil || err != nil {
		t.Errorf("a stream of nothing: %v, %v", end, err)
	}
}

// The rows of every URL and Content-Type of the shared vectors have the columns
// that Common Crawl's own code gives.
func TestRowsOfSharedVectors(t *testing.T) {
	urls := 0
	for _, v := range sharedtest.Rows(t, "vectors", "surt.tsv") {
		url, key := v[0], v[1]
		if url == "" {
			continue
		}
		if strings.HasPrefix(v[1], "!ERR") {
			key = url
		}
		r := response(200, "")
		r.URL = url
		row, err := builder.Row(r)
		if err != nil || utf8.ValidString(url) && row.URLSurtkey != key {
			t.Errorf("%q: key %q, want %q: %v", url, row.URLSurtkey, key, err)
		}
		urls++
	}
	types := 0
	for _, v := range sharedtest.Rows(t, "vectors", "content-type.tsv") {
		r := response(200, "")
		if v[0] != `\N` {
			r = response(200, "", "Content-Type: "+strings.Replace(v[0], `\E`, "", 1))
		}
		row, err := builder.Row(r)
		if err != nil {
			t.Fatal(err)
		}
		charset := `\N`
		if row.ContentCharset != nil {
			charset = *row.ContentCharset
		}
		if row.ContentMIMEType != v[1] || charset != v[4] {
			t.Errorf("%q: %q %q, want %q %q", v[0], row.ContentMIMEType, charset, v[1], v[4])
		}
		types++
	}
	t.Logf("%d URLs, %d types", urls, types)
}

// A row of any response is valid: its JSON reads back as itself, confidence goes
// with language, and every string is UTF-8.
func FuzzRowsOfAnyResponseAreValid(f *testing.F) {
	f.Add("https://www.bbc.co.uk/", "text/html; charset=utf-8", "gzip", "/there", []byte(article), 200)
	f.Add("http://[::1]:80/%zz", "application/rss+xml", "br", "", []byte("<rss>"), 301)
	f.Fuzz(func(t *testing.T, url, contentType, coding, location string, body []byte, status int) {
		for _, s := range []*string{&url, &contentType, &coding, &location} {
			*s = field.Text([]byte(*s)) // records hold valid UTF-8 alone
		}
		r := response(status&511, string(body))
		r.URL = url
		r.HTTPHeaders = field.Header{
			{Name: "content-type", Values: []string{contentType}},
			{Name: "content-encoding", Values: []string{coding}},
			{Name: "location", Values: []string{location}},
		}
		row, err := builder.Row(r)
		if err != nil {
			t.Fatal(err)
		}
		if (row.ContentLanguages == nil) != (row.ContentLanguageConfidence == nil) {
			t.Fatalf("language %v, confidence %v", row.ContentLanguages, row.ContentLanguageConfidence)
		}
		back, err := ParseRow(row.AppendJSON(nil))
		if diff := cmp.Diff(row, back); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}
