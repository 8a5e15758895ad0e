// Package hostname derives the URL columns of Common Crawl's index that have to do with the host:
// url_protocol, url_host_name, url_host_tld and url_host_registered_domain.
//
// A query written for cc-index runs unchanged on our rows only if these four follow Common Crawl's
// own tools bit by bit, so the package does what they do, on odd input too: it splits a URL as
// java.net.URL and, where that refuses it, java.net.URI do in Java 17, and names the host as the class
// HostName of cc-index-table does (https://github.com/commoncrawl/cc-index-table). What a browser or
// net/url would make of the URL does not count.
//
// # Nulls
//
// A column is null where the reference has a null, and it may be empty: http: has the empty host.
// [Parts] keeps the two apart.
//
// # Encoding
//
// Results are valid UTF-8. A URL or host that is not is read as Latin-1 as a whole, as the record
// stream reads header values.
package hostname

import (
	"fmt"
	"strings"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/open-index/ccnews/lib/field"
)

// Parts are the columns that Split derives from a URL; nil is null.
type Parts struct {
	Protocol         *string // scheme, lower-case if it is one of the web; nil for a relative reference such as www.example.com
	Host             *string // DNS form, www kept, no port, IPv6 in brackets; nil if there is none or it has no DNS form
	TLD              *string // last label of Host, listed or not; nil for IP addresses and where Host is nil
	RegisteredDomain *string // one label below the longest ICANN suffix; nil where the list has none
}

// Split derives the columns of a URL by doc/columns.md. The error says that
// neither java.net.URL nor java.net.URI takes the URL, and then all columns are nil.
func Split(url string) (Parts, error) {
	url = field.Text(url)
	var p Parts
	protocol, host, err := parseURL(url)
	if err != nil {
		err = p.fromURI(url)
		return p, err
	}
	p.Protocol = &protocol
	if host != "" || protocol != "http" && protocol != "https" || !p.repair(url) {
		p.setHost(lower(host))
	}
	return p, nil
}

// repair takes an http URL that has an empty host for java.net.URL, mostly because it has not two
// slashes but any other number of them, as if it had two. False means that it is no better then.
func (p *Parts) repair(url string) bool {
	scheme, rest, _ := strings.Cut(url, ":")
	url = scheme + "://" + strings.TrimLeft(rest, "/")
	if _, host, err := parseURL(url); err == nil {
		p.setHost(lower(host))
		return true
	}
	return p.fromURI(url) == nil
}

// fromURI fills the columns from what java.net.URI makes of the string.
func (p *Parts) fromURI(s string) error {
	u, err := parseURI(s)
	if err != nil {
		return fmt.Errorf("%q: %w", s, err)
	}
	if u.scheme == "" {
		return nil
	}
	p.Protocol = &u.scheme
	switch {
	case u.scheme == "dns":
		p.setHost(unescape(u.schemeSpecific))
	case u.scheme == "whois" && u.opaque:
		p.setHost(strings.TrimLeft(unescape(u.schemeSpecific), "/"))
	case u.scheme == "whois": // whois://server/name
		p.setHost(strings.TrimLeft(unescape(u.path), "/"))
	case u.host != "":
		p.setHost(lower(u.host))
	}
	return nil
}

func (p *Parts) setHost(host string) {
	name, kind := nameOf(host)
	if kind == noName {
		return
	}
	p.Host = &name
	if kind == address {
		return
	}
	if tld, ok := lastLabel(name); ok {
		p.TLD = &tld
	}
	if domain := registeredDomain(strings.ToLower(name)); domain != "" {
		p.RegisteredDomain = &domain
	}
}

// lastLabel returns the label before the trailing dots, false if there are only dots.
func lastLabel(name string) (string, bool) {
	trimmed := strings.TrimRight(name, ".")
	return trimmed[strings.LastIndexByte(trimmed, '.')+1:], trimmed != "" || name == ""
}

// registeredDomain finds the domain of a lower-case DNS name, "" if there is none: the name is a
// suffix itself, its suffix is not listed, or its labels could not be registered.
func registeredDomain(name string) string {
	if name == "" || name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, "..") {
		return ""
	}
	suffix, icann := publicsuffix.PublicSuffix(name)
	for !icann {
		_, parent, ok := strings.Cut(suffix, ".")
		if !ok {
			return ""
		}
		suffix, icann = publicsuffix.PublicSuffix(parent)
	}
	if len(suffix) == len(name) {
		return ""
	}
	end := len(name) - len(suffix) - 1
	start := strings.LastIndexByte(name[:end], '.') + 1
	if end-start > maxLabel {
		return ""
	}
	return name[start:]
}

// RegisteredDomain returns the url_host_registered_domain of a host, "" for null. The host may have
// any form that [Normalize] takes.
func RegisteredDomain(host string) string {
	name, kind := normal(host)
	if kind != dnsName {
		return ""
	}
	return registeredDomain(strings.ToLower(name))
}

// TLD returns the url_host_tld of a host, "" for null. The host may have any form that [Normalize]
// takes.
func TLD(host string) string {
	name, kind := normal(host)
	if kind != dnsName {
		return ""
	}
	tld, _ := lastLabel(name)
	return tld
}

// lower is String.toLowerCase(Locale.ROOT): strings.ToLower makes one letter of İ, not two.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}
