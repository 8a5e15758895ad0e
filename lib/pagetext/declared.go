package pagetext

import "bytes"

// DeclaredCharset returns the charset that a page in any encoding names for itself: by a byte order mark, an XML
// declaration or a <meta> tag, in this order; "" if it names none. A <meta> tag that could be read cannot mean UTF-16:
// the HTML standard takes it for UTF-8 (https://html.spec.whatwg.org/multipage/parsing.html#encoding-sniffing-algorithm).
func DeclaredCharset(body []byte) string {
	for _, mark := range []struct{ bytes, name string }{
		{"\xef\xbb\xbf", "UTF-8"},
		{"\x00\x00\xfe\xff", "UTF-32BE"}, {"\xff\xfe\x00\x00", "UTF-32LE"},
		{"\xfe\xff", "UTF-16BE"}, {"\xff\xfe", "UTF-16LE"},
	} {
		if bytes.HasPrefix(body, []byte(mark.bytes)) {
			return mark.name
		}
	}
	label := documentCharset(body)
	if len(label) >= 6 && bytes.EqualFold([]byte(label[:6]), []byte("utf-16")) {
		return "UTF-8"
	}
	return label
}
