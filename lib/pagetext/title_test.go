package pagetext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTitle(t *testing.T) {
	for page, want := range map[string]string{
		"<title>A &amp; B</title>":                                  "A & B",
		"<head><TITLE lang=en>\n  Two\t words </TITLE>":             "Two words",
		"<title></title><title> </title><title>Third</title>":       "Third",
		"<svg><title>Logo</title></svg><title>Page</title>":         "Page",
		"<title>Never closed<body><p>text":                          "Never closed",
		"<title>At the end":                                         "At the end",
		"<script>'<title>No</title>'</script><title>Yes</title>":    "Yes",
		"<!-- <title>No</title> --><p>text":                         "",
		"<title>Bytes \xff</title>":                                 "Bytes \ufffd",
		"<noscript><title>Without script</title></noscript>":        "Without script",
		"<title>One <!-- comment --> title</title><title>2</title>": "One title",
		"": "",
	} {
		if got := Title([]byte(page)); got != want {
			t.Errorf("%q: %q, want %q", page, got, want)
		}
	}
}

func FuzzTitleIsOneLineOfUTF8(f *testing.F) {
	f.Add([]byte("<svg><title>a</svg><title>b\n\xffc</title>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		if title := Title(page); !utf8.ValidString(title) || strings.ContainsAny(title, "\n\r\f") {
			t.Fatalf("%q", title)
		}
	})
}
