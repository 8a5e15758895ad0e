package webstream

import (
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// DefaultBase is where Common Crawl publishes its archives.
const DefaultBase = "https://data.commoncrawl.org/"

// Base is where archives are read from: the environment variable CC_BASE, a URL or
// a folder, and [DefaultBase] if it is not set.
func Base() string { return cmp.Or(os.Getenv("CC_BASE"), DefaultBase) }

// IsURL reports whether s is an http or https URL and not the path of a file.
func IsURL(s string) bool {
	scheme, _, found := strings.Cut(s, "://")
	scheme = strings.ToLower(scheme)
	return found && (scheme == "http" || scheme == "https")
}

// Resolve says where the archive called name is: a URL if base is one, else a
// path in the folder base. "" is [DefaultBase]. A name such as
// crawl-data/CC-NEWS/2026/07/X.warc.gz is a path below base, and no ".." in it leads
// out of base: names come from data. A name that is a URL is taken as it stands.
func Resolve(base, name string) string {
	if IsURL(name) {
		return name
	}
	below := strings.TrimPrefix(path.Clean("/"+name), "/")
	base = cmp.Or(base, DefaultBase)
	if !IsURL(base) {
		return filepath.Join(base, filepath.FromSlash(below))
	}
	u, err := url.Parse(base)
	if err != nil {
		return base // Open says what is wrong with it
	}
	return u.JoinPath((&url.URL{Path: below}).EscapedPath()).String()
}
