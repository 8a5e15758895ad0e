// Package httpmsg reads the HTTP message that a WARC record of type application/http stores.
//
// The message is what a server sent years ago and a crawler kept, perhaps after decoding the body without telling the
// header. So nothing in it is taken at its word: the head is read leniently (package field), the body's codings are
// judged by its bytes ([Decode]), and no input is an error. The cases come from public reports, such as
// https://github.com/iipc/jwarc/issues/25 (odd header lines), https://github.com/webrecorder/warcio/issues/152 (status)
// and https://github.com/commoncrawl/news-crawl/issues/30 (headers that speak of codings already undone).
//
// [ContentType] and [Charset] spell what a Content-Type header declares as Common Crawl's URL index spells it.
package httpmsg

import (
	"bytes"
	"strings"

	"github.com/open-index/ccnews/lib/field"
)

// MaxHead is how many bytes of a block the head is looked for in. A head that does not end there is cut there.
const MaxHead = 1 << 20

// Field and Header are those of package field, which reads WARC headers, too.
type (
	Field  = field.Field
	Header = field.Header
)

// Message is the head of a stored HTTP message and the place of its body.
type Message struct {
	StartLine  string // status line or request line without its line end; valid UTF-8
	Status     int    // 100 to 999; 0 in a request or if the status line has none that can be read
	Header     Header // nil if there are no fields
	BodyOffset int    // bytes into the block where the body begins, at most len(block) and MaxHead
}

// Parse reads the head of a stored HTTP message: a response, or a request as old CC-NEWS files have it, without version
// (https://github.com/commoncrawl/news-crawl/issues/34).
//
// If ok is false the block is no HTTP message at all, and the whole of it is payload. A head without an empty line at
// its end takes the whole block, up to MaxHead bytes, and the body is what is left. Only the first MaxHead bytes of a
// block are ever looked at, so a longer prefix gives the same Message.
func Parse(block []byte) (m Message, ok bool) {
	head := block[:min(len(block), MaxHead)]
	lead := len(head) - len(bytes.TrimLeft(head, "\r\n"))
	if !isStartLine(firstLine(head[lead:])) {
		return Message{}, false
	}
	start, h, size, _ := field.Head(head[lead:])
	return Message{StartLine: start, Status: status(start), Header: h, BodyOffset: lead + size}, true
}

// firstLine returns the start line as far as it matters for telling what it is.
func firstLine(b []byte) string {
	b = b[:min(len(b), 8<<10)]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	return string(bytes.TrimRight(b, "\r"))
}

// isStartLine tells status lines and request lines from the log lines, pages and images that some records hold instead.
func isStartLine(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	switch word = strings.ToUpper(word); {
	case strings.HasPrefix(word, "HTTP/"):
		return true
	case word == "HTTP", word == "ICY": // ICY: what radio streams answer
		return status(line) != 0
	}
	target, version, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if strings.HasPrefix(version, "HTTP/") {
		return isToken(word)
	}
	return version == "" && methods[word] && looksLikeTarget(target)
}

// methods are those that a request line without a version may have; with a version any token will do.
var methods = map[string]bool{
	"GET": true, "HEAD": true, "POST": true, "PUT": true, "DELETE": true, "OPTIONS": true, "PATCH": true, "CONNECT": true,
	"TRACE": true,
}

// looksLikeTarget takes paths, ":8080/path" (a crawler's way of cutting the host off a URL), "*" and absolute URLs.
func looksLikeTarget(s string) bool {
	return s != "" && strings.ContainsRune("/:*?", rune(s[0])) || strings.Contains(s, "://")
}

// isToken reports whether s could be a method: letters and the marks that RFC 9110 section 5.6.2 allows.
func isToken(s string) bool {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}

// status reads the second word of a status line if it is three digits, 100 to 999.
//
// Anything else is no status, "200OK" too: okhttp and Nutch, which fetch for Common Crawl, refuse such a line.
func status(line string) int {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) < 2 || len(words[1]) != 3 {
		return 0
	}
	n := 0
	for _, c := range []byte(words[1]) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	if n < 100 || !strings.HasPrefix(strings.ToUpper(words[0]), "HTTP") && !strings.EqualFold(words[0], "ICY") {
		return 0
	}
	return n
}
