package httpmsg

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/sharedtest"
)

func TestContentType(t *testing.T) {
	tests := []struct{ in, mime, charset string }{
		{"", "unk", ""},
		{"  ", "unk", ""},
		{";", "unk", ""},
		{"Text/HTML;charset=x", "Text/HTML", ""},
		{"\ttext/html \t", "text/html", ""},
		{"text/html;\tcharset=UTF-8", "text/html", "UTF-8"},
		{"text/html; charset = utf-8", "text/html", "UTF-8"},
		{"text/html charset = utf-8", "text/html", "UTF-8"},
		{"text/html; charset=", "text/html", ""},
		{"text/html; charset=; charset=koi8-r", "text/html", "KOI8-R"},
		{`text/html; charset=""; charset=koi8-r`, "text/html", "KOI8-R"},
		{"text/html; charset=unheard; charset=koi8-r", "text/html", ""},
		{"text/html; charset", "text/html", ""},
		{"text/html; charset; charset=gbk", "text/html", "GBK"},
		{"text/html; charset utf-8", "text/html", ""},
		{`text/html; charset="utf-8"`, "text/html", "UTF-8"},
		{`text/html; charset="utf\-8"`, "text/html", "UTF-8"},
		{`text/html; charset="utf-8; x=y`, "text/html", "UTF-8"},
		{`text/html; charset=utf-8"; x=y`, "text/html", "UTF-8"},
		{`text/html; charset="'utf-8'"`, "text/html", "UTF-8"},
		{`text/html; charset=" utf-8 "`, "text/html", "UTF-8"},
		{`text/html; charset='windows-1251`, "text/html", "windows-1251"},
		{`text/html; title="a; charset=gbk"; charset=utf-8`, "text/html", "UTF-8"},
		{`text/html; title="a, b" c; charset=utf-8`, "text/html", "UTF-8"},
		{"text/html; xcharset=utf-8", "text/html", ""},
		{"text/html; charset=utf-8; charset=gbk", "text/html", "UTF-8"},
		{"text/html; CHARSET=UTF-8 foo", "text/html", "UTF-8"},
		{"text/html;charset=utf\x00-8", "text/html", ""},
		{"text/html; charset=é", "text/html", ""},
	}
	for _, tt := range tests {
		if got := ContentType(tt.in, true); got != tt.mime {
			t.Errorf("ContentType(%q) = %q, want %q", tt.in, got, tt.mime)
		}
		if got := Charset(tt.in); got != tt.charset {
			t.Errorf("Charset(%q) = %q, want %q", tt.in, got, tt.charset)
		}
	}
	if got := ContentType("text/html", false); got != "unk" {
		t.Errorf("absent: %q", got)
	}
}

func TestContentTypeVectors(t *testing.T) {
	for _, row := range sharedtest.Rows(t, "vectors", "content-type.tsv") {
		header, present := vectorHeader(row[0])
		if got := ContentType(header, present); got != row[1] {
			t.Errorf("ContentType(%q) = %q, want %q (%s)", header, got, row[1], row[len(row)-1])
		}
		want, _ := vectorHeader(row[4])
		if got := Charset(header); got != want {
			t.Errorf("Charset(%q) = %q, want %q (%s)", header, got, want, row[len(row)-1])
		}
	}
}

func TestJavaCharset(t *testing.T) {
	for _, row := range sharedtest.Rows(t, "vectors", "charset-java.tsv") {
		want := row[1]
		if strings.HasPrefix(want, "!") {
			want = ""
		}
		if got := JavaCharset(row[0]); got != want {
			t.Errorf("JavaCharset(%q) = %q, want %q", row[0], got, want)
		}
	}
}

// Java's own quirks, printed by Charset.forName of OpenJDK 17.0.15.
func TestJavaCharsetQuirks(t *testing.T) {
	for label, want := range map[string]string{
		"CSUTF8": "", "csUTF-8": "", "cp65001": "", "utf_8": "", "utf_16": "UTF-16", "utf-32": "UTF-32", "UTF-32BE": "UTF-32BE",
		"x-windows-949": "x-windows-949", "ms949": "x-windows-949", "ibm949": "x-IBM949", "cp936": "GBK", "windows-936": "GBK",
		"x-mswin-936": "x-mswin-936", "ms936": "x-mswin-936", "ms950": "x-windows-950", "cp950": "x-IBM950", "big5hk": "Big5-HKSCS",
		"euc_jp": "EUC-JP", "eucjp": "EUC-JP", "cp932": "x-IBM942C", "x-macroman": "x-MacRoman", "mac": "", "ibm-850": "IBM850",
		"iso-8859-14": "", "iso_8859-15": "ISO-8859-15", "latin9": "ISO-8859-15", "johab": "x-Johab", "iso-2022-kr": "ISO-2022-KR",
		"": "", " utf-8": "", "utf-7": "", "viscii": "",
	} {
		if got := JavaCharset(label); got != want {
			t.Errorf("JavaCharset(%q) = %q, want %q", label, got, want)
		}
	}
}

func FuzzCharsetIsAJavaName(f *testing.F) {
	f.Add(`text/html; charset="utf-8"`)
	f.Add(`a, b; charset = 'gbk`)
	f.Fuzz(func(t *testing.T, value string) {
		name := Charset(value)
		if name != "" && JavaCharset(name) != name {
			t.Errorf("Charset(%q) = %q", value, name)
		}
		mime := ContentType(value, true)
		if mime == "" || strings.ContainsAny(mime, "; ") || utf8.ValidString(value) && !utf8.ValidString(mime) {
			t.Errorf("ContentType(%q) = %q", value, mime)
		}
	})
}

// vectorHeader reads a field of the shared table: \N is an absent header, \E an empty one.
func vectorHeader(field string) (value string, present bool) {
	switch field {
	case `\N`:
		return "", false
	case `\E`:
		return "", true
	}
	return field, true
}
