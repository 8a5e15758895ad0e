package fetch

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// textOf is what --text prints of one page.
func textOf(t testing.TB, header, body string) fetched {
	t.Helper()
	m := member(response("http://a/", page(header, body)))
	a := new(archived)
	a.add("http://a/", m, len(m))
	f := newFetcher(t, serve(t, a.data, honest).URL)
	f.Format = Text
	return f.do(t, a.rows...)
}

func TestLegacyCharsetsComeOutAsUTF8(t *testing.T) {
	tests := []struct {
		label, text string
		enc         encoding.Encoding
	}{
		{"windows-1251", "В Москве открыли новую библиотеку", charmap.Windows1251},
		{"koi8-r", "В Москве открыли новую библиотеку", charmap.KOI8R},
		{"iso-8859-2", "Źródło: żółta łódź płynie", charmap.ISO8859_2},
		{"windows-1256", "افتتحت المكتبة الجديدة", charmap.Windows1256},
		{"shift_jis", "新しい図書館が開館した", japanese.ShiftJIS},
		{"euc-jp", "新しい図書館が開館した", japanese.EUCJP},
		{"iso-2022-jp", "新しい図書館が開館した", japanese.ISO2022JP},
		{"gb18030", "新图书馆今天开放", simplifiedchinese.GB18030},
		{"euc-kr", "새 도서관이 문을 열었다", korean.EUCKR},
		{"utf-16", "Die Bücherei öffnet", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	}
	for _, tt := range tests {
		for _, inHeader := range []bool{true, false} {
			header, meta := "Content-Type: text/html\r\n", `<meta charset="`+tt.label+`">`
			if inHeader {
				header, meta = "Content-Type: text/html; charset="+tt.label+"\r\n", ""
			}
			body, err := tt.enc.NewEncoder().String("<html><head>" + meta + "<body><p>" + tt.text + "</p>")
			if err != nil {
				t.Fatal(err)
			}
			if got := textOf(t, header, body); got.out != tt.text+"\n" {
				t.Errorf("%s, in header: %v: %q %q", tt.label, inHeader, got.out, got.failures)
			}
		}
	}
}

func TestTextOfPages(t *testing.T) {
	html := "Content-Type: text/html; charset=utf-8\r\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte("<p>packed"))
	w.Close()
	tests := []struct{ what, header, body, want string }{
		{"no </head>", html, "<html><head><title>Bridge<body><p>Open again.", "Bridge\nOpen again.\n"},
		{"content before navigation", html, "<nav><a>Home</a></nav><div>Menu</div><main><p>The article.</p></main>", "The article.\nMenu\n"},
		{"gzip that the header tells", html + "Content-Encoding: gzip\r\n", packed.String(), "packed\n"},
		{"gzip that it does not tell", html, packed.String(), "packed\n"},
		{"chunks", html + "Transfer-Encoding: chunked\r\n", "6\r\n<p>abc\r\n3\r\ndef\r\n0\r\n\r\n", "abcdef\n"},
		{"nothing", html, "", ""},
		{"a form feed and other controls", html, "<p>a\fb\x1ec\x00d", "a b c d\n"},
		{"plain text", "Content-Type: text/plain\r\n", "a\r\nb\f\x1ec\n\n", "a\nbc\n"},
		{"json", "Content-Type: application/json\r\n", `{"a": "ü"}`, `{"a": "ü"}` + "\n"},
		{"a feed", "Content-Type: application/rss+xml\r\n", `<?xml version="1.0"?><rss><channel><title>News</title></channel></rss>`, "News\n"},
	}
	for _, tt := range tests {
		if got := textOf(t, tt.header, tt.body); got.out != tt.want || len(got.warnings) > 0 {
			t.Errorf("%s: %q, want %q: %q %q", tt.what, got.out, tt.want, got.failures, got.warnings)
		}
	}
	got := textOf(t, "Content-Type: image/png\r\n", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	if got.out != "" || got.Records != 1 || !slices.Equal(got.warnings, []string{name + ": offset 0: no text: it is image/png"}) {
		t.Errorf("a picture: %+v", got)
	}
}

// A script gets the texts back by splitting at the separator, one for each record.
func TestTextsCanBeSplit(t *testing.T) {
	a := new(archived)
	var want []string
	for i, text := range []string{"one", "", "a\fb", "last"} {
		m := member(response(fmt.Sprint("http://a/", i), page("Content-Type: text/html\r\n", "<p>"+text)))
		a.add(fmt.Sprint("http://a/", i), m, len(m))
		want = append(want, strings.ReplaceAll(text, "\f", " "))
	}
	f := newFetcher(t, serve(t, a.data, honest).URL)
	f.Format = Text
	var texts []string
	for _, text := range strings.Split(f.do(t, a.rows...).out, separator) {
		texts = append(texts, strings.TrimSuffix(text, "\n"))
	}
	if !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

func TestTextLinesKeepWhereTheyAreFrom(t *testing.T) {
	a := new(archived)
	m := member(response("http://a/b", page("Content-Type: text/html\r\n", "<title>A  title</title><p>Some \"text\"")))
	a.add("http://a/b", m, len(m))
	row, err := ParseLocation(fmt.Appendf(nil, `{"url":"http://a/b","content_languages":"eng,deu","content_language_confidence":0.75,`+
		`"content_language_declared":null,"warc_filename":%q,"warc_record_offset":0,"warc_record_length":%d}`, name, len(m)))
	if err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, serve(t, a.data, honest).URL)
	f.Format = TextLines
	want := fmt.Sprintf(`{"url":"http://a/b","fetch_time":"2026-07-01T02:25:01Z","warc_filename":"%s","warc_record_offset":0,`+
		`"warc_record_length":%d,"warc_record_id":"urn:id:http://a/b","content_languages":"eng,deu","content_language_confidence":0.75,`+
		`"title":"A title","text":"A title\nSome \"text\""}`+"\n", name, len(m))
	if got := f.do(t, row); got.out != want || !json.Valid([]byte(got.out)) {
		t.Errorf("%s, want %s: %q", got.out, want, got.failures)
	}
}

func TestBodyAndHTTP(t *testing.T) {
	const head, chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"
	a := new(archived)
	m := member(response("http://a/", []byte(head+chunks)))
	a.add("http://a/", m, len(m))
	info := member([]byte("WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\nContent-Length: 4\r\n\r\na: b"))
	a.add("", info, len(info))
	a.rows[1].RecordID = ""
	f := newFetcher(t, serve(t, a.data, honest).URL)
	f.Format = Body
	if got := f.do(t, a.rows...); got.out != "abca: b" {
		t.Errorf("bodies: %+v", got)
	}
	f.Format = HTTP
	if got := f.do(t, a.rows...); got.out != head+chunks || len(got.failures) != 1 || !strings.Contains(got.failures[0], "no HTTP message") {
		t.Errorf("HTTP: %+v", got)
	}
}

// Whatever a page is, its text is UTF-8 without controls but tabs and line ends, so
// that no text holds the separator.
func FuzzTextHoldsNoSeparator(f *testing.F) {
	f.Add("Content-Type: text/html\r\n", []byte("<p>a\fb"))
	f.Add("Content-Type: text/plain; charset=shift_jis\r\n", []byte("\f\n\x85\xff"))
	f.Add("Content-Type: application/json\r\n", []byte("\xfe\xff\x00\x0c"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		s := newSpan(Location{Filename: "x.warc"}, nil)
		s.data = response("http://a/", append([]byte("HTTP/1.1 200 OK\r\n"+header+"\r\n"), body...))
		s.Length = int64(len(s.data))
		p := (&Fetcher{Format: Text}).print(t.Context(), s, smallBlock)
		if !utf8.Valid(p.bytes) || bytes.ContainsAny(p.bytes, "\f\x00\x1e\r") {
			t.Fatalf("%q", p.bytes)
		}
	})
}
