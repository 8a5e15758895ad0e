package parquetread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Parquet's metadata is in Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
// A list there announces how many elements it has, and decoders make room for
// them before they read the first one.
const (
	maxDepth = 16
	// maxStructMemory bounds what a decoded structure takes, in bytes, when
	// every element of a list is counted with its cost.
	maxStructMemory = 64 << 20
	structCost      = 1 << 10 // more than the largest of Parquet's structures
	scalarCost      = 24
)

// Thrift's types in the compact protocol.
const (
	typeStop   = 0
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeInt16  = 4
	typeInt64  = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// checkStruct walks the structure at the start of b and returns its length in
// bytes, so that a decoder can believe all lengths in it. The error is
// io.ErrUnexpectedEOF if b ends inside it.
func checkStruct(b []byte) (int, error) {
	w := walker{rest: b, memory: maxStructMemory}
	if err := w.structure(0); err != nil {
		return 0, err
	}
	return len(b) - len(w.rest), nil
}

type walker struct {
	rest   []byte
	memory int
}

func (w *walker) structure(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("structures are nested more than %d deep", maxDepth)
	}
	for {
		head, err := w.byte()
		if err != nil || head == typeStop {
			return err
		}
		if head>>4 == 0 { // the field's number follows instead of a difference
			if _, err := w.uvarint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind == typeTrue || kind == typeFalse {
			continue // the type is the value
		} else if err := w.value(kind, depth); err != nil {
			return err
		}
	}
}

func (w *walker) value(kind byte, depth int) error {
	switch kind {
	case typeTrue, typeFalse, typeByte:
		return w.skip(1)
	case typeInt16, typeInt16 + 1, typeInt64:
		_, err := w.uvarint()
		return err
	case typeDouble:
		return w.skip(8)
	case typeBinary:
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case typeList, typeSet:
		return w.list(depth)
	case typeStruct:
		return w.structure(depth + 1)
	case typeMap:
		return errors.New("maps are not part of Parquet's metadata")
	}
	return fmt.Errorf("unknown type %d", kind)
}

func (w *walker) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	size, kind := uint64(head>>4), head&15
	if size == 15 {
		if size, err = w.uvarint(); err != nil {
			return err
		}
	}
	if size > uint64(len(w.rest)) { // every element has a byte at least
		return io.ErrUnexpectedEOF
	}
	cost := scalarCost
	if kind == typeStruct {
		cost = structCost
	}
	if w.memory -= int(size) * cost; w.memory < 0 {
		return errors.New("more elements than the limit allows")
	}
	for range size {
		if err := w.value(kind, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) byte() (byte, error) {
	if len(w.rest) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

func (w *walker) skip(n uint64) error {
	if n > uint64(len(w.rest)) {
		return io.ErrUnexpectedEOF
	}
	w.rest = w.rest[n:]
	return nil
}

func (w *walker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.rest)
	switch {
	case n == 0:
		return 0, io.ErrUnexpectedEOF
	case n < 0:
		return 0, errors.New("a number has more than 64 bits")
	}
	w.rest = w.rest[n:]
	return v, nil
}
