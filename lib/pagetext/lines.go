package pagetext

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// lines collects text with its white space collapsed, up to a limit in bytes.
type lines struct {
	limit int
	text  []byte
	gap   byte // what separates the next word from the text: 0, ' ' or '\n'
}

func (l *lines) size() int { return len(l.text) }

// breakLine begins a new line before the next word.
func (l *lines) breakLine() {
	if len(l.text) > 0 {
		l.gap = '\n'
	}
}

// add appends text, which may end or begin within a word.
func (l *lines) add(text []byte) {
	for i := 0; i < len(text) && len(l.text) < l.limit; {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		switch {
		case r <= ' ' || 0x7f <= r && r <= 0x9f || r >= utf8.RuneSelf && unicode.IsSpace(r):
			if l.gap == 0 && len(l.text) > 0 {
				l.gap = ' '
			}
		case r == '\u00ad' || r == '\u200b' || r == '\ufeff':
			// soft hyphen, zero-width space, byte order mark: not there for a reader
		default:
			if l.gap != 0 {
				l.text = append(l.text, l.gap)
				l.gap = 0
			}
			l.text = utf8.AppendRune(l.text, r)
		}
	}
}

// append adds other lines on lines of their own.
func (l *lines) append(other *lines) {
	if other.size() == 0 || l.size() >= l.limit {
		return
	}
	if l.size() > 0 {
		l.text = append(l.text, '\n')
	}
	l.text = append(l.text, other.text...)
}

// beginsWith reports whether the first line is that of other lines.
func (l *lines) beginsWith(other *lines) bool {
	first, _, _ := bytes.Cut(l.text, []byte("\n"))
	return len(first) > 0 && bytes.Equal(first, other.text)
}
