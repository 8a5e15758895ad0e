package jsonl

import (
	"bufio"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// Valid reports whether line is one whole JSON value and nothing else.
func Valid(line []byte) bool { return json.Valid(line) }

// Writer writes one object a line. Errors stick: the first one is returned by
// every later call.
type Writer struct{ out *bufio.Writer }

// NewWriter buffers lines for w; Flush writes out what is buffered.
func NewWriter(w io.Writer) *Writer { return &Writer{bufio.NewWriterSize(w, 256<<10)} }

// Line writes object, one JSON object without a newline, and the newline.
func (w *Writer) Line(object []byte) error {
	w.out.Write(object)
	return w.out.WriteByte('\n')
}

// Flush writes out everything that is buffered.
func (w *Writer) Flush() error { return w.out.Flush() }

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are no UTF-8 become
// U+FFFD, so the result is always valid JSON and valid UTF-8.
func AppendString[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := decodeRune(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, c)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func decodeRune[S string | []byte](s S) (rune, int) {
	var b [utf8.UTFMax]byte
	return utf8.DecodeRune(b[:copy(b[:], s)])
}

func appendEscaped(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c == '\t':
		return append(dst, '\\', 't')
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, "\ufffd"...)
}
