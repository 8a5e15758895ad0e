package ccindex

import (
	"strings"

	"github.com/open-index/ccnews/lib/record"
)

// redirect is where a redirect leads, as an absolute URL: the first Location
// resolved against the record's URL and not normalised any further. It is null
// if the status is no redirect (304 is none), or there is no Location, or it has
// a scheme that is not fetched.
func redirect(r *record.Record) *string {
	if r.HTTPStatus < 300 || r.HTTPStatus > 399 || r.HTTPStatus == 304 {
		return nil
	}
	location := strings.TrimSpace(r.HTTPHeaders.Get("location"))
	if location == "" {
		return nil
	}
	return optional(resolve(r.URL, location))
}

// resolve makes ref absolute by RFC 3986, section 5.2, without taking apart or
// escaping anything: net/url refuses, or rewrites, what servers really send. ""
// says that there is no such URL.
func resolve(base, ref string) string {
	if name, _, ok := cutScheme(ref); ok {
		switch strings.ToLower(name) {
		case "http", "https", "ftp":
			return ref
		}
		return ""
	}
	name, rest, ok := cutScheme(base)
	if !ok || !strings.HasPrefix(rest, "//") {
		return ""
	}
	end := strings.IndexAny(rest[2:], "/?#")
	if end < 0 {
		end = len(rest) - 2
	}
	origin, below := name+":"+rest[:2+end], rest[2+end:]
	below, _, _ = strings.Cut(below, "#")
	basePath, _, _ := strings.Cut(below, "?")
	switch {
	case strings.HasPrefix(ref, "//"):
		return name + ":" + ref
	case ref[0] == '#':
		return origin + below + ref
	case ref[0] == '?':
		return origin + rooted(basePath) + ref
	case ref[0] == '/':
		return origin + cleanPath(ref)
	}
	return origin + cleanPath(rooted(basePath)[:strings.LastIndexByte(rooted(basePath), '/')+1]+ref)
}

// cutScheme cuts "scheme:" off a URL (RFC 3986, section 3.1).
func cutScheme(url string) (name, rest string, ok bool) {
	i := strings.IndexByte(url, ':')
	if i <= 0 {
		return "", "", false
	}
	for j, c := range []byte(url[:i]) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (j == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return "", "", false
		}
	}
	return url[:i], url[i+1:], true
}

func rooted(urlPath string) string {
	if urlPath == "" {
		return "/"
	}
	return urlPath
}

// cleanPath takes "." and ".." segments out of the path of pathAndMore.
func cleanPath(pathAndMore string) string {
	end := strings.IndexAny(pathAndMore, "?#")
	if end < 0 {
		end = len(pathAndMore)
	}
	urlPath, more := pathAndMore[:end], pathAndMore[end:]
	if !strings.Contains(urlPath, "/.") {
		return pathAndMore
	}
	var kept []string
	segments := strings.Split(urlPath, "/")[1:]
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".", "..":
			if segment == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/") + more
}
