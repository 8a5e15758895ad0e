package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	end         kind = iota // of the text
	plain                   // a word
	quoted                  // a name in double quotes
	punctuation             // one of { } ( ) , ;
)

type token struct {
	kind kind
	text string
}

func (t token) String() string {
	if t.kind == end {
		return "the end of the schema"
	}
	return strconv.Quote(t.text)
}

const marks = "{}(),;"

// cutToken takes the token at the start of text, which has no white space
// before it.
func cutToken(text string) (tok token, size int, err error) {
	switch {
	case text == "":
		return token{}, 0, nil
	case strings.IndexByte(marks, text[0]) >= 0:
		return token{punctuation, text[:1]}, 1, nil
	case text[0] == '"':
		prefix, err := strconv.QuotedPrefix(text)
		if err != nil {
			return token{}, 0, errors.New("the quoted name does not end on its line, or has a bad escape")
		}
		name, err := strconv.Unquote(prefix)
		if err == nil && !utf8.ValidString(name) {
			err = errors.New("it is not valid UTF-8")
		}
		if err != nil {
			return token{}, 0, fmt.Errorf("quoted name: %w", err)
		}
		return token{quoted, name}, len(prefix), nil
	}
	size = strings.IndexAny(text, marks+"\" \t\r\n")
	if size < 0 {
		size = len(text)
	}
	if !utf8.ValidString(text[:size]) {
		return token{}, 0, errors.New("not valid UTF-8")
	}
	return token{plain, text[:size]}, size, nil
}
