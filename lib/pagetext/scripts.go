package pagetext

import (
	"bytes"
	"io"
)

// scriptless reads a page without what is inside its scripts and style sheets: half of a news page and more, which a
// tokenizer would look at byte by byte. The tags stay. What is not closed, or has a comment in which a script may hide
// its end, stays too, for the tokenizer to judge.
type scriptless struct {
	page []byte
	safe int // how many bytes of page are to be handed out before the next content to drop
	drop int // how many bytes come after them that are not
}

// Read implements io.Reader.
func (s *scriptless) Read(p []byte) (int, error) {
	if len(s.page) == 0 {
		return 0, io.EOF
	}
	if s.safe == 0 {
		s.safe, s.drop = nextRaw(s.page)
	}
	n := copy(p, s.page[:s.safe])
	s.page, s.safe = s.page[n:], s.safe-n
	if s.safe == 0 {
		s.page, s.drop = s.page[s.drop:], 0
	}
	return n, nil
}

// nextRaw finds the content of the first script or style sheet: where it begins, and its length. If there is none it is
// at the end of the page, and empty.
func nextRaw(page []byte) (at, length int) {
	for {
		i := bytes.IndexByte(page[at:], '<')
		if i < 0 {
			return len(page), 0
		}
		at += i + 1
		name := rawName(page[at:])
		if name == "" {
			continue
		}
		end := bytes.IndexByte(page[at:], '>')
		if end < 0 {
			return len(page), 0
		}
		if page[at+end-1] == '/' {
			continue // empty, to those who write so
		}
		at += end + 1
		length := indexEnd(page[at:], name)
		if length < 0 {
			return len(page), 0
		}
		if !bytes.Contains(page[at:at+length], []byte("<!--")) {
			return at, length
		}
		at += length
	}
}

// rawName returns "script" or "style" if the tag that begins here is one of them, else "".
func rawName(tag []byte) string {
	for _, name := range []string{"script", "style"} {
		if n := len(name); len(tag) > n && tag[0]|0x20 == 's' && bytes.EqualFold(tag[:n], []byte(name)) && bytes.IndexByte([]byte(" \t\r\n>"), tag[n]) >= 0 {
			return name
		}
	}
	return ""
}

// indexEnd finds the end tag of an element, -1 if there is none.
func indexEnd(content []byte, name string) int {
	for at := 0; ; {
		i := bytes.Index(content[at:], []byte("</"))
		if i < 0 {
			return -1
		}
		at += i
		if tag := content[at+2:]; len(tag) >= len(name) && bytes.EqualFold(tag[:len(name)], []byte(name)) {
			return at
		}
		at += 2
	}
}
