package field

import (
	"bytes"
	"unicode/utf8"
)

// Head reads a start line and the fields after it, up to and with the first empty line.
//
// size is the number of bytes read, so block[size:] is what follows the head. Without an empty line the whole block is
// head and ended is false. The start line has no line end and is valid UTF-8.
func Head(block []byte) (start string, h Header, size int, ended bool) {
	line, rest := cutLine(block)
	h, n, ended := fields(rest)
	return Text(line), h, len(block) - len(rest) + n, ended
}

// Parse reads fields up to the first empty line or the end of lines, as in a block of type application/warc-fields.
func Parse(lines []byte) Header {
	h, _, _ := fields(lines)
	return h
}

// Text reads text as UTF-8 if it is valid UTF-8 and as Latin-1 otherwise, always as a whole, so that no byte is lost.
func Text[T string | []byte](text T) string {
	s := string(text)
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// fields reads field lines until an empty line, and tells how many bytes it took with that line.
func fields(lines []byte) (h Header, size int, ended bool) {
	c := collector{index: make(map[string]int)}
	rest := lines
	for len(rest) > 0 {
		var line []byte
		line, rest = cutLine(rest)
		if len(line) == 0 {
			ended = true
			break
		}
		c.line(line)
	}
	c.flush()
	return c.header, len(lines) - len(rest), ended
}

// cutLine takes the first line off b. Every CR before the LF belongs to the line end: some writers doubled it.
func cutLine(b []byte) (line, rest []byte) {
	line = b
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		line, rest = b[:i], b[i+1:]
	}
	return bytes.TrimRight(line, "\r"), rest
}

// collector joins folded lines to fields and fields of one name to one entry.
type collector struct {
	header Header
	index  map[string]int // name → place in header: a hostile head has 100,000 names

	open  bool // a field has begun and may be continued
	name  string
	value []byte
}

// line takes one line that is not empty. A folded line with nothing before it to continue is read as a field.
func (c *collector) line(line []byte) {
	if c.open && (line[0] == ' ' || line[0] == '\t') {
		c.fold(trim(line))
		return
	}
	c.flush()
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return
	}
	c.open = true
	c.name = Text(lower(trim(name)))
	c.value = append(c.value[:0], trim(value)...)
}

// fold continues the open value: a fold means one blank (RFC 9112 section 5.2), and none at the value's ends.
func (c *collector) fold(more []byte) {
	if len(c.value) > 0 && len(more) > 0 {
		c.value = append(c.value, ' ')
	}
	c.value = append(c.value, more...)
}

// flush stores the open field, if there is one.
func (c *collector) flush() {
	if !c.open {
		return
	}
	c.open = false
	value := Text(c.value)
	if i, ok := c.index[c.name]; ok {
		c.header[i].Values = append(c.header[i].Values, value)
		return
	}
	c.index[c.name] = len(c.header)
	c.header = append(c.header, Field{Name: c.name, Values: []string{value}})
}

// trim removes the blanks and tabs that RFC 9110 calls optional white space.
func trim(b []byte) []byte { return bytes.Trim(b, " \t") }

// lower lower-cases ASCII only: names are ASCII by grammar, and other letters must not change into ASCII ones.
func lower(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}
