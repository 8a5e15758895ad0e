// Package surt makes the url_surtkey of a URL, the sort key of Common Crawl's indexes: the host's
// labels reversed, then the rest, so that a host, a domain and a folder are each a range of keys.
//
//	https://www.bbc.co.uk/News/?b=2&a=1  →  uk,co,bbc)/news?a=1&b=2
//
// No two tools agree on these keys (https://github.com/webrecorder/specs/issues/146). This package
// makes the ones that Common Crawl publishes: those of WaybackURLKeyMaker of webarchive-commons 2
// and 3 with its aggressive canonicalizer (https://github.com/iipc/webarchive-commons), found out by
// running it; doc/columns.md has its rules. They treat a URL as text: net/url would
// refuse or rewrite much of what the archives hold.
//
// # Encoding
//
// Keys are valid UTF-8, and ASCII for every URL with a host. A URL that is not UTF-8 is read as
// Latin-1 as a whole, as the record stream reads header values.
package surt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/open-index/ccnews/lib/field"
)

// Key returns the url_surtkey of a URL; an empty URL has the key "-". The error says that Common
// Crawl's canonicalizer throws for this URL, and so its index has no such row: there is no host, or
// the port is not a number.
func Key(url string) (string, error) {
	url = field.Text(url)
	switch {
	case url == "":
		return "-", nil
	case strings.HasPrefix(url, "filedesc"), strings.HasPrefix(url, "warcinfo"):
		return url, nil
	case strings.HasPrefix(url, "dns:"):
		host := url[len("dns:"):]
		if host == "" {
			return "", fmt.Errorf("%q: %w", url, errNoHost)
		}
		return string(append(appendHost(nil, host), ')')), nil
	}
	text := removeBreaks(trim(url))
	if isOpaque(text) {
		// Only blanks before the scheme lead here. The reference then looks for the "(" that it
		// writes before a host, and falls back to the URL.
		if _, rest, ok := strings.Cut(text, "("); ok {
			return rest, nil
		}
		return url, nil
	}
	l, err := split(text)
	if err != nil {
		return "", fmt.Errorf("%q: %w", url, err)
	}
	return l.key(), nil
}

// KeyOrURL returns the key of a URL, or the URL itself if it has none, so that every row has one.
func KeyOrURL(url string) string {
	key, err := Key(url)
	if err != nil {
		return field.Text(url)
	}
	return key
}

// Host returns what the keys of a host's URLs begin with: its labels reversed, without www. In the
// keys it is followed by ")", by ":" and a port, or, for subdomains, by ",". Subdomains that begin
// with www are not among the latter but have the domain's own keys. The host may be in Unicode, in
// capitals, or end in a dot. Host returns "" for a host that no URL can have.
func Host(host string) string {
	name, err := canonicalHost(trim(field.Text(host)))
	if err != nil {
		return ""
	}
	return string(appendHost(nil, name))
}

// key puts the canonical parts together.
func (l location) key() string {
	path, query := canonicalPath(l.path), canonicalQuery(l.query)
	key := make([]byte, 0, len(l.host)+len(":65535)?")+len(path)+len(query))
	key = appendHost(key, l.host)
	if l.port != noPort && l.port != defaultPorts[l.scheme] {
		key = append(key, ':')
		key = strconv.AppendInt(key, int64(l.port), 10)
	}
	key = append(key, ')')
	key = append(key, path...)
	if query != "" {
		key = append(key, '?')
		key = append(key, query...)
	}
	return string(key)
}

// appendHost appends the host with its labels reversed. Addresses are reversed like names; only an
// IPv6 address without a dotted part is kept in its order, and loses its brackets.
func appendHost(key []byte, host string) []byte {
	if !strings.Contains(host, ".") {
		if host[0] == '[' && host[len(host)-1] == ']' {
			host = host[1 : len(host)-1]
		}
		return append(key, host...)
	}
	for {
		dot := strings.LastIndexByte(host, '.')
		key = append(key, host[dot+1:]...)
		if dot < 0 {
			return key
		}
		key = append(key, ',')
		host = host[:dot]
	}
}
