package hostname

import (
	"errors"
	"strconv"
	"strings"
)

// handled are the protocols for which the Java runtime has a handler. java.net.URL refuses others.
// (It has jar, too, which no record of a web archive has.)
var handled = map[string]bool{
	"http": true, "https": true, "ftp": true, "file": true, "mailto": true, "jrt": true, "jmod": true,
}

// parseURL parses as the constructor of java.net.URL does, which finds the empty host where there is
// none. The error stands for a MalformedURLException.
func parseURL(url string) (protocol, host string, err error) {
	url = strings.TrimFunc(url, func(r rune) bool { return r <= ' ' })
	protocol, rest, ok := strings.Cut(url, ":")
	protocol = strings.ToLower(protocol)
	if !ok || !handled[protocol] {
		return "", "", errors.New("no protocol, or unknown")
	}
	rest, _, _ = strings.Cut(rest, "#")
	if protocol == "mailto" {
		if strings.TrimSpace(rest) == "" {
			return "", "", errors.New("no email address")
		}
		return protocol, "", nil
	}
	host, err = urlHost(rest)
	return protocol, host, err
}

// urlHost returns the host of what follows the protocol's colon.
func urlHost(rest string) (string, error) {
	rest, _, _ = strings.Cut(rest, "?")
	if !strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "////") {
		return "", nil
	}
	authority, _, _ := strings.Cut(rest[2:], "/")
	_, host, found := strings.Cut(authority, "@")
	if !found {
		host = authority
	} else if strings.Contains(host, "@") {
		return "", nil // "not server based"
	}
	host, port, err := cutPort(host)
	if err != nil {
		return "", err
	}
	if port != "" {
		if n, err := strconv.ParseInt(port, 10, 32); err != nil || n < -1 {
			return "", errors.New("bad port")
		}
	}
	if strings.ContainsFunc(host, isForbidden) {
		return "", errors.New("bad character in host")
	}
	return host, nil
}

// cutPort splits host:port, with brackets around an IPv6 host.
func cutPort(s string) (host, port string, err error) {
	if !strings.HasPrefix(s, "[") {
		host, port, _ = strings.Cut(s, ":")
		return host, port, nil
	}
	end := strings.IndexByte(s, ']') + 1
	if end == 0 || !isIPv6(s[1:end-1]) {
		return "", "", errors.New("bad IPv6 address")
	}
	host, s = s[:end], s[end:]
	if s == "" {
		return host, "", nil
	}
	if s[0] != ':' {
		return "", "", errors.New("bad port")
	}
	return host, s[1:], nil
}

// isForbidden reports characters that java.net.URL has in no host: controls, and those that Unicode
// normalisation turns into delimiters of a URL.
func isForbidden(r rune) bool {
	return r < ' ' || r == 0x7f || r > 0x7f && strings.ContainsRune("⁇⁈⁉℀℁℅℆⩴﹕﹖﹟﹫＃／：？＠", r)
}

// isIPv6 is how InetAddress checks an IPv6 address. A zone may follow "%".
func isIPv6(s string) bool {
	s, zone, zoned := strings.Cut(s, "%")
	if zoned && zone == "" {
		return false
	}
	head, tail, squeezed := strings.Cut(s, "::")
	if !squeezed {
		n, ok := ipv6Groups(s, true)
		return ok && n == 8
	}
	n, headOK := ipv6Groups(head, false)
	m, tailOK := ipv6Groups(tail, true)
	return headOK && tailOK && n+m < 8
}

// ipv6Groups counts 16-bit groups, two for an IPv4 address at the end.
func ipv6Groups(s string, ipv4Last bool) (n int, ok bool) {
	if s == "" {
		return 0, true
	}
	parts := strings.Split(s, ":")
	if last := parts[len(parts)-1]; ipv4Last && strings.Contains(last, ".") {
		if !isIPv4(last) {
			return 0, false
		}
		parts, n = parts[:len(parts)-1], 2
	}
	for _, part := range parts {
		for i := range len(part) {
			if !isHex(part[i]) {
				return 0, false
			}
		}
		if _, err := strconv.ParseUint(part, 16, 16); err != nil {
			return 0, false
		}
	}
	return n + len(parts), true
}

// isIPv4 takes four decimal parts of up to 255, with leading zeros.
func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	if len(parts) != 4 || len(s) > 15 {
		return false
	}
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 8); err != nil {
			return false
		}
	}
	return true
}
