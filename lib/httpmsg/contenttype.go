package httpmsg

import "strings"

// ContentType returns the index column content_mime_type for a Content-Type header: cut at the first ";" and then at the
// first blank, in the case it was sent, not validated, and "unk" if the header is absent or nothing is left
// (cleanMimeType in https://github.com/commoncrawl/nutch, class WarcCdxWriter). present says whether there was a header.
func ContentType(value string, present bool) string {
	if !present {
		return "unk"
	}
	mime, _, _ := strings.Cut(trimJava(value), ";")
	mime, _, _ = strings.Cut(mime, " ")
	if mime == "" {
		return "unk"
	}
	return mime
}

// trimJava trims as java.lang.String.trim does, which is how Common Crawl's header parser reads a value.
func trimJava(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// Charset returns the charset that a Content-Type header declares, by Java's name for it, which is how Common Crawl's
// index spells content_charset: "UTF-8", "windows-1251", "Shift_JIS". It returns "" (null) if none is declared or Java 17
// does not know the label.
//
// The first charset parameter with a value counts, known or not, as in https://mimesniff.spec.whatwg.org/. Servers are
// forgiven a missing ";", a "," for it, blanks around "=", and quotes of either kind that do not match.
func Charset(value string) string {
	for value != "" {
		var label string
		label, value = nextCharset(value)
		if label != "" {
			return JavaCharset(label)
		}
	}
	return ""
}

// nextCharset reads one piece of a Content-Type value, up to ";" or ",": the label if the piece is a charset parameter
// with a value, else "", and what follows the piece.
func nextCharset(s string) (label, rest string) {
	end := strings.IndexAny(s, ";,=")
	if end < 0 {
		return "", ""
	}
	if s[end] != '=' {
		return "", s[end+1:]
	}
	words := strings.Fields(s[:end])
	label, rest = parameterValue(strings.TrimLeft(s[end+1:], blanks))
	if len(words) == 0 || !strings.EqualFold(words[len(words)-1], "charset") {
		return "", rest
	}
	return label, rest
}

const (
	blanks = " \t\r\n\f\v"
	quotes = `"'`
)

// parameterValue reads what follows "=": a quoted string, or text up to ";" or ",". Of that it returns the first word
// without the quotes around it.
func parameterValue(s string) (value, rest string) {
	value, rest, ok := quotedString(s)
	if !ok {
		value, rest = s, ""
		if i := strings.IndexAny(s, ";,"); i >= 0 {
			value, rest = s[:i], s[i+1:]
		}
	}
	value = strings.Trim(value, blanks+quotes)
	if i := strings.IndexAny(value, blanks); i >= 0 {
		value = value[:i]
	}
	return strings.Trim(value, quotes), rest
}

// quotedString reads a quoted string and skips to the end of its parameter. An opening quote that is never closed is a
// stray one: ok is false.
func quotedString(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			rest = s[i+1:]
			if j := strings.IndexAny(rest, ";,"); j >= 0 {
				return b.String(), rest[j+1:], true
			}
			return b.String(), "", true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}
