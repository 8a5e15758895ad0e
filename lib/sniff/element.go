package sniff

import (
	"bytes"
	"strings"
)

// element is a start tag as far as it tells the format: its local name and the namespace that it declares for itself.
type element struct {
	name      string // as written, without prefix
	namespace string
}

// readStartTag reads the start tag at the beginning of b. It gives the zero element if there is none, and does with what
// there is of a tag that is cut.
func readStartTag(b []byte) element {
	if len(b) < 2 || b[0] != '<' || !isLetter(b[1]) {
		return element{}
	}
	qname := string(name(b[1:]))
	prefix, local, found := strings.Cut(qname, ":")
	if !found {
		prefix, local = "", qname
	}
	declares := "xmlns"
	if prefix != "" {
		declares = "xmlns:" + prefix
	}
	return element{name: local, namespace: attribute(b[1+len(qname):], declares)}
}

// attribute returns the value of an attribute in what follows a tag's name; "" if the tag has none of that name.
func attribute(b []byte, want string) string {
	for {
		b = bytes.TrimLeft(b, " \t\r\n\f/")
		if len(b) == 0 || b[0] == '>' || b[0] == '<' {
			return ""
		}
		key := name(b)
		b = bytes.TrimLeft(b[max(len(key), 1):], " \t\r\n\f")
		if len(b) == 0 || b[0] != '=' {
			continue
		}
		var value []byte
		value, b = attributeValue(bytes.TrimLeft(b[1:], " \t\r\n\f"))
		if string(key) == want {
			return string(bytes.TrimSpace(value))
		}
	}
}

// attributeValue reads a quoted or a bare value.
func attributeValue(b []byte) (value, rest []byte) {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		end := bytes.IndexByte(b[1:], b[0])
		if end < 0 {
			return nil, nil
		}
		return b[1 : 1+end], b[2+end:]
	}
	end := bytes.IndexAny(b, " \t\r\n\f>")
	if end < 0 {
		return nil, nil
	}
	return b[:end], b[end:]
}

// name returns the name that b begins with: everything up to what can only come after one.
func name(b []byte) []byte {
	if end := bytes.IndexAny(b, " \t\r\n\f/>=<\"'["); end >= 0 {
		return b[:end]
	}
	return b
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
