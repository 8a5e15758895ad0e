package table

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/open-index/ccnews/lib/jsonl"
)

// Objects turns JSON objects into rows of a table. Every value must be of its
// column's kind and nothing is converted, but that a fraction becomes the nearest
// float; a key that is missing is a null.
type Objects struct {
	// Forgive, if there is one, is told of each value that is not of the kind of
	// its column, which may be null; if it returns true, null takes its place.
	Forgive func(*Misfit) bool
	// Ignore, if there is one, is told of each key without a column; if it
	// returns true, the key is left out.
	Ignore func(*Misfit) bool

	columns []Column
	index   map[string]int
	cells   [][]byte // of the object being read
	nested  shredder
	unfit   map[string]*Misfit // of the keys with a value that fits no column
}

// NewObjects makes rows of the given columns.
func NewObjects(columns []Column) *Objects {
	o := &Objects{columns: columns, index: map[string]int{}, cells: make([][]byte, len(columns))}
	o.nested.ignore = o.ignores
	for i, c := range columns {
		o.index[c.Name] = i
	}
	return o
}

// Misfit is the error for a JSON object that is no row of the columns: a value
// is not of its column's kind, a key has no column, or a column that is never
// null got no value.
type Misfit struct {
	key     string
	reason  string
	unknown bool // the key has no column
}

func newUnknown(key string) *Misfit {
	return &Misfit{key: key, reason: "there is no such column", unknown: true}
}

func (m *Misfit) Error() string { return fmt.Sprintf("key %q: %s", m.key, m.reason) }

// Row appends the row of one object to dst. The error names the key at fault;
// it is a *[Misfit] if the line is a JSON object all the same.
func (o *Objects) Row(dst, line []byte) ([]byte, error) {
	if err := CheckJSON(line); err != nil {
		return dst, err
	}
	var misfit *Misfit // the first one; the line is read on, for worse errors
	if line, o.unfit, misfit = withoutUnfit(line); misfit != nil && o.ignores(misfit) {
		misfit = nil
	}
	o.nested.count = 0
	for i := range o.cells {
		o.cells[i] = o.cells[i][:0]
	}
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) error {
		found, err := o.read(iter, key)
		if misfit == nil {
			misfit = found
		}
		return err
	})
	if err != nil {
		return dst, err
	}
	if misfit != nil {
		return dst, misfit
	}
	return o.appendCells(dst)
}

// read reads the value of a key into its cell.
func (o *Objects) read(iter *jsonl.Iterator, key string) (*Misfit, error) {
	i, ok := o.index[key]
	if !ok {
		iter.Skip()
		misfit := newUnknown(key)
		if o.ignores(misfit) {
			misfit = nil
		}
		return misfit, nil
	}
	if len(o.cells[i]) > 0 {
		return nil, errTwice
	}
	column := &o.columns[i]
	cell, misfit, err := o.cell(o.cells[i], iter, column)
	if err != nil {
		return nil, err
	}
	if misfit != nil {
		cell = AppendNull(cell[:0])
	}
	if o.cells[i] = cell; misfit != nil && column.Optional && o.forgives(misfit) {
		misfit = nil
	}
	return misfit, nil
}

// cell reads the value of a column.
func (o *Objects) cell(cell []byte, iter *jsonl.Iterator, column *Column) ([]byte, *Misfit, error) {
	cell, reason := appendValue(cell, iter, column.Kind)
	if misfit := o.unfit[column.Name]; misfit != nil {
		return cell, misfit, nil
	}
	if reason != "" {
		return cell, &Misfit{key: column.Name, reason: reason}, nil
	}
	if column.Kind == Nested && cell[0] == valueCell {
		misfit, err := o.checkNested(column, cell)
		return cell, misfit, err
	}
	return cell, nil, nil
}

// forgives leaves keys without a column, in nested values too, to Ignore.
func (o *Objects) forgives(misfit *Misfit) bool {
	return !misfit.unknown && o.Forgive != nil && o.Forgive(misfit)
}

func (o *Objects) ignores(misfit *Misfit) bool { return o.Ignore != nil && o.Ignore(misfit) }

// checkNested finds out whether a cell has the shape of its column.
func (o *Objects) checkNested(column *Column, cell []byte) (*Misfit, error) {
	value, _, err := cutCell(cell, Nested)
	if err != nil {
		return nil, err
	}
	return o.nested.check(column, value.ByteArray())
}

// appendCells appends the cells that were read, and nulls for those that were
// not, to dst.
func (o *Objects) appendCells(dst []byte) ([]byte, error) {
	start := len(dst)
	for i, cell := range o.cells {
		column := &o.columns[i]
		switch {
		case column.Optional && len(cell) == 0:
			dst = AppendNull(dst)
			continue
		case len(cell) == 0:
			return dst[:start], &Misfit{key: column.Name, reason: "it is missing, and the column is required"}
		case !column.Optional && cell[0] == nullCell:
			return dst[:start], &Misfit{key: column.Name, reason: "it is null, and the column is required"}
		}
		dst = append(dst, cell...)
	}
	return dst, nil
}

// CheckJSON is encoding/json's opinion of a line. The faster reader that makes
// rows of it lets some errors pass and explains others badly.
func CheckJSON(line []byte) error {
	if jsonl.Valid(line) {
		return nil
	}
	var raw json.RawMessage
	return fmt.Errorf("not valid JSON: %w", json.Unmarshal(line, &raw))
}

var errTwice = errors.New("it is there twice")
