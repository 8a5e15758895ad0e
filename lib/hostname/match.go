package hostname

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-index/ccnews/lib/field"
)

// Normalize gives a host or domain that a person typed the form of url_host_name: lower case, IDNs
// in punycode, no trailing dot, IPv6 in brackets. The error says why no host can match: it is empty,
// has no DNS form, or is more than a host, such as a URL, a host with a port, or a pattern.
func Normalize(pattern string) (string, error) {
	host := strings.TrimSpace(field.Text(pattern))
	if isIPv6(host) {
		host = "[" + host + "]"
	}
	name, kind := nameOf(lower(host))
	var err error
	switch {
	case strings.ContainsAny(host, "/?#@"):
		err = errors.New("is a URL: give its host alone")
	case strings.Contains(host, "*"):
		err = errors.New("is a pattern: give the domain, its subdomains match too")
	case strings.Contains(host, ":") && kind != address && !strings.HasSuffix(host, "]"):
		err = errors.New("has a port: give the host alone")
	case strings.HasPrefix(host, "."):
		err = errors.New("begins with a dot: give the domain, its subdomains match too")
	case strings.ContainsAny(host, " \t") || strings.Contains(host, ".."):
		err = errors.New("is no host name")
	case kind == noName:
		err = errors.New("has no DNS form")
	case name == "":
		err = errors.New("is empty")
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w", pattern, err)
	}
	return name, nil
}

// Matches reports whether host is domain or one of its subdomains, in any form that [Normalize]
// takes. It compares whole labels: notbbc.co.uk is not in bbc.co.uk, and 10.1.2.3 not in 2.3. An
// address has no subdomains, and nothing is in the empty domain.
func Matches(host, domain string) bool {
	host, _ = normal(host)
	domain, kind := normal(domain)
	if domain == "" || !strings.HasSuffix(host, domain) {
		return false
	}
	above := host[:len(host)-len(domain)]
	return above == "" || kind == dnsName && above[len(above)-1] == '.'
}

// normal is nameOf in any case. It must be quick for names that have their form already, since rows
// are filtered with it.
func normal(host string) (string, kind) {
	if isNormal(host) {
		return host, dnsName
	}
	return nameOf(lower(field.Text(host)))
}

// IsNormal reports whether host is spelled as [Split] spells it.
func IsNormal(host string) bool {
	name, _ := normal(host)
	return name == host
}

// isNormal reports that a host is surely a name in its final form.
func isNormal(host string) bool {
	for i := range len(host) {
		if c := host[i]; c != '.' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return host != "" && isAlpha(host[len(host)-1])
}
