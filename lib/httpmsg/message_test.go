package httpmsg

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	fields := Header{{Name: "a", Values: []string{"1"}}}
	tests := []struct {
		name, head string // the body follows the head
		want       Message
	}{
		{"crlf", "HTTP/1.1 200 OK\r\nA: 1\r\n\r\n", Message{"HTTP/1.1 200 OK", 200, fields, 0}},
		{"lf", "HTTP/1.1 200 OK\nA: 1\n\n", Message{"HTTP/1.1 200 OK", 200, fields, 0}},
		{"cr cr lf", "HTTP/1.1 200 OK\r\r\nA: 1\r\r\n\r\r\n", Message{"HTTP/1.1 200 OK", 200, fields, 0}},
		{"empty line first", "\r\nHTTP/1.1 200 OK\r\nA: 1\r\n\r\n", Message{"HTTP/1.1 200 OK", 200, fields, 0}},
		{"no fields", "HTTP/1.0 204 No Content\r\n\r\n", Message{"HTTP/1.0 204 No Content", 204, nil, 0}},
		{"reason with blanks", "HTTP/1.1 404 Not Found\n\n", Message{"HTTP/1.1 404 Not Found", 404, nil, 0}},
		{"empty reason", "HTTP/1.1 302 \r\n\r\n", Message{"HTTP/1.1 302 ", 302, nil, 0}},
		{"no reason", "HTTP/1.1 302\r\n\r\n", Message{"HTTP/1.1 302", 302, nil, 0}},
		{"http/2", "HTTP/2 200\r\n\r\n", Message{"HTTP/2 200", 200, nil, 0}},
		{"half a version", "HTTP/1. 200\r\n\r\n", Message{"HTTP/1. 200", 200, nil, 0}},
		{"no version", "HTTP 200 OK\r\n\r\n", Message{"HTTP 200 OK", 200, nil, 0}},
		{"lower case", "http/1.1 200 ok\r\n\r\n", Message{"http/1.1 200 ok", 200, nil, 0}},
		{"icy", "ICY 200 OK\r\n\r\n", Message{"ICY 200 OK", 200, nil, 0}},
		{"two blanks", "HTTP/1.1  200  OK\r\n\r\n", Message{"HTTP/1.1  200  OK", 200, nil, 0}},
		{"no status", "HTTP/1.1\r\nA: 1\r\n\r\n", Message{"HTTP/1.1", 0, fields, 0}},
		{"status and reason in one", "HTTP/1.1 200OK\r\n\r\n", Message{"HTTP/1.1 200OK", 0, nil, 0}},
		{"short status", "HTTP/1.1 20 OK\r\n\r\n", Message{"HTTP/1.1 20 OK", 0, nil, 0}},
		{"low status", "HTTP/1.1 099 x\r\n\r\n", Message{"HTTP/1.1 099 x", 0, nil, 0}},
		{"high status", "HTTP/1.1 999 No\r\n\r\n", Message{"HTTP/1.1 999 No", 999, nil, 0}},
		{"long status", "HTTP/1.1 2000 OK\r\n\r\n", Message{"HTTP/1.1 2000 OK", 0, nil, 0}},
		{"signed status", "HTTP/1.1 -20 OK\r\n\r\n", Message{"HTTP/1.1 -20 OK", 0, nil, 0}},
		{"latin-1 reason", "HTTP/1.1 404 Art\xedculo\r\n\r\n", Message{"HTTP/1.1 404 Artículo", 404, nil, 0}},
		{"utf-8 reason", "HTTP/1.1 404 Art\xc3\xadculo\r\n\r\n", Message{"HTTP/1.1 404 Artículo", 404, nil, 0}},
		{"request", "GET /a?b HTTP/1.1\r\nA: 1\r\n\r\n", Message{"GET /a?b HTTP/1.1", 0, fields, 0}},
		{"request without version", "GET /path \r\nA: 1\r\n\r\n", Message{"GET /path ", 0, fields, 0}},
		{"request with a port for a host", "GET :8080/ HTTP/1.1\r\n\r\n", Message{"GET :8080/ HTTP/1.1", 0, nil, 0}},
		{"rare method", "PROPFIND /a HTTP/1.1\r\n\r\n", Message{"PROPFIND /a HTTP/1.1", 0, nil, 0}},
	}
	for _, tt := range tests {
		for _, body := range []string{"", "body\r\n\r\nmore", "\n"} {
			want := tt.want
			want.BodyOffset = len(tt.head)
			got, ok := Parse([]byte(tt.head + body))
			if diff := cmp.Diff(want, got); diff != "" || !ok {
				t.Errorf("%s, body %q: ok %v, -want +got\n%s", tt.name, body, ok, diff)
			}
		}
	}
}

func TestParseHeadWithoutEnd(t *testing.T) {
	for _, block := range []string{
		"HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: 1", "HTTP/1.1 200 OK\nA: 1\n", "HTTP/1.1 200 OK\nA: 1\n <p>",
	} {
		m, ok := Parse([]byte(block))
		if !ok || m.Status != 200 || m.BodyOffset != len(block) {
			t.Errorf("Parse(%q) = %+v, %v; want an empty body", block, m, ok)
		}
	}
}

func TestParseNoHTTP(t *testing.T) {
	for _, block := range []string{
		"", "\r\n\r\n", "<!DOCTYPE html><title>GET /</title>", "\x89PNG\r\n\x1a\n", "\x00\x00", "http://example.com/ 200",
		"Content-Type: text/html\r\n\r\n<p>", `127.0.0.1 - - [01/Jan/2020] "GET / HTTP/1.1" 200 5`, "GET", "GET ", "GET some rest",
		"NOTE /etc/passwd", "HTTP is a protocol", "ICY weather", "software: x HTTP/1.1",
	} {
		if m, ok := Parse([]byte(block)); ok || m.BodyOffset != 0 {
			t.Errorf("Parse(%q) = %+v, %v; want no message", block, m, ok)
		}
	}
}

func TestParseLooksAtMaxHeadBytes(t *testing.T) {
	block := []byte("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 3*MaxHead/2) + "\r\n\r\nbody")
	m, ok := Parse(block)
	if !ok || m.BodyOffset != MaxHead {
		t.Errorf("body at %d, ok %v; want %d", m.BodyOffset, ok, MaxHead)
	}
	prefix, _ := Parse(block[:MaxHead])
	if diff := cmp.Diff(m, prefix); diff != "" {
		t.Error("a prefix of MaxHead bytes gives another message")
	}
	block = []byte("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", MaxHead/2) + "\r\n\r\nbody")
	if m, _ := Parse(block); string(block[m.BodyOffset:]) != "body" {
		t.Errorf("a long head: body at %d of %d", m.BodyOffset, len(block))
	}
}

func FuzzParseKeepsEveryBodyByte(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nA: 1\r\n b\r\n"), []byte("body"))
	f.Add([]byte("\nGET / \nA\xff: \xe9\n"), []byte("\n\n"))
	f.Add([]byte("<html>"), []byte(""))
	f.Fuzz(func(t *testing.T, head, body []byte) {
		block := append(append(bytes.Clone(head), "\r\n\r\n"...), body...)
		m, ok := Parse(block)
		if !ok {
			if m.BodyOffset != 0 {
				t.Fatal("no message, yet the body is not the whole block")
			}
			return
		}
		if m.BodyOffset < 0 || m.BodyOffset > min(len(block), MaxHead) || m.Status != 0 && (m.Status < 100 || m.Status > 999) {
			t.Fatalf("%+v", m)
		}
		hasStartLine := len(bytes.TrimLeft(head, "\r\n")) > 0
		if hasStartLine && len(head) < MaxHead && !bytes.HasSuffix(block[m.BodyOffset:], body) {
			t.Fatalf("body %q lost bytes: %q", body, block[m.BodyOffset:])
		}
		if !utf8.ValidString(m.StartLine) {
			t.Fatalf("start line %q", m.StartLine)
		}
		for _, f := range m.Header {
			if !utf8.ValidString(f.Name) || !utf8.ValidString(strings.Join(f.Values, "")) {
				t.Fatalf("field %q", f)
			}
		}
	})
}
