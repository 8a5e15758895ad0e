package surt

import (
	"strings"
	"unicode/utf8"
)

// unescape decodes percent-escapes until none is left that can be decoded: %2541 is A. Bytes that
// are no valid UTF-8 stay escaped.
//
// The reference decodes the whole string again and again. Escapes do not overlap, so the order in
// which they are decoded does not matter, and one pass that looks back after each character gives
// the same in linear time, even for a megabyte of %25252525.
func unescape(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		out = append(out, s[i])
		for decoded := true; decoded; {
			out, decoded = decodeLast(out)
		}
	}
	return string(out)
}

// decodeLast decodes the escape at the end of text, if there is one and it completes a character.
func decodeLast(text []byte) ([]byte, bool) {
	b, ok := lastEscape(text)
	if !ok {
		return text, false
	}
	if b < utf8.RuneSelf {
		return append(text[:len(text)-3], b), true
	}
	var char [utf8.UTFMax]byte
	start := len(text)
	for k := utf8.UTFMax - 1; k >= 0; k-- {
		b, ok := lastEscape(text[:start])
		if !ok {
			break
		}
		char[k] = b
		start -= 3
		if utf8.RuneStart(b) {
			if _, size := utf8.DecodeRune(char[k:]); size > 1 && size == utf8.UTFMax-k {
				return append(text[:start], char[k:]...), true
			}
			break
		}
	}
	return text, false
}

// lastEscape returns the byte that the escape at the end of text stands for.
func lastEscape(text []byte) (b byte, ok bool) {
	n := len(text)
	if n < 3 || text[n-3] != '%' {
		return 0, false
	}
	return hexByte(text[n-2], text[n-1])
}

func hexByte(hi, lo byte) (b byte, ok bool) {
	h, ok1 := hexDigit(hi)
	l, ok2 := hexDigit(lo)
	return h<<4 | l, ok1 && ok2
}

func hexDigit(c byte) (digit byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// escape puts into lower-case escapes what no URL should have literally: blanks, controls but DEL,
// "#", "%" and non-ASCII bytes. An escape that unescape left stands for a byte that is no UTF-8, and
// is kept.
func escape(s string) string {
	i := 0
	for i < len(s) && !needsEscape(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	const digits = "0123456789abcdef"
	out := append(make([]byte, 0, len(s)+2*16), s[:i]...)
	for ; i < len(s); i++ {
		c := s[i]
		if !needsEscape(c) {
			out = append(out, c)
			continue
		}
		if c == '%' && i+2 < len(s) {
			if b, ok := hexByte(s[i+1], s[i+2]); ok {
				c = b
				i += 2
			}
		}
		out = append(out, '%', digits[c>>4], digits[c&0xf])
	}
	return string(out)
}

func needsEscape(c byte) bool {
	return c <= ' ' || c >= 0x80 || c == '#' || c == '%'
}
