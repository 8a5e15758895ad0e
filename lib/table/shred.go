package table

import (
	"fmt"
	"strings"

	jsoniter "github.com/json-iterator/go"
	"github.com/parquet-go/parquet-go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// MaxRowValues bounds what the nested columns of one row take in memory. A null
// in every leaf for each "{}" of an array adds up: 2,000 times "{}", 6 kB, are
// almost four million values where objects have 1,900 keys.
const MaxRowValues = 1 << 18

// shredder takes nested values apart into the values of their leaves, as
// Dremel does (https://research.google/pubs/pub36632/): the repetition level of
// a value says which of the lists around it goes on, its definition level how
// much of the path to it is there.
type shredder struct {
	values [][]parquet.Value // of each leaf of the table; nil only counts
	cells  []byte            // what values of text point into
	count  int               // values so far
	ignore func(*Misfit) bool
	path   []string // to the value being read
	seen   []bool   // for each object around it, which fields it had so far
	misfit *Misfit  // the first one
	err    error
}

// levels are those of a value that is not there.
type levels struct {
	repetition, definition int
	depth                  int // lists around the value
}

// check finds out whether a JSON text is a value of the column, without keeping
// anything of it. Its values count as the row's unless it is a misfit.
func (s *shredder) check(column *Column, text []byte) (*Misfit, error) {
	*s = shredder{cells: s.cells, count: s.count, ignore: s.ignore, path: append(s.path[:0], column.Name), seen: s.seen[:0]}
	before := s.count
	s.shred(column.Shape, text, 0)
	if s.misfit == nil && s.count > MaxRowValues {
		s.refuse(fmt.Sprintf("with it the row has more than %d values, a null for each key that an object lacks among them", MaxRowValues))
	}
	if s.misfit != nil {
		s.count = before
	}
	return s.misfit, s.err
}

// shred adds the values of a JSON text to the leaves from the given one on.
func (s *shredder) shred(shape *Shape, text []byte, leaf int) {
	err := jsonl.Value(text, func(iter *jsonl.Iterator) { s.value(shape, iter, leaf, levels{}) })
	if s.err == nil && s.misfit == nil {
		s.err = err
	}
}

func (s *shredder) value(shape *Shape, iter *jsonl.Iterator, leaf int, at levels) {
	next := iter.WhatIsNext()
	switch {
	case next == jsoniter.NilValue:
		iter.ReadNil()
		s.nulls(shape, leaf, at)
	case shape.Element != nil && next == jsoniter.ArrayValue:
		s.array(shape, iter, leaf, at)
	case shape.Fields != nil && next == jsoniter.ObjectValue:
		s.object(shape, iter, leaf, at)
	case shape.Kind == Nested:
		s.refuse(notHeld(shape.holds(), string(iter.SkipAndReturnBytes())))
	default:
		s.leaf(shape.Kind, iter, leaf, at)
	}
}

// array adds the elements, or for none that there is an array all the same.
func (s *shredder) array(shape *Shape, iter *jsonl.Iterator, leaf int, at levels) {
	inside := levels{at.repetition, at.definition + 2, at.depth + 1}
	empty := true
	iter.ReadArrayCB(func(iter *jsonl.Iterator) bool {
		s.value(shape.Element, iter, leaf, inside)
		inside.repetition, empty = inside.depth, false
		return s.err == nil
	})
	if empty {
		at.definition++
		s.nulls(shape, leaf, at)
	}
}

// object adds the values of the fields. A misfit is no reason to stop: a key
// that is there twice is worse, and no misfit.
func (s *shredder) object(shape *Shape, iter *jsonl.Iterator, leaf int, at levels) {
	at.definition++
	start := len(s.seen)
	s.seen = append(s.seen, shape.none...)
	missing := shape.leaves
	iter.ReadObjectCB(func(iter *jsonl.Iterator, key string) bool {
		s.path = append(s.path, key)
		i, ok := shape.index[key]
		switch {
		case !ok:
			iter.Skip()
			s.unknown()
		case s.seen[start+i]:
			s.err = &jsonl.KeyError{Key: strings.Join(s.path[1:], "."), Err: errTwice}
		default:
			s.seen[start+i] = true
			missing -= shape.Fields[i].leaves
			s.value(shape.Fields[i], iter, leaf+shape.first[i], at)
		}
		s.path = s.path[:len(s.path)-1]
		return s.err == nil
	})
	if s.values == nil {
		s.count += missing
	} else if missing > 0 {
		for i, f := range shape.Fields {
			if !s.seen[start+i] {
				s.nulls(f, leaf+shape.first[i], at)
			}
		}
	}
	s.seen = s.seen[:start]
}

func (s *shredder) leaf(kind Kind, iter *jsonl.Iterator, leaf int, at levels) {
	if s.values == nil {
		s.cells = s.cells[:0]
	}
	start := len(s.cells)
	var reason string
	if s.cells, reason = appendValue(s.cells, iter, kind); reason != "" {
		s.refuse(reason)
		return
	}
	value, _, err := cutCell(s.cells[start:], kind)
	if err != nil {
		s.err = err
	}
	if !kind.isText() {
		s.cells = s.cells[:start]
	}
	s.add(value.Level(at.repetition, at.definition+1, leaf), leaf)
}

// nulls adds to each leaf of shape that it has no value here.
func (s *shredder) nulls(shape *Shape, leaf int, at levels) {
	if s.values == nil {
		s.count += shape.leaves
		return
	}
	for i := range shape.leaves {
		s.add(parquet.NullValue().Level(at.repetition, at.definition, leaf+i), leaf+i)
	}
}

func (s *shredder) add(value parquet.Value, leaf int) {
	if s.count++; s.values != nil {
		s.values[leaf] = append(s.values[leaf], value)
	}
}

func (s *shredder) unknown() {
	misfit := newUnknown(strings.Join(s.path, "."))
	if s.misfit == nil && !s.ignore(misfit) {
		s.misfit = misfit
	}
}

func (s *shredder) refuse(reason string) {
	if s.misfit == nil {
		s.misfit = &Misfit{key: strings.Join(s.path, "."), reason: reason}
	}
}
