package shard

import (
	"strings"

	"github.com/open-index/ccnews/lib/hostname"
)

// Pattern says which hosts are looked for.
type Pattern struct {
	// Host is a host name as url_host_name spells it.
	Host string
	// Exact leaves out the subdomains.
	Exact bool
}

// ParsePattern reads a host or domain as people write it: in any case, with or
// without a trailing dot, in Unicode or in punycode.
func ParsePattern(text string, exact bool) (Pattern, error) {
	host, err := hostname.Normalize(text)
	return Pattern{host, exact}, err
}

// Matches reports whether host, a url_host_name in any spelling, is the
// pattern's or, if the pattern is not exact, below it. Labels are compared as a
// whole: notbbc.co.uk is not below bbc.co.uk.
func (p Pattern) Matches(host string) bool {
	if p.Exact {
		return strings.EqualFold(strings.TrimSuffix(host, "."), p.Host)
	}
	return hostname.Matches(host, p.Host)
}
