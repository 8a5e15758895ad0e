package surt

import (
	"regexp"
	"strings"
)

// canonicalPath decodes, resolves dots, escapes and folds a path; one trailing slash is removed, but
// the root stays "/".
func canonicalPath(path string) string {
	path = strings.ToLower(escape(removeDots(unescape(path))))
	path = stripSession(path)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

// removeDots resolves "." and "..", and removes empty segments. A ".." with nothing before it stays,
// and the next one takes it away. An empty segment is still one that ".." takes away.
func removeDots(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "//") && !strings.Contains(path, "/.") {
		return path
	}
	var kept []string
	for segment := range strings.SplitSeq(path[1:], "/") {
		switch {
		case segment == ".":
		case segment == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, segment)
		}
	}
	out := make([]byte, 0, len(path))
	for i, segment := range kept {
		if segment != "" || i == len(kept)-1 {
			out = append(append(out, '/'), segment...)
		}
	}
	if len(out) == 0 {
		return "/"
	}
	return string(out)
}

// The two forms in which ASP.NET keeps a session in the path, lower-case: /(s(…24…))/ and /(…24…)/
// before the name of a page. The last one in the path counts.
var (
	wrappedSession = regexp.MustCompile(`^.*/(\((?:[a-z]\([0-9a-z]{24}\))+\)/)[^?]+\.aspx`)
	bareSession    = regexp.MustCompile(`^.*/(\([0-9a-z]{24}\)/)[^?]+\.aspx`)
)

// stripSession removes the session of an ASP.NET page from a lower-case path.
func stripSession(path string) string {
	if !strings.Contains(path, "/(") || !strings.Contains(path, ".aspx") {
		return path
	}
	for _, session := range []*regexp.Regexp{wrappedSession, bareSession} {
		if m := session.FindStringSubmatchIndex(path); m != nil {
			path = path[:m[2]] + path[m[3]:]
		}
	}
	return path
}
