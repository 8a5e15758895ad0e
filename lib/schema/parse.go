package schema

import (
	"fmt"
	"strings"

	"github.com/open-index/ccnews/lib/table"
)

// parser is a recursive descent over tokens. After the first error it sees no
// more tokens.
type parser struct {
	text string
	at   int   // where the token starts
	next int   // where it ends
	tok  token // the token that comes next
	err  *SyntaxError
}

func (p *parser) fail(at int, format string, args ...any) {
	if p.err != nil {
		return
	}
	before := p.text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	p.err = &SyntaxError{1 + strings.Count(before, "\n"), 1 + at - start, fmt.Sprintf(format, args...)}
	p.tok = token{}
}

// advance goes to the next token.
func (p *parser) advance() {
	if p.err != nil {
		return
	}
	rest := strings.TrimLeft(p.text[p.next:], " \t\r\n")
	p.at = len(p.text) - len(rest)
	tok, size, err := cutToken(rest)
	if p.tok, p.next = tok, p.at+size; err != nil {
		p.fail(p.at, "%v", err)
	}
}

// keyword reports whether word, in any case, is the next token, and takes it.
func (p *parser) keyword(word string) bool {
	if p.tok.kind == quoted || !strings.EqualFold(p.tok.text, word) || p.err != nil {
		return false
	}
	p.advance()
	return true
}

// expect takes the next token, which has to be word.
func (p *parser) expect(word string) {
	if !p.keyword(word) {
		p.fail(p.at, "want %s, have %s", word, p.tok)
	}
}

// name takes a name, quoted or not.
func (p *parser) name(of string) string {
	name := p.tok.text
	if p.tok.kind != quoted && p.tok.kind != plain {
		p.fail(p.at, "want the name of the %s, have %s", of, p.tok)
	}
	p.advance()
	return name
}

func (p *parser) message() (columns []table.Column) {
	p.expect("message")
	p.name("message")
	p.expect("{")
	seen := map[string]bool{}
	for p.err == nil && !p.keyword("}") {
		at := p.at
		c, nameAt := p.column()
		if seen[c.Name] {
			p.fail(nameAt, "a second column %q", c.Name)
		}
		seen[c.Name] = true
		if columns = append(columns, c); len(columns) > table.MaxColumns {
			p.fail(at, "more than %d columns", table.MaxColumns)
		}
	}
	if p.err == nil && p.tok.kind != end {
		p.fail(p.at, "want the end, have %s", p.tok)
	}
	if p.err == nil && len(columns) == 0 {
		p.fail(p.at, "a table without columns")
	}
	return columns
}

// column reads `required int32 name (INTEGER(16,true));`.
func (p *parser) column() (c table.Column, nameAt int) {
	c.Bounds = table.DefaultBounds
	switch {
	case p.keyword("optional"):
		c.Optional = true
	case p.keyword("required"):
	case p.keyword("repeated"):
		p.fail(p.at, "repeated columns cannot be written; lists fit into optional binary NAME (JSON)")
	default:
		p.fail(p.at, "want required or optional, have %s", p.tok)
	}
	physical := p.physical()
	nameAt = p.at
	c.Name = p.name("column")
	logical, logicalAt := p.logical()
	kind, ok := kinds[physical+" "+logical]
	if !ok && p.err == nil {
		p.fail(logicalAt, "%s (%s) cannot be written; there are %s", physical, logical, writable(physical))
	}
	c.Kind = kind
	p.expect(";")
	return c, nameAt
}

// physical reads the type before a column's name.
func (p *parser) physical() string {
	at, name := p.at, strings.ToLower(p.tok.text)
	switch {
	case name == "group":
		p.fail(at, "groups cannot be written; objects fit into optional binary NAME (JSON)")
	case p.tok.kind != plain || writable(name) == "":
		p.fail(at, "want a type (boolean, int32, int64, float, double, binary), have %s", p.tok)
	}
	p.advance()
	return name
}

// logical reads the type in parentheses, if there is one, in its one spelling.
func (p *parser) logical() (name string, at int) {
	at = p.at
	if !p.keyword("(") {
		return "", at
	}
	at = p.at
	name = strings.ToUpper(p.name("logical type"))
	if p.keyword("(") {
		first := p.name("parameter")
		p.expect(",")
		name += "(" + strings.ToUpper(first) + "," + strings.ToLower(p.name("parameter")) + ")"
		p.expect(")")
	}
	p.expect(")")
	if modern, ok := legacy[name]; ok {
		name = modern
	}
	return name, at
}
