package table

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// withoutUnfit gives a line, which must be valid JSON, without what fits no
// column, and what that was: the first of each key, and of keys the first whose
// own name is unfit.
//
// One thing is a number beyond the range of a double, which becomes null. RFC 8259
// (section 6) lets readers set that limit, and nearly all do: DuckDB and the JSON
// library here refuse the whole text for such a number, others read it as infinite.
//
// The other is half of a surrogate pair (section 8.2), for which UTF-8 has no bytes.
// The JSON library here reads U+FFFD instead; DuckDB refuses the whole file for a JSON
// text that has one. The value of a key that has one at any depth becomes null; a
// key with one in its name is left out.
func withoutUnfit(line []byte) (fit []byte, values map[string]*Misfit, key *Misfit) {
	if hasBeyond(line) || hasHalf(line) {
		return blankUnfit(line)
	}
	return line, nil, nil
}

func hasBeyond(text []byte) bool {
	for start, end := range numbers(text) {
		if isBeyond(string(text[start:end])) {
			return true
		}
	}
	return false
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

// blankUnfit does what withoutUnfit says, slowly.
func blankUnfit(line []byte) (fit []byte, values map[string]*Misfit, key *Misfit) {
	d := json.NewDecoder(bytes.NewReader(line))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return line, nil, nil // no object, as its reader will say
	}
	fit, values = []byte{'{'}, map[string]*Misfit{}
	for d.More() {
		start := d.InputOffset()
		name, err := d.Token()
		var value json.RawMessage
		rawName := bytes.TrimLeft(line[start:d.InputOffset()], ", \t\r")
		if err = cmp.Or(err, d.Decode(&value)); err != nil {
			return line, nil, nil
		}
		if half := findHalf(rawName); half != "" {
			if key == nil {
				key = &Misfit{key: name.(string), reason: "its name has " + isHalf(half), unknown: true}
			}
			continue
		}
		value, misfit := blankValue(name.(string), value)
		if values[name.(string)] == nil && misfit != nil {
			values[name.(string)] = misfit
		}
		if len(fit) > 1 {
			fit = append(fit, ',')
		}
		fit = append(append(append(fit, rawName...), ':'), value...)
	}
	return append(fit, '}'), values, key
}

// blankValue gives the value of a key without what is unfit in it.
func blankValue(key string, value []byte) (fit []byte, first *Misfit) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	at := place{{isObject: true, key: key, hasKey: true}}
	refuse := func(reason string) {
		if first == nil {
			first = &Misfit{key: strings.Join(at.path(), "."), reason: reason}
		}
	}
	fit = bytes.Clone(value)
	start := d.InputOffset()
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		end := d.InputOffset()
		at.next(token)
		switch token := token.(type) {
		case string:
			if half := findHalf(value[start:end]); half != "" {
				refuse("it has " + isHalf(half))
				return []byte("null"), first
			}
		case json.Number:
			if isBeyond(token.String()) {
				refuse("the number " + cutText(token.String()) + " is beyond the range of a double")
				copy(fit[int(end)-len(token):end], "null"+strings.Repeat(" ", len(token)-len("null")))
			}
		}
		start = end
	}
	return fit, first
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
