package surt

import (
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/open-index/ccnews/lib/hostname"
)

// canonicalHost decodes and folds a host, makes an address of what looks like one, and strips www.
// A name that IDNA2003 refuses (emoji are younger) stays in Unicode, escaped.
func canonicalHost(host string) (string, error) {
	host = unescape(host)
	if !isASCII(host) {
		if ascii, err := hostname.ToASCII(host, hostname.RefuseUnassigned); err == nil {
			host = ascii
		}
	}
	host = collapseDots(host)
	if ip, ok := ipv4(host); ok {
		host = ip
	} else {
		host = escape(lower(host))
	}
	for {
		rest, ok := cutWWW(host)
		if !ok {
			break
		}
		host = rest
	}
	if host == "" {
		return "", errNoHost
	}
	return host, nil
}

// lower is String.toLowerCase(Locale.ROOT): strings.ToLower makes one letter of İ, not two.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// collapseDots removes empty labels.
func collapseDots(host string) string {
	host = strings.Trim(host, ".")
	for strings.Contains(host, "..") {
		host = strings.ReplaceAll(host, "..", ".")
	}
	return host
}

// cutWWW removes a first label of www and perhaps digits, if another label follows.
func cutWWW(host string) (string, bool) {
	digits, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host, false
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(digits, "0123456789"), ".")
	return rest, ok
}

// ipv4 recognises two forms of address: a number of any size below 2⁶³, of which 32 bits count, and
// four parts, all octal if the first begins with 0, else all decimal, leading zeros or not. Others
// that a browser would take, hexadecimal or with fewer parts, stay names.
func ipv4(host string) (string, bool) {
	if host == "" || host[0] < '0' || host[0] > '9' {
		return "", false
	}
	parts := strings.Split(host, ".")
	if len(parts) == 1 {
		n, err := strconv.ParseInt(host, 10, 64)
		return dotted(byte(n>>24), byte(n>>16), byte(n>>8), byte(n)), err == nil
	}
	if len(parts) != 4 {
		return "", false
	}
	base := 10
	if host[0] == '0' {
		base = 8
	}
	var octets [4]byte
	for i, part := range parts {
		n, err := strconv.ParseUint(part, base, 8)
		if err != nil {
			return "", false
		}
		octets[i] = byte(n)
	}
	return dotted(octets[0], octets[1], octets[2], octets[3]), true
}

func dotted(a, b, c, d byte) string {
	ip := make([]byte, 0, len("255.255.255.255"))
	for i, octet := range [...]byte{a, b, c, d} {
		if i > 0 {
			ip = append(ip, '.')
		}
		ip = strconv.AppendUint(ip, uint64(octet), 10)
	}
	return string(ip)
}
