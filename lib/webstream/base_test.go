package webstream

import (
	"path/filepath"
	"testing"
)

func TestResolve(t *testing.T) {
	const name = "crawl-data/CC-NEWS/2026/07/X.warc.gz"
	tests := []struct{ base, name, want string }{
		{"", name, "https://data.commoncrawl.org/" + name},
		{DefaultBase, name, "https://data.commoncrawl.org/" + name},
		{"http://127.0.0.1:8080", name, "http://127.0.0.1:8080/" + name},
		{"http://mirror/a", name, "http://mirror/a/" + name},
		{"HTTPS://mirror/a/", "/" + name, "https://mirror/a/" + name},
		{"https://mirror/a?key=b", name, "https://mirror/a/" + name + "?key=b"},
		{"https://mirror/a%2Fb/", "c d?e#f%20", "https://mirror/a%2Fb/c%20d%3Fe%23f%2520"},
		{"https://mirror/a/", "../../x", "https://mirror/a/x"},
		{"http://a b/", name, "http://a b/"},
		{"/archive", name, "/archive/" + name},
		{"archive/", name, "archive/" + name},
		{".", name, name},
		{"/archive", "../../etc/passwd", "/archive/etc/passwd"},
		{"/archive", "/" + name, "/archive/" + name},
		{"/archive", "https://elsewhere/x.warc", "https://elsewhere/x.warc"},
	}
	for _, tt := range tests {
		if got := filepath.ToSlash(Resolve(tt.base, tt.name)); got != tt.want {
			t.Errorf("%q, %q: %s; want %s", tt.base, tt.name, got, tt.want)
		}
	}
}

func TestIsURL(t *testing.T) {
	for s, want := range map[string]bool{
		"http://a": true, "https://a/b": true, "HTTPS://a": true, "http:/a": false, "a": false, "": false,
		"file:///a": false, "ftp://a": false, "/http://a": false, "://": false,
	} {
		if IsURL(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

func TestBase(t *testing.T) {
	t.Setenv("CC_BASE", "")
	if Base() != DefaultBase {
		t.Error(Base())
	}
	t.Setenv("CC_BASE", "/archive")
	if Base() != "/archive" {
		t.Error(Base())
	}
}
