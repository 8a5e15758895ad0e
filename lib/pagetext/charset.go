package pagetext

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// ToUTF8 decodes a page to valid UTF-8 without byte order mark and without C1 controls. It never fails, and may return
// body itself.
//
// declaredCharset is the label or the Java name that the Content-Type header gave, "" for none. In order, the charset is
// that of a byte order mark, the declared one, the one a <meta> tag or XML declaration names, UTF-8 if the bytes are
// that, what they look like, and windows-1252. A claim that the bytes contradict is passed over: UTF-8 where most of
// what is not ASCII is not UTF-8, another charset where all of it is, windows-1252 where they are of another alphabet or of East Asia. An incomplete
// character at the end is dropped: body may be a prefix.
func ToUTF8(body []byte, declaredCharset string) []byte {
	enc, body := byMark(body)
	if enc == nil {
		enc = choose(body, declaredCharset)
	}
	if enc != encoding.Nop {
		if decoded, err := enc.NewDecoder().Bytes(body); err == nil {
			body = decoded
		}
	}
	body = dropCutRune(body)
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\ufffd"))
	}
	return replaceC1(body)
}

// byMark returns the encoding that a byte order mark stands for, and body without it. UTF-8 is encoding.Nop.
func byMark(body []byte) (encoding.Encoding, []byte) {
	for _, mark := range []struct {
		bytes string
		enc   encoding.Encoding
	}{
		{"\xef\xbb\xbf", encoding.Nop},
		{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark.bytes)); ok {
			return mark.enc, rest
		}
	}
	return nil, body
}

// choose weighs what is declared against the bytes.
func choose(body []byte, declared string) encoding.Encoding {
	good, bad := countUTF8(body)
	if bad == 0 && (good >= minUTF8 || good == 0 && !shifts(body)) {
		return encoding.Nop
	}
	if enc := findWide(body); enc != nil {
		return enc
	}
	isUTF8 := bad <= good
	for _, label := range []string{declared, documentCharset(body)} {
		enc := find(label)
		if enc == nil || enc == encoding.Nop && !isUTF8 {
			continue
		}
		if guess := detect(body); guess != nil && enc == charmap.Windows1252 {
			return guess
		}
		return enc
	}
	if isUTF8 {
		return encoding.Nop
	}
	if guess := detect(body); guess != nil {
		return guess
	}
	return charmap.Windows1252
}

// minUTF8 is how many characters beyond ASCII, with no mistake among them, show UTF-8 against any declaration. Two or
// three may be chance in a double-byte charset.
const minUTF8 = 5

// shifts reports whether ASCII bytes may stand for something else: in ISO-2022-JP, in HZ, or in UTF-16 and UTF-32.
func shifts(body []byte) bool {
	return bytes.IndexByte(body, 0x1b) >= 0 || bytes.IndexByte(body, 0) >= 0 || bytes.Contains(body, []byte("~{"))
}

// countUTF8 counts the characters beyond ASCII that are well-formed UTF-8, and the bytes that are not. A character cut
// at the end counts for neither.
func countUTF8(body []byte) (good, bad int) {
	body = dropCutRune(body)
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		i += size
	}
	return good, bad
}

// dropCutRune takes an incomplete UTF-8 sequence off the end.
func dropCutRune(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= 0xc2 && !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
