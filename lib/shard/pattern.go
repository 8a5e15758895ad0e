package shard

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/surt"
)

// Pattern says which rows are looked for, by their URL.
type Pattern struct {
	// Host is a host name as url_host_name spells it.
	Host string
	// Exact leaves out the subdomains.
	Exact bool
	// Path is what the URL has after its host and port has to begin with, byte by
	// byte: "/news/2026"; "" is no condition. Characters that are not ASCII are
	// percent escapes, and hex digits of escapes upper-case.
	Path string
}

// ParsePattern reads a host or domain as people write it: in any case, with or
// without a trailing dot, in Unicode or in punycode, and perhaps a path. The scheme
// of a URL that was pasted is passed over.
func ParsePattern(text string, exact bool) (Pattern, error) {
	for _, scheme := range []string{"http://", "https://"} {
		if len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
			text = text[len(scheme):]
		}
	}
	host, path := text, ""
	if slash := strings.IndexByte(text, '/'); slash >= 0 {
		host, path = text[:slash], text[slash:]
	}
	if path == "/" {
		path = "" // every URL has it
	}
	host, err := hostname.Normalize(host)
	return Pattern{Host: host, Exact: exact, Path: escaped(path)}, err
}

// Matches reports whether host, a url_host_name in any spelling, is the
// pattern's or, if the pattern is not exact, below it. Labels are compared as a
// whole: notbbc.co.uk is not below bbc.co.uk.
func (p *Pattern) Matches(host string) bool {
	if p.Exact {
		return strings.EqualFold(strings.TrimSuffix(host, "."), p.Host)
	}
	return hostname.Matches(host, p.Host)
}

// MatchesURL reports whether url, of a host that matches, has the pattern's path. How
// escapes are written makes no difference: /ت, /%d8%aa and /%D8%AA are the same.
func (p *Pattern) MatchesURL(url string) bool {
	if p.Path == "" {
		return true
	}
	path := pathOf(url)
	return strings.HasPrefix(escaped(path[:min(len(path), len(p.Path))]), p.Path)
}

// escaped gives path with bytes that are not ASCII as percent escapes, and hex digits
// after a % upper-case (RFC 3986, section 6.2.2.1). Each byte is treated by what
// precedes it alone, so that a path that begins with another still does.
func escaped(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf }) {
		return path
	}
	out := make([]byte, 0, 3*len(path))
	for i := range len(path) {
		c := path[i]
		switch {
		case c >= utf8.RuneSelf:
			out = fmt.Appendf(out, "%%%X", c)
		case 'a' <= c && c <= 'f' && inEscape(path[:i]):
			out = append(out, c-'a'+'A')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// inEscape reports whether text ends in a % or in one with a hex digit.
func inEscape(text string) bool {
	if strings.HasSuffix(text, "%") {
		return true
	}
	n := len(text)
	return n >= 2 && text[n-2] == '%' && strings.IndexByte("0123456789abcdefABCDEF", text[n-1]) >= 0
}

// pathOf is what url has after its host and port: the path and what follows.
func pathOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	at := strings.IndexAny(rest, "/?#")
	switch {
	case at < 0:
		return "/"
	case rest[at] != '/':
		return "/" + rest[at:]
	}
	return rest[at:]
}

// span is a range of keys: those that begin with a prefix.
type span struct{ prefix string }

func (s span) meets(least, greatest string) bool {
	return least <= s.prefix+"\xff" && greatest >= s.prefix
}

// spans are where the keys of all rows that the pattern matches lie, in a shard
// whose keys are regular: they begin with the reversed host, and then comes ")" or
// ":". A key drops a leading "www." and the like, so that a pattern with one has a
// span for itself, and another for what is below it.
func (p *Pattern) spans() []span {
	host := surt.Host(p.Host)
	spans := []span{{host + ")"}, {host + ":"}}
	if p.Exact {
		return spans
	}
	domain := strings.TrimSuffix(surt.Host("x."+p.Host), ",x")
	spans = append(spans, span{domain + ","})
	if domain != host {
		spans = append(spans, span{domain + ")"}, span{domain + ":"})
	}
	return spans
}
