// Package sniff tells the media type of a stored body, as the column content_mime_detected of Common Crawl's URL index
// does.
//
// Common Crawl asks Apache Tika with the declared type and the URL as hints: Nutch's MimeUtil over Tika's MimeTypes
// (https://github.com/commoncrawl/nutch, https://github.com/apache/tika). Nothing in Go gives the same answers: net/http
// looks at 512 bytes and knows no feeds, and neither it nor gabriel-vasile/mimetype sees that a page in the XHTML
// namespace is application/xhtml+xml to Tika, however it is served. So the order of the questions and the names are
// Tika's here, and only the magic numbers of binary formats come from mimetype.
package sniff

import "bytes"

const (
	octets = "application/octet-stream"
	plain  = "text/plain"
	html   = "text/html"
	xhtml  = "application/xhtml+xml"
	xml    = "application/xml"
)

// Window is how many bytes of a body decide its type: a longer prefix gives the same answer.
const Window = 64 << 10

// Detect returns the media type of a body, lower-case and without parameters, never "".
//
// body is the body or its first [Window] bytes or more, with content and transfer codings undone; declared is the
// Content-Type header, "" if there was none; url is the address it was fetched from, of which the file extension counts,
// "" if unknown. What the bytes say wins. The hints decide only where the bytes say nothing (an empty body, an unknown
// binary format) or something more general: text, XML, a ZIP archive.
func Detect(body []byte, declared, url string) string {
	declared, ext := normalize(declared), extension(url)
	if len(body) == 0 {
		return byHints(declared, ext)
	}
	found := byContent(body[:min(len(body), Window)])
	if found == octets {
		return byHints(declared, ext)
	}
	// Tika asks the name first; the declared type may then only narrow what the name said.
	for _, hint := range []string{textExtensions[ext], archiveExtensions[ext], declared} {
		if narrows(hint, found) {
			found = hint
		}
	}
	return found
}

// byContent is the type by bytes alone: octets if they are of no known binary format, plain if they are some text.
func byContent(body []byte) string {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return byMarkup16(body)
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if t := byMarkup(body); t != "" {
		return t
	}
	if t := byStart(body); t != "" {
		return t
	}
	if hasControls(body) {
		if t := byBinaryMagic(body); t != "" {
			return t
		}
	} else if t := byLateHTML(body); t != "" {
		return t
	}
	if looksLikeText(body) {
		return plain
	}
	return octets
}

// lateHTML is how far into a text a page may begin, after a script's warnings and the like.
const lateHTML = 8 << 10

// byLateHTML finds the page that begins after other text.
func byLateHTML(body []byte) string {
	start := bytes.ToLower(body[:min(len(body), lateHTML)])
	if bytes.Contains(start, []byte("<html")) || bytes.Contains(start, []byte("<!doctype html")) {
		return htmlOrXHTML(body, element{})
	}
	return ""
}

// htmlOrXHTML tells apart what is known to be a page. Besides the root's namespace Tika takes "<html xmlns=" anywhere
// near the start for XHTML, in conditional comments, too.
func htmlOrXHTML(body []byte, root element) string {
	if root.name == "html" && root.namespace == nsXHTML {
		return xhtml
	}
	if bytes.Contains(body[:min(len(body), lateHTML)], []byte("<html xmlns=")) {
		return xhtml
	}
	return html
}
