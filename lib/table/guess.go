package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// Guess finds out what columns a table of JSON objects has by looking at some
// of them. The zero Guess has seen none.
//
// Columns come in the order in which their keys were first seen, and are all
// optional. A key's kind is the narrowest that holds every value seen without
// changing it: integers, else numbers, strings, true or false; a key with
// values of several kinds, or with objects or arrays, becomes [JSON], in which
// every value is its JSON text. Strings stay strings, whatever they look like.
type Guess struct {
	// Nested, to be set before anything is seen, makes [Nested] columns of keys
	// with objects or arrays, and takes these apart by the same rules.
	Nested bool

	nested  nestedGuess
	columns []Column
	index   map[string]int
	lines   int    // seen so far
	last    []int  // the line in which each column was seen last
	known   []bool // the column had a value that is not null
	wide    []bool // the column had an integer that a float64 does not hold
}

// MaxColumns bounds what a table of any JSON takes in memory: a column has
// buffers of its own.
const MaxColumns = 2000

var errTooMany = fmt.Errorf("a table of more than %d keys", MaxColumns)

// Look takes one more object into account.
func (g *Guess) Look(line []byte) error {
	if err := CheckJSON(line); err != nil {
		return err
	}
	line, _, _ = withoutUnfit(line) // what fits no column says nothing of one
	if g.Nested {
		g.nested.root.seen++
		return jsonl.Object(line, func(iter *jsonl.Iterator, key string) error {
			return g.nested.lookField(&g.nested.root, iter, key, 0)
		})
	}
	g.lines++
	return jsonl.Object(line, func(iter *jsonl.Iterator, key string) error {
		i, ok := g.index[key]
		if !ok {
			if i = g.add(key); i == MaxColumns {
				return errTooMany
			}
		}
		if g.last[i] == g.lines {
			return errTwice
		}
		g.last[i] = g.lines
		kind, null := peekKind(iter)
		if kind == Int64 || kind == Double {
			text := iter.ReadNumber().String()
			if kind = numberKind(text); kind == Int64 && !exact(text, 64) {
				g.wide[i] = true
			}
		} else {
			iter.Skip()
		}
		if !null {
			g.widen(i, kind)
		}
		return nil
	})
}

func (g *Guess) add(key string) int {
	if g.index == nil {
		g.index = map[string]int{}
	}
	i := len(g.columns)
	g.index[key] = i
	g.columns = append(g.columns, Column{Name: key, Kind: Text, Optional: true, Bounds: DefaultBounds})
	g.last, g.known, g.wide = append(g.last, 0), append(g.known, false), append(g.wide, false)
	return i
}

func (g *Guess) widen(i int, kind Kind) {
	g.columns[i].Kind = widened(g.columns[i].Kind, g.known[i], g.wide[i], kind)
	g.known[i] = true
}

// widened is the narrowest kind that holds values of kind and, if any are known,
// those of old; wide says that a float64 does not hold all of them.
func widened(old Kind, known, wide bool, kind Kind) Kind {
	switch {
	case !known || old == kind:
	case isNumber(old) && isNumber(kind):
		kind = Double
	default:
		kind = JSON
	}
	if kind == Double && wide {
		return JSON
	}
	return kind
}

func isNumber(k Kind) bool { return k == Int64 || k == Double }

// Columns are the columns as far as they are known. Keys with nothing but nulls
// hold strings.
func (g *Guess) Columns() []Column {
	if g.Nested {
		return g.nested.root.columns()
	}
	return slices.Clone(g.columns)
}

// peekKind is the kind of the value that comes next, as far as its first byte
// tells: numbers are Int64.
func peekKind(iter *jsonl.Iterator) (kind Kind, null bool) {
	switch iter.WhatIsNext() {
	case jsoniter.NilValue:
		return Text, true
	case jsoniter.StringValue:
		return Text, false
	case jsoniter.NumberValue:
		return Int64, false
	case jsoniter.BoolValue:
		return Bool, false
	}
	return JSON, false
}

// numberKind is the narrowest kind that holds the number text, which is in a
// double's range. Where a float64 would not do, its text is exact.
func numberKind(text string) Kind {
	if !strings.ContainsAny(text, ".eE") {
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return Int64
		}
		return JSON
	}
	if f, err := strconv.ParseFloat(text, 64); err != nil || vanishes(text, f) {
		return JSON
	}
	return Double
}
