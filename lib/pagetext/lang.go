package pagetext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// maxLang is the length in bytes that a declared language is cut to. The longest honest tag has 35.
const maxLang = 64

// DeclaredLang returns the index column content_language_declared of a page in UTF-8: the lang attribute of the first
// <html> tag that has one, else its xml:lang, trimmed and in its own letter case, cut to 64 bytes. It is "" (null) if no
// <html> tag declares a language. Tags inside comments and scripts do not count.
func DeclaredLang(page []byte) string {
	next := indexTag(page, 0)
	if next < 0 {
		return ""
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for at := 0; next >= 0; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return ""
		}
		at += len(z.Raw())
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			if name, hasAttributes := z.TagName(); hasAttributes && string(name) == "html" {
				if lang := langAttribute(z); lang != "" {
					return lang
				}
			}
		}
		if next < at {
			next = indexTag(page, at)
		}
	}
	return ""
}

// indexTag finds the next "<html" at or after a position, -1 if there is none: past the last one nothing need be read.
func indexTag(page []byte, from int) int {
	for at := from; ; at++ {
		i := bytes.IndexByte(page[at:], '<')
		if i < 0 {
			return -1
		}
		at += i
		if tag := page[at+1:]; len(tag) >= 4 && strings.EqualFold(string(tag[:4]), "html") {
			return at
		}
	}
}

// langAttribute returns lang, or xml:lang where lang is missing or empty.
func langAttribute(z *html.Tokenizer) string {
	var lang, xmlLang string
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "lang":
			lang = firstOf(lang, value)
		case "xml:lang":
			xmlLang = firstOf(xmlLang, value)
		}
	}
	return firstOf(lang, []byte(xmlLang))
}

// firstOf returns the value already found, or else value made fit for the column.
func firstOf(found string, value []byte) string {
	if found != "" {
		return found
	}
	lang := strings.TrimSpace(strings.ToValidUTF8(string(value), "\ufffd"))
	return strings.TrimSpace(cut(lang, maxLang))
}

// cut shortens valid UTF-8 to at most limit bytes, at a rune boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:max(limit, 0)]
}
