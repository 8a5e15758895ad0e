package field

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, in string
		want     Header
	}{
		{"crlf", "A: 1\r\nB: 2\r\n", Header{{"a", []string{"1"}}, {"b", []string{"2"}}}},
		{"lf", "A: 1\nB: 2\n", Header{{"a", []string{"1"}}, {"b", []string{"2"}}}},
		{"cr cr lf", "A: 1\r\r\nB: 2\r\r\n", Header{{"a", []string{"1"}}, {"b", []string{"2"}}}},
		{"no line end", "A: 1", Header{{"a", []string{"1"}}}},
		{"stops at the empty line", "A: 1\n\nB: 2\n", Header{{"a", []string{"1"}}}},
		{"values in order, names as first seen", "S: x\nB: 2\ns: y\nS: x\n",
			Header{{"s", []string{"x", "y", "x"}}, {"b", []string{"2"}}}},
		{"blank before the colon", "P3P : CP=x\n", Header{{"p3p", []string{"CP=x"}}}},
		{"blank in the name", "Power by: Auto\n", Header{{"power by", []string{"Auto"}}}},
		{"empty name", ": x\n", Header{{"", []string{"x"}}}},
		{"empty value", "Location:\n", Header{{"location", []string{""}}}},
		{"markup as name", "<b class=\"why\">h</b>: x\n", Header{{"<b class=\"why\">h</b>", []string{"x"}}}},
		{"double colon", "http-header-from:: a@b\n", Header{{"http-header-from", []string{": a@b"}}}},
		{"no colon", "A: 1\nnonsense\nB: 2\n", Header{{"a", []string{"1"}}, {"b", []string{"2"}}}},
		{"control bytes", "A: x\x00\x08y\n", Header{{"a", []string{"x\x00\x08y"}}}},
		{"many blanks", "Content-Length: \t     5155 \t\n", Header{{"content-length", []string{"5155"}}}},
		{"fold", "A: one\r\n two\r\n\t three\r\n", Header{{"a", []string{"one two three"}}}},
		{"fold begins the value", "Content-Length:\r\n 1024\r\n", Header{{"content-length", []string{"1024"}}}},
		{"blank fold", "A: one\r\n  \r\n two\r\n", Header{{"a", []string{"one two"}}}},
		{"fold with a colon", "A: one\r\n B: two\r\n", Header{{"a", []string{"one B: two"}}}},
		{"fold first", " A: 1\nB: 2\n", Header{{"a", []string{"1"}}, {"b", []string{"2"}}}},
		{"fold after a line without colon", "x\n A: 1\n", Header{{"a", []string{"1"}}}},
		{"utf-8", "A: \xc3\xa9\n", Header{{"a", []string{"é"}}}},
		{"latin-1", "\xc9: \xe9\xc3\xa9\n", Header{{"É", []string{"éÃ©"}}}},
		{"latin-1 with a fold", "A: \xc3\xa9\n \xe9\n", Header{{"a", []string{"Ã© é"}}}},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Parse([]byte(tt.in))); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

func TestHead(t *testing.T) {
	tests := []struct {
		in, start string
		size      int
		ended     bool
	}{
		{"WARC/1.0\r\nA: 1\r\n\r\nbody", "WARC/1.0", 18, true},
		{"WARC/1.0\nA: 1\n\n\nbody", "WARC/1.0", 15, true},
		{"WARC/1.0\r\r\nA: 1\r\r\n\r\r\nbody", "WARC/1.0", 21, true},
		{"WARC/1.0\r\n\r\nbody", "WARC/1.0", 12, true},
		{"WARC/1.0\r\nA: 1\r\n", "WARC/1.0", 16, false},
		{"WARC/1.0\r\n", "WARC/1.0", 10, false},
		{"WARC/1.0", "WARC/1.0", 8, false},
		{"", "", 0, false},
	}
	for _, tt := range tests {
		start, _, size, ended := Head([]byte(tt.in))
		if start != tt.start || size != tt.size || ended != tt.ended {
			t.Errorf("Head(%q) = %q, %d, %v; want %q, %d, %v", tt.in, start, size, ended, tt.start, tt.size, tt.ended)
		}
	}
}

func TestHeaderIgnoresCase(t *testing.T) {
	h := Parse([]byte("Set-Cookie: a\nSET-COOKIE: b\n"))
	if got := h.Get("Set-Cookie"); got != "a" {
		t.Errorf("Get = %q", got)
	}
	if got := h.Values("set-cookie"); len(got) != 2 {
		t.Errorf("Values = %q", got)
	}
	if h.Get("x") != "" || h.Values("x") != nil {
		t.Error("an absent field has a value")
	}
}

// A mebibyte of distinct names, or of folds, must not take quadratic time.
func TestHostileHeadsAreLinear(t *testing.T) {
	var names, folds bytes.Buffer
	for i := 0; names.Len() < 1<<20; i++ {
		names.WriteString(strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune(0x100+i%50000)) + ":\n")
	}
	folds.WriteString("A: 1\n")
	for folds.Len() < 1<<20 {
		folds.WriteString(" x\n")
	}
	begin := time.Now()
	Parse(names.Bytes())
	Parse(folds.Bytes())
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzHeadIsValidUTF8AndSplitsTheBlock(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nA: 1\r\n b\r\n\r\nbody"))
	f.Add([]byte("WARC/1.0\nA\xff: \xe9\n\n"))
	f.Fuzz(func(t *testing.T, block []byte) {
		start, h, size, ended := Head(block)
		if size < 0 || size > len(block) || (!ended && size != len(block)) {
			t.Fatalf("size %d of %d, ended %v", size, len(block), ended)
		}
		if !utf8.ValidString(start) {
			t.Fatalf("start line %q", start)
		}
		seen := map[string]bool{}
		for _, f := range h {
			if seen[f.Name] || len(f.Values) == 0 || !utf8.ValidString(f.Name) {
				t.Fatalf("field %q: %q", f.Name, f.Values)
			}
			seen[f.Name] = true
			for _, v := range f.Values {
				if !utf8.ValidString(v) || strings.ContainsAny(v, "\n") {
					t.Fatalf("field %q: %q", f.Name, f.Values)
				}
			}
		}
	})
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"a ä":           "a ä",
		"M\xfcnchen":    "München",
		"ä\xff":         "Ã¤ÿ", // all of it is Latin-1
		"\xed\xa0\x80":  "í\u00a0\u0080",
		"\x80\ufffdend": "\u0080ï¿½end",
	} {
		if s, b := Text(text), Text([]byte(text)); s != want || b != want {
			t.Errorf("Text(%q) = %q and %q, want %q", text, s, b, want)
		}
	}
}
