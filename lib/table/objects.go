package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// Objects turns JSON objects into rows of a table. Every value must be of its
// column's kind, nothing is rounded or converted; a key that is missing is a
// null.
type Objects struct {
	columns []Column
	index   map[string]int
	cells   [][]byte // of the object being read
}

// NewObjects makes rows of the given columns.
func NewObjects(columns []Column) *Objects {
	o := &Objects{columns: columns, index: map[string]int{}, cells: make([][]byte, len(columns))}
	for i, c := range columns {
		o.index[c.Name] = i
	}
	return o
}

// Row appends the row of one object to dst. The error names the key at fault.
func (o *Objects) Row(dst, line []byte) ([]byte, error) {
	if err := CheckJSON(line); err != nil {
		return dst, err
	}
	for i := range o.cells {
		o.cells[i] = o.cells[i][:0]
	}
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) (err error) {
		i, ok := o.index[key]
		if !ok {
			return errors.New("the lines by which the columns were chosen do not have it")
		}
		if len(o.cells[i]) > 0 {
			return errTwice
		}
		o.cells[i], err = appendCell(o.cells[i], iter, o.columns[i].Kind)
		return err
	})
	if err != nil {
		return dst, err
	}
	for _, cell := range o.cells {
		if len(cell) == 0 {
			cell = append(cell, nullCell)
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

func appendCell(cell []byte, iter *jsonl.Iterator, kind Kind) ([]byte, error) {
	next := iter.WhatIsNext()
	switch {
	case next == jsoniter.NilValue:
		iter.ReadNil()
		return AppendNull(cell), nil
	case kind == JSON:
		return AppendText(cell, iter.SkipAndReturnBytes()), nil
	case kind == Text && next == jsoniter.StringValue:
		return AppendText(cell, iter.ReadString()), nil
	case kind == Bool && next == jsoniter.BoolValue:
		return AppendBool(cell, iter.ReadBool()), nil
	case kind == Int64 && next == jsoniter.NumberValue:
		text := iter.ReadNumber().String()
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return cell, misfit(kind, text)
		}
		return AppendInt(cell, n), nil
	case kind == Double && next == jsoniter.NumberValue:
		text := iter.ReadNumber().String()
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || numberKind(text) != Double && !exact(text) {
			return cell, misfit(kind, text)
		}
		return AppendDouble(cell, f), nil
	}
	return cell, misfit(kind, string(iter.SkipAndReturnBytes()))
}

func misfit(kind Kind, have string) error {
	const most = 40
	if len(have) > most {
		have = have[:most] + "…"
	}
	return fmt.Errorf("the column holds %ss, not %s", kind, have)
}
