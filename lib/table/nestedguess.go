package table

import (
	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// maxDepth is how deep values are taken apart; what is nested deeper is JSON
// text. Levels in Parquet are numbers of 8 bits for most readers, and a list
// takes two.
const maxDepth = 32

// guessed is what was seen so far at one place of the objects.
type guessed struct {
	form   form
	kind   Kind // of a scalar
	wide   bool // there was an integer that a float64 does not hold
	names  []string
	index  map[string]int
	fields []*guessed
	last   []int    // the object in which each field was seen last
	seen   int      // objects so far
	item   *guessed // what arrays hold
}

type form uint8

const (
	unseen form = iota // nothing but nulls
	scalar
	array
	object
)

// nestedGuess finds the shapes of a table's columns.
type nestedGuess struct {
	root guessed
	keys int // in all objects, at any depth
}

// look takes one more value at n into account.
func (g *nestedGuess) look(n *guessed, iter *jsonl.Iterator, depth int) error {
	kind, null := peekKind(iter)
	next := iter.WhatIsNext()
	switch {
	case null || n.form == scalar && n.kind == JSON:
	case kind == JSON && depth > maxDepth:
		n.mixed()
	case next == jsoniter.ObjectValue && n.become(object):
		return g.lookObject(n, iter, depth)
	case next == jsoniter.ArrayValue && n.become(array):
		return g.lookArray(n, iter, depth)
	case kind == Int64:
		n.lookNumber(iter.ReadNumber().String())
		return nil
	case kind != JSON:
		n.lookScalar(kind)
	}
	iter.Skip()
	return nil
}

func (g *nestedGuess) lookArray(n *guessed, iter *jsonl.Iterator, depth int) (err error) {
	if n.item == nil {
		n.item = new(guessed)
	}
	iter.ReadArrayCB(func(iter *jsonl.Iterator) bool {
		err = g.look(n.item, iter, depth+1)
		return err == nil
	})
	return err
}

func (g *nestedGuess) lookObject(n *guessed, iter *jsonl.Iterator, depth int) (err error) {
	n.seen++
	iter.ReadObjectCB(func(iter *jsonl.Iterator, key string) bool {
		if err = g.lookField(n, iter, key, depth); err != nil {
			err = jsonl.AtKey(key, err)
		}
		return err == nil
	})
	return err
}

func (g *nestedGuess) lookField(n *guessed, iter *jsonl.Iterator, key string, depth int) error {
	i, ok := n.index[key]
	if !ok {
		if g.keys++; g.keys > MaxColumns {
			return errTooMany
		}
		i = n.add(key)
	}
	if n.last[i] == n.seen {
		return errTwice
	}
	n.last[i] = n.seen
	return g.look(n.fields[i], iter, depth+1)
}

func (n *guessed) add(key string) int {
	if n.index == nil {
		n.index = map[string]int{}
	}
	i := len(n.names)
	n.index[key] = i
	n.names, n.fields, n.last = append(n.names, key), append(n.fields, new(guessed)), append(n.last, 0)
	return i
}

// become makes n of a form, or JSON text if it has another already.
func (n *guessed) become(f form) bool {
	if n.form != unseen && n.form != f {
		n.mixed()
		return false
	}
	n.form = f
	return true
}

func (n *guessed) mixed() { *n = guessed{form: scalar, kind: JSON} }

func (n *guessed) lookNumber(text string) {
	kind := numberKind(text)
	if kind == Int64 && !exact(text, 64) {
		n.wide = true
	}
	n.lookScalar(kind)
}

func (n *guessed) lookScalar(kind Kind) {
	known := n.form != unseen
	if n.become(scalar) {
		n.kind = widened(n.kind, known, n.wide, kind)
	}
}

// shape is that of all values seen at n.
func (n *guessed) shape() *Shape {
	switch {
	case n.form == array:
		return NewList(n.item.shape())
	case n.form == object && len(n.fields) == 0:
		return NewLeaf(JSON)
	case n.form != object:
		return NewLeaf(n.kind)
	}
	fields := make([]*Shape, len(n.fields))
	for i, f := range n.fields {
		fields[i] = f.shape()
	}
	return NewObject(n.names, fields)
}

// columns are those of a table whose objects were seen at n.
func (n *guessed) columns() []Column {
	columns := make([]Column, len(n.names))
	for i, name := range n.names {
		shape := n.fields[i].shape()
		columns[i] = Column{Name: name, Kind: shape.Kind, Optional: true, Bounds: DefaultBounds}
		if shape.Kind == Nested {
			columns[i].Shape = shape
		}
	}
	return columns
}
