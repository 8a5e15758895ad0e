package pagetext

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// metaWindow is how far into a page a charset is looked for. The standard says 1024 bytes, browsers read on, and pages
// begin with longer comments and scripts than that.
const metaWindow = 16 << 10

// documentCharset returns the charset that a page names in an XML declaration or a <meta> tag, "" if it names none.
func documentCharset(body []byte) string {
	body = body[:min(len(body), metaWindow)]
	if label := xmlCharset(body); label != "" {
		return label
	}
	if !bytes.Contains(bytes.ToLower(body), []byte("charset")) {
		return ""
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttributes := z.TagName()
			if string(name) == "body" {
				return ""
			}
			if string(name) == "meta" && hasAttributes {
				if label := metaCharset(z); label != "" {
					return label
				}
			}
		}
	}
}

// xmlCharset reads <?xml version="1.0" encoding="…"?>.
func xmlCharset(body []byte) string {
	body = bytes.TrimLeft(body, " \t\r\n")
	end := bytes.Index(body, []byte("?>"))
	if end < 0 || !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	_, rest, found := strings.Cut(string(body[:end]), "encoding")
	if !found {
		return ""
	}
	return valueAfterEquals(rest)
}

// metaCharset reads <meta charset="…"> and <meta http-equiv="Content-Type" content="text/html; charset=…">.
func metaCharset(z *html.Tokenizer) string {
	var label, content string
	var isContentType bool
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			label = string(value)
		case "http-equiv":
			isContentType = strings.EqualFold(strings.TrimSpace(string(value)), "content-type")
		case "content":
			content = string(value)
		}
	}
	if label == "" && isContentType {
		if i := strings.Index(strings.ToLower(content), "charset"); i >= 0 {
			label = valueAfterEquals(content[i+len("charset"):])
		}
	}
	return label
}

// valueAfterEquals reads `= value`, quoted or up to a blank or ";".
func valueAfterEquals(s string) string {
	s, ok := strings.CutPrefix(strings.TrimLeft(s, " \t\r\n"), "=")
	if !ok {
		return ""
	}
	s = strings.TrimLeft(s, " \t\r\n\"'")
	if end := strings.IndexAny(s, " \t\r\n\"';"); end >= 0 {
		s = s[:end]
	}
	return s
}
