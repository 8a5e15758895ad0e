package ccindex

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func fullRow() Row {
	return Row{
		URLSurtkey: "uk,co,bbc)/news", URL: "https://www.bbc.co.uk/news", URLHostName: ptr("www.bbc.co.uk"),
		URLHostRegisteredDomain: ptr("bbc.co.uk"), URLHostTLD: ptr("uk"), URLProtocol: ptr("https"),
		FetchTime: 1782872701000, FetchStatus: 301, FetchRedirect: ptr("https://bbc.co.uk/"), ContentDigest: ptr("SKTF"),
		ContentMIMEType: "text/html", ContentMIMEDetected: ptr("text/html"), ContentCharset: ptr("UTF-8"),
		ContentLanguages: ptr("eng"), ContentTruncated: ptr("length"), WARCFilename: "a.warc.gz",
		WARCRecordOffset: 5 << 30, WARCRecordLength: 7, ContentLanguageConfidence: ptr(0.5),
		ContentLanguageDeclared: ptr("en-GB"), ContentLength: 9, WARCRecordID: ptr("urn:uuid:1"),
	}
}

// The JSON text of a row is a contract: keys, order, nulls.
func TestRowJSON(t *testing.T) {
	full := fullRow()
	want := `{"url_surtkey":"uk,co,bbc)/news","url":"https://www.bbc.co.uk/news","url_host_name":"www.bbc.co.uk",` +
		`"url_host_registered_domain":"bbc.co.uk","url_host_tld":"uk","url_protocol":"https","fetch_time":"2026-07-01T02:25:01Z",` +
		`"fetch_status":301,"fetch_redirect":"https://bbc.co.uk/","content_digest":"SKTF","content_mime_type":"text/html",` +
		`"content_mime_detected":"text/html","content_charset":"UTF-8","content_languages":"eng","content_truncated":"length",` +
		`"warc_filename":"a.warc.gz","warc_record_offset":5368709120,"warc_record_length":7,"content_language_confidence":0.5,` +
		`"content_language_declared":"en-GB","content_length":9,"warc_record_id":"urn:uuid:1"}`
	if got := string(full.AppendJSON(nil)); got != want {
		t.Errorf("full row\n%s, want\n%s", got, want)
	}
	empty := Row{URLSurtkey: "-", ContentMIMEType: "unk", FetchStatus: -1, FetchTime: 1500}
	var values map[string]any
	if err := json.Unmarshal(empty.AppendJSON(nil), &values); err != nil || len(values) != len(Columns) {
		t.Fatalf("%v, %d keys", err, len(values))
	}
	for _, key := range Columns {
		never := strings.Contains("url_surtkey url fetch_time fetch_status content_mime_type warc_filename warc_record_offset warc_record_length content_length", key)
		if v, ok := values[key]; !ok || (v == nil) == never {
			t.Errorf("%s is %v", key, v)
		}
	}
	if values["fetch_time"] != "1970-01-01T00:00:01.500Z" {
		t.Errorf("fetch_time %v", values["fetch_time"])
	}
}

func TestParseRowInvertsAppendJSON(t *testing.T) {
	for _, row := range []Row{fullRow(), {URLSurtkey: "-", FetchTime: 1500, FetchStatus: -1}} {
		back, err := ParseRow(row.AppendJSON(nil))
		if diff := cmp.Diff(row, back); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

func TestParseRowRefusesWhatIsNoRow(t *testing.T) {
	full := fullRow()
	line := string(full.AppendJSON(nil))
	for _, tt := range []struct{ old, new, want string }{
		{`"url":"https://www.bbc.co.uk/news",`, ``, `key "url" is missing`},
		{`"url":`, `"uri":`, `key "uri": no column has this name`},
		{`"url":`, `"url":"a","url":`, `key "url": it is there twice`},
		{`"fetch_status":301`, `"fetch_status":"301"`, `key "fetch_status": want an integer`},
		{`"fetch_status":301`, `"fetch_status":301.5`, `key "fetch_status": want an integer, have 301.5`},
		{`"fetch_status":301`, `"fetch_status":40000`, `no HTTP status`},
		{`"fetch_time":"2026-07-01T02:25:01Z"`, `"fetch_time":null`, `key "fetch_time": want a string`},
		{`02:25:01Z`, `02:25:01.0001Z`, `finer than a millisecond`},
		{`:5368709120`, `:-1`, `negative`},
		{`:0.5`, `:1.5`, `not in 0..1`},
		{`:0.5`, `:NaN`, `key "content_language_confidence"`},
		{`"urn:uuid:1"}`, `"urn:uuid:1"}x`, `bytes follow`},
		{`"urn:uuid:1"}`, "\"urn:\xff\"}", `not valid UTF-8`},
	} {
		bad := strings.Replace(line, tt.old, tt.new, 1)
		if _, err := ParseRow([]byte(bad)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s for %s: error %v, want %q", tt.new, tt.old, err, tt.want)
		}
	}
}

func TestResolve(t *testing.T) {
	const base = "http://h.example:8080/a/b/c?q=1#f"
	for ref, want := range map[string]string{
		"https://x/":         "https://x/",
		"HTTP://X/a b":       "HTTP://X/a b",
		"//x/y":              "http://x/y",
		"/p/%zz":             "http://h.example:8080/p/%zz",
		"p":                  "http://h.example:8080/a/b/p",
		"../p":               "http://h.example:8080/a/p",
		"../../../p":         "http://h.example:8080/p",
		"./":                 "http://h.example:8080/a/b/",
		"..":                 "http://h.example:8080/a/",
		"/x/./y/../z?a=../b": "http://h.example:8080/x/z?a=../b",
		"?r=2":               "http://h.example:8080/a/b/c?r=2",
		"#g":                 "http://h.example:8080/a/b/c?q=1#g",
		"javascript:void(0)": "",
		"mailto:a@b":         "",
		"é/ü":                "http://h.example:8080/a/b/é/ü",
	} {
		if got := resolve(base, ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	if got := resolve("http://h", "p"); got != "http://h/p" {
		t.Errorf("from a URL without path: %q", got)
	}
	if got := resolve("dns:h", "/p"); got != "" {
		t.Errorf("from a URL without authority: %q", got)
	}
}
