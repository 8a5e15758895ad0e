package hostname

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unassigned says what [ToASCII] does with code points that Unicode 3.2, at which IDNA2003 is
// frozen, had not assigned yet.
type Unassigned int

const (
	RefuseUnassigned Unassigned = iota // an error: url_surtkey is made so
	AllowUnassigned                    // kept as they are: url_host_name is made so
)

// maxLabel is the longest label that DNS can hold, in bytes (RFC 1035, section 2.3.4).
const maxLabel = 63

const acePrefix = "xn--"

// ToASCII converts a host to its DNS form by the ToASCII operation of IDNA2003 (RFC 3490), as
// java.net.IDN.toASCII does: ß becomes ss, full-width letters are folded, and the full stops 。．｡
// separate labels. ASCII labels are returned as they are, in their case. The IDNA2008 of
// golang.org/x/net/idna maps and refuses other code points than Common Crawl's tools.
//
// It fails where Java does: for a label that is empty (but for one trailing dot), too long, has a
// prohibited code point, or mixes writing directions.
func ToASCII(host string, unassigned Unassigned) (string, error) {
	if utf8.RuneCountInString(host) == 1 && strings.Contains(dots, host) {
		return ".", nil // the root
	}
	var ascii strings.Builder
	for host != "" {
		label, rest, dotted := cutLabel(host)
		label, err := labelToASCII(label, unassigned)
		if err != nil {
			return "", fmt.Errorf("%q: %w", host, err)
		}
		ascii.WriteString(label)
		if dotted {
			ascii.WriteByte('.')
		}
		host = rest
	}
	return ascii.String(), nil
}

// dots separate labels (RFC 3490, section 3.1).
const dots = ".\u3002\uff0e\uff61"

func cutLabel(host string) (label, rest string, dotted bool) {
	i := strings.IndexAny(host, dots)
	if i < 0 {
		return host, "", false
	}
	_, size := utf8.DecodeRuneInString(host[i:])
	return host[:i], host[i+size:], true
}

func labelToASCII(label string, unassigned Unassigned) (string, error) {
	if !isASCII(label) {
		var err error
		if label, err = nameprep(label, unassigned); err != nil {
			return "", err
		}
	}
	if !isASCII(label) {
		if strings.HasPrefix(label, acePrefix) {
			return "", errors.New("label has non-ASCII letters after " + acePrefix)
		}
		// Checked first because encoding takes quadratic time and never shortens.
		if len(label) > 4*maxLabel {
			return "", errors.New("label is too long")
		}
		label = acePrefix + punycode(label)
	}
	if label == "" {
		return "", errors.New("label is empty")
	}
	if len(label) > maxLabel {
		return "", errors.New("label is too long")
	}
	return label, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
