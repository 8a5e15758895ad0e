package table

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// withoutBeyond gives a line, which must be valid JSON, with null for each
// number that is beyond the range of a double, and the first one of each key.
// RFC 8259 (section 6) lets readers set that limit, and nearly all do: DuckDB
// and the JSON library here refuse the whole text for such a number, others
// read it as infinite.
func withoutBeyond(line []byte) ([]byte, map[string]*Misfit) {
	for start, end := range numbers(line) {
		if isBeyond(string(line[start:end])) {
			return blankBeyond(line)
		}
	}
	return line, nil
}

func isBeyond(number string) bool {
	_, err := strconv.ParseFloat(number, 64)
	return err != nil
}

// maxDigits is how many digits a number has at most that is in range for that
// reason alone, its exponent having two.
const maxDigits = 200

// numbers gives where those numbers of a valid JSON text begin and end that can
// be beyond the range of a double: they are long, or have a large exponent.
func numbers(text []byte) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case c == '"':
				i = endOfString(text, i)
			case c == '-' || c >= '0' && c <= '9':
				start, exponent := i, 0
				for i < len(text) && isNumeral(text[i]) {
					if i++; text[i-1]|' ' == 'e' {
						exponent = i
					}
				}
				if (i-start > maxDigits || exponent > 0 && i-exponent > len("99")) && !yield(start, i) {
					return
				}
				i--
			}
		}
	}
}

func isNumeral(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// endOfString is where the closing quote is of the string that begins at start.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// blankBeyond does what withoutBeyond says, slowly.
func blankBeyond(line []byte) ([]byte, map[string]*Misfit) {
	blanked, misfits := bytes.Clone(line), map[string]*Misfit{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var at place
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		number, ok := token.(json.Number)
		if at.next(token); !ok || !isBeyond(number.String()) {
			continue
		}
		if path := at.path(); len(path) > 0 && misfits[path[0]] == nil {
			reason := "the number " + cutText(number.String()) + " is beyond the range of a double"
			misfits[path[0]] = &Misfit{key: strings.Join(path, "."), reason: reason}
		}
		end := int(d.InputOffset())
		copy(blanked[end-len(number):end], "null"+strings.Repeat(" ", len(number)-len("null")))
	}
	return blanked, misfits
}

// place is the objects and arrays around a token of a JSON text.
type place []container

type container struct {
	isObject bool
	key      string // of the value that comes next or came last
	hasKey   bool   // the value of key comes next
}

// next moves on by one token.
func (p *place) next(token json.Token) {
	if token == json.Delim('}') || token == json.Delim(']') {
		*p = (*p)[:len(*p)-1]
		return
	}
	if n := len(*p); n > 0 && (*p)[n-1].isObject {
		around := &(*p)[n-1]
		if around.hasKey = !around.hasKey; around.hasKey {
			around.key = token.(string)
			return
		}
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		*p = append(*p, container{isObject: token == json.Delim('{')})
	}
}

// path is the keys around the last token.
func (p place) path() []string {
	var keys []string
	for _, c := range p {
		if c.isObject {
			keys = append(keys, c.key)
		}
	}
	return keys
}
