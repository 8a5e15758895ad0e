package surt

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// location is a URL in parts.
type location struct {
	scheme string // lower-case
	host   string // canonical, not empty
	port   int    // as it was written, 99999 and -80 too; noPort if there is none
	path   string // as it was written
	query  string // as it was written; an empty query is as good as none
}

const noPort = -1

// schemes are the ones that a URL may have. A URL with another is taken for one without, so
// mailto:news@example.com is user news at the host example.com, with password and all.
var schemes = []string{"http", "https", "ftp", "mms", "rtsp", "wais"}

// defaultPorts has port 0 for the others: the reference drops that.
var defaultPorts = map[string]int{"http": 80, "https": 443}

// isOpaque reports records that are about no URL.
func isOpaque(url string) bool {
	return strings.HasPrefix(url, "dns:") || strings.HasPrefix(url, "filedesc:") ||
		strings.HasPrefix(url, "warcinfo:")
}

// trim removes blanks and controls at both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// removeBreaks removes tabs and line breaks, which browsers ignore within a URL. Blanks stay.
func removeBreaks(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x80 {
			return strings.Map(func(r rune) rune {
				switch r {
				case '\t', '\n', '\r', '\u0085', '\u2028', '\u2029':
					return -1
				}
				return r
			}, s)
		}
	}
	return s
}

// split takes a URL apart by the regular expression of RFC 2396, appendix B.
func split(url string) (location, error) {
	var l location
	l.scheme, url = cutScheme(url)
	url, _, _ = strings.Cut(url, "#")
	end := strings.IndexAny(url, "/?")
	if end < 0 {
		end = len(url)
	}
	host, port, err := splitAuthority(url[:end])
	if err != nil {
		return l, err
	}
	if l.port, err = parsePort(port); err != nil {
		return l, err
	}
	if l.host, err = canonicalHost(host); err != nil {
		return l, err
	}
	l.path, l.query, _ = strings.Cut(url[end:], "?")
	return l, nil
}

// cutScheme removes the scheme and its two slashes; http if there is none. Further slashes are
// removed after http and https, but not if these are in capitals.
func cutScheme(url string) (scheme, rest string) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || !slices.Contains(schemes, strings.ToLower(scheme)) {
		scheme, rest = "http", url
	}
	if scheme == "http" || scheme == "https" {
		rest = strings.TrimLeft(rest, "/")
	}
	return strings.ToLower(scheme), rest
}

// splitAuthority finds host and port in user:password@host:port. The first "@" counts. Brackets hide
// the colons of an IPv6 address, but not behind a user.
func splitAuthority(authority string) (host, port string, err error) {
	if authority == "" {
		return "", "", errNoHost
	}
	if _, after, ok := strings.Cut(authority, "@"); ok {
		host, port, _ = strings.Cut(after, ":")
		return host, port, nil
	}
	skip := 0
	if authority[0] == '[' {
		skip = strings.IndexByte(authority, ']') + 1
	}
	host, port, _ = strings.Cut(authority[skip:], ":")
	return authority[:skip+len(host)], port, nil
}

var errNoHost = errors.New("no host")

// parsePort reads a port as Java reads an int: with a sign, and with leading zeros.
func parsePort(s string) (int, error) {
	if s == "" {
		return noPort, nil
	}
	port, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return noPort, errors.New("port is not a number")
	}
	return int(port), nil
}
