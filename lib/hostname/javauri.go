package hostname

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// uri holds what the columns need of a java.net.URI.
type uri struct {
	scheme         string // in its case; "" for none
	opaque         bool   // scheme:something, without a slash
	schemeSpecific string // all between the scheme and the fragment
	host           string // "" for none, also if the authority is not a server's
	path           string
}

// Punctuation that RFC 2396 allows in each part of a URI, beside letters, digits, escapes and,
// in Java, most non-ASCII characters.
const (
	marks         = "_-!.~'()*"
	userinfoMarks = marks + ";:&=+$,"
	pathMarks     = userinfoMarks + "@/"
	uricMarks     = pathMarks + "?[]"
	regNameMarks  = userinfoMarks + "@"
	serverMarks   = regNameMarks + "[]"
)

// parseURI parses as the constructor of java.net.URI does. The error stands for a
// URISyntaxException.
func parseURI(s string) (uri, error) {
	var u uri
	s, fragment, fragmented := strings.Cut(s, "#")
	if !isLegal(fragment, uricMarks) {
		return u, errors.New("bad character in fragment")
	}
	if i := strings.IndexAny(s, ":/?"); i >= 0 && s[i] == ':' {
		if !isScheme(s[:i]) {
			return u, errors.New("bad scheme")
		}
		u.scheme, s = s[:i], s[i+1:]
		u.opaque = !strings.HasPrefix(s, "/")
	}
	u.schemeSpecific = s
	if u.opaque {
		if s == "" || !isLegal(s, uricMarks) {
			return u, errors.New("bad scheme-specific part")
		}
		return u, nil
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		end := strings.IndexAny(rest, "/?")
		if end < 0 {
			end = len(rest)
		}
		if rest == "" && !fragmented {
			return u, errors.New("no authority")
		}
		var err error
		if u.host, err = uriHost(rest[:end]); err != nil {
			return u, err
		}
		s = rest[end:]
	}
	path, query, _ := strings.Cut(s, "?")
	if !isLegal(path, pathMarks) || !isLegal(query, uricMarks) {
		return u, errors.New("bad character in path or query")
	}
	u.path = path
	return u, nil
}

func isScheme(s string) bool {
	for i := range len(s) {
		if !isAlpha(s[i]) && (i == 0 || !isDigits(s[i:i+1]) && !strings.Contains("+-.", s[i:i+1])) {
			return false
		}
	}
	return s != ""
}

// isLegal reports whether a part has only characters that are allowed in it.
func isLegal(s, marks string) bool {
	for i, r := range s {
		switch {
		case r == '%':
			if !isEscape(s[i+1:]) {
				return false
			}
		case r < 0x80:
			if c := byte(r); !isAlphanumeric(c) && strings.IndexByte(marks, c) < 0 {
				return false
			}
		case r < 0xa0 || unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp):
			return false
		}
	}
	return true
}

// uriHost returns the host of a server's authority, "" for one that is another kind of name.
func uriHost(authority string) (string, error) {
	isName := isLegal(authority, regNameMarks)
	// Percent signs may stand in an IPv6 zone, so Java looks away from them here.
	if isLegal(strings.ReplaceAll(authority, "%", ""), serverMarks) {
		if host, ok := serverHost(authority); ok {
			return host, nil
		}
	}
	if !isName {
		return "", errors.New("bad authority")
	}
	return "", nil
}

// serverHost parses user@host:port.
func serverHost(authority string) (string, bool) {
	if user, rest, ok := strings.Cut(authority, "@"); ok {
		if !isLegal(user, userinfoMarks) {
			return "", false
		}
		authority = rest
	}
	host, port, err := cutPort(authority)
	if err != nil {
		return "", false
	}
	if port != "" {
		if _, err := strconv.ParseInt(port, 10, 32); err != nil || !isDigits(port) {
			return "", false
		}
	}
	if strings.HasPrefix(host, "[") {
		_, zone, _ := strings.Cut(host[:len(host)-1], "%")
		return host, !strings.Contains(zone, "%") && isASCII(zone) && isLegal(zone, "_.")
	}
	return host, isURIHostname(host)
}

// isURIHostname takes letters, digits and inner hyphens in labels, of which the last begins with a
// letter, or an IPv4 address. A single label may begin with a digit.
func isURIHostname(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, label := range labels {
		if label == "" || !isAlphanumeric(label[0]) || !isAlphanumeric(label[len(label)-1]) {
			return false
		}
		for i := range len(label) {
			if !isAlphanumeric(label[i]) && label[i] != '-' {
				return false
			}
		}
	}
	return len(labels) == 1 || isAlpha(labels[len(labels)-1][0]) || isIPv4(host)
}

func isAlpha(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z'
}

func isAlphanumeric(c byte) bool {
	return isAlpha(c) || '0' <= c && c <= '9'
}
