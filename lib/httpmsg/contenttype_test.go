package httpmsg

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
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
	for _, row := range vectors(t, "content-type.tsv") {
		header, present := unescape(row[0])
		if got := ContentType(header, present); got != row[1] {
			t.Errorf("ContentType(%q) = %q, want %q (%s)", header, got, row[1], row[len(row)-1])
		}
		want, _ := unescape(row[4])
		if got := Charset(header); got != want {
			t.Errorf("Charset(%q) = %q, want %q (%s)", header, got, want, row[len(row)-1])
		}
	}
}

func TestJavaCharset(t *testing.T) {
	for _, row := range vectors(t, "charset-java.tsv") {
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

// vectors reads the rows of a shared test table, and skips the test where the shared files are not.
func vectors(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(sharedDir(t), "vectors", name))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED: no shared files: ", err)
	}
	defer f.Close()
	var rows [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "# ") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return rows
}

// sharedDir is $SHARED, or the folder "shared" beside the repository.
func sharedDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// unescape undoes the escapes of the shared tables; present is false for \N.
func unescape(s string) (value string, present bool) {
	switch s {
	case `\N`:
		return "", false
	case `\E`:
		return "", true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'x':
			n, _ := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8)
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), true
}
