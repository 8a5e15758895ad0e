package hostname

import (
	"strconv"
	"strings"
)

type kind int

const (
	noName  kind = iota // the host has no DNS form
	dnsName             // also a single label, an empty name, and whatever else is no address
	address             // IPv4, or IPv6 in brackets
)

// nameOf gives a host the form of url_host_name: IPv4 in four parts, percent-escapes decoded, other
// names by IDNA, one trailing dot removed. Letters must be lower-case already.
//
// Addresses are looked for in what the URL spells: %31.2.3.4 is decoded too late to be one.
func nameOf(host string) (string, kind) {
	if ip, ok := ipv4(host); ok {
		return ip, address
	}
	if isIPv6Literal(host) {
		return host, address
	}
	host = decodeForm(host)
	if !isASCII(host) {
		ascii, err := ToASCII(host, AllowUnassigned)
		if err != nil {
			return "", noName
		}
		host = ascii
	}
	return strings.TrimSuffix(host, "."), dnsName
}

// isIPv6Literal takes anything in brackets that looks like an IPv6 address, as the reference does.
func isIPv6Literal(host string) bool {
	return len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' &&
		strings.Trim(host[1:len(host)-1], "0123456789abcdefABCDEF:") == ""
}

// ipv4 completes an IPv4 address of up to four decimal parts, the last of which fills what the
// others leave: 127.1 is 127.0.0.1. One that is out of range counts as an address and stays as it
// is, as does one with all four parts, even 01.02.03.04.
func ipv4(host string) (string, bool) {
	if host == "" || !isDigits(host[len(host)-1:]) {
		return "", false
	}
	parts := strings.Split(host, ".")
	last := len(parts) - 1
	if last > 3 || !isDigits(parts[last]) {
		return "", false
	}
	var ip uint64
	for i, part := range parts[:last] {
		if !isOctet(part) {
			return "", false
		}
		n, _ := strconv.ParseUint(part, 10, 8)
		ip |= n << (24 - 8*i)
	}
	n, err := strconv.ParseUint(parts[last], 10, 8*(4-last))
	// InetAddress reads no address longer than 255.255.255.255.
	if last == 3 && isOctet(parts[last]) || err != nil || len(host) > 15 {
		return host, true
	}
	ip |= n
	dotted := make([]byte, 0, 15)
	for shift := 24; shift >= 0; shift -= 8 {
		dotted = strconv.AppendUint(dotted, ip>>shift&0xff, 10)
		dotted = append(dotted, '.')
	}
	return string(dotted[:len(dotted)-1]), true
}

// isOctet takes one leading zero but not two: 01 is one, 001 is not.
func isOctet(s string) bool {
	if len(s) > 3 || !isDigits(s) {
		return false
	}
	return len(s) < 3 || s[0] != '0' && s <= "255"
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// decodeForm is java.net.URLDecoder, made for forms: + in a host with an escape becomes a blank, and
// one bad escape leaves the whole host as it is.
func decodeForm(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	for rest := s; rest != ""; {
		_, after, escaped := strings.Cut(rest, "%")
		if escaped && !isEscape(after) {
			return s
		}
		rest = after
	}
	return unescape(strings.ReplaceAll(s, "+", " "))
}

// isEscape reports whether s begins with two hex digits.
func isEscape(s string) bool {
	return len(s) >= 2 && isHex(s[0]) && isHex(s[1])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// unescape decodes percent-escapes once; the bytes that are not UTF-8 become U+FFFD.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || !isEscape(s[i+1:]) {
			out = append(out, s[i])
			continue
		}
		b, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
		out = append(out, byte(b))
		i += 2
	}
	return strings.ToValidUTF8(string(out), "\ufffd")
}
