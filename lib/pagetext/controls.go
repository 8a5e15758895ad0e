package pagetext

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// replaceC1 replaces the C1 controls U+0080 to U+009F, which are never text: almost all come from windows-1252 that was
// taken for Latin-1 on its way to UTF-8, so they become the character they were, or a blank. Valid UTF-8 stays valid.
func replaceC1(body []byte) []byte {
	next := indexC1(body)
	if next < 0 {
		return body
	}
	out := make([]byte, 0, len(body)+16)
	for next >= 0 {
		out = append(out, body[:next]...)
		if r := charmap.Windows1252.DecodeByte(body[next+1]); r > 0x9f && r != utf8.RuneError {
			out = append(out, string(r)...)
		} else {
			out = append(out, ' ')
		}
		body = body[next+2:]
		next = indexC1(body)
	}
	return append(out, body...)
}

// indexC1 finds the first C1 control in UTF-8, -1 if there is none.
func indexC1(b []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], 0xc2)
		if i < 0 || at+i+1 >= len(b) {
			return -1
		}
		at += i
		if c := b[at+1]; 0x80 <= c && c <= 0x9f {
			return at
		}
		at++
	}
}
