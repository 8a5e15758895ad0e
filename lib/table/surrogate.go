package table

import "bytes"

// hasHalf reports whether a valid JSON text has half of a surrogate pair. Most texts
// are done after a search for the first bytes of one.
func hasHalf(text []byte) bool {
	return (bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`))) && findHalf(text) != ""
}

// escape is how many bytes an escape of a UTF-16 unit has: \ud83e.
const escape = 6

// findHalf is the first escape in a valid JSON text that is half of a surrogate pair
// without the other half next to it, or "".
func findHalf(text []byte) string {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return ""
		}
		text = text[i:]
		switch {
		case isSurrogate(text, "89ab") && isSurrogate(text[escape:], "cdef"):
			text = text[2*escape:]
		case isSurrogate(text, "89abcdef"):
			return string(text[:escape])
		default:
			text = text[2:] // an escaped backslash is no start of an escape
		}
	}
}

// isSurrogate reports whether text begins with the escape of a surrogate whose
// second digit is one of these.
func isSurrogate(text []byte, second string) bool {
	return len(text) >= escape && text[0] == '\\' && text[1] == 'u' && text[2]|' ' == 'd' &&
		bytes.IndexByte([]byte(second), text[3]|' ') >= 0
}

func isHalf(escape string) string {
	return escape + ", half of a surrogate pair, which is no character"
}
