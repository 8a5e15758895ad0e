// Package field reads the named fields that WARC and HTTP put between a start line and an empty line.
//
// Archives keep what servers and old crawlers really sent, so nothing here fails: lines end in CRLF, LF or CR CR LF,
// values are folded, bytes are not UTF-8. What can be kept is kept, and a bad line costs only itself.
//
// The two grammars are one: WARC took its fields from HTTP
// (https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#warc-record-header and
// https://www.rfc-editor.org/rfc/rfc9112#name-field-syntax).
package field

import "strings"

// Field is one name with its values.
type Field struct {
	Name   string   // ASCII letters lower-cased, never with blanks around; "" is possible
	Values []string // in file order, at least one; valid UTF-8
}

// Header holds fields in the order in which their names were first seen.
type Header []Field

// Get returns the first value of the field, "" if there is none. Letter case of name does not matter.
func (h Header) Get(name string) string {
	if v := h.Values(name); len(v) > 0 {
		return v[0]
	}
	return ""
}

// Values returns all values of the field in file order, nil if there is none. Letter case of name does not matter.
func (h Header) Values(name string) []string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Values
		}
	}
	return nil
}
