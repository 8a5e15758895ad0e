package gram

import (
	"encoding/binary"
	"fmt"
)

// Class is a language in one of its scripts: what a Table tells apart.
type Class struct {
	Script   Script
	Language string               // cc-index code, three letters
	Miss     [MaxLength + 1]uint8 // by length: what is taken off for each gram of the table, in units
	Typical  uint32
}

// Table says how much each gram speaks for each class of its script.
//
// As bytes it is a header of 16 bytes (magic, number of classes, log2 of the number of slots, size of the rows),
// 8 bytes a class, 4 bytes a slot, and the rows; all numbers are little-endian. The hash of a gram, cut to the slots,
// says where to look for its row, and the next slots if that is taken. A slot has the rest of the hash in 10 bits and
// where the row begins in 22; 0 is a free one. A row is a byte with the number of pairs of classes, and a byte for
// the class and one for the weight of each; a class without a pair is followed by one of weight 0.
type Table struct {
	Classes []Class
	spans   [Scripts]struct{ first, last int } // of the classes of each script
	slots   []uint32
	rows    []byte
	mask    uint32
}

const (
	magic      = "lang1\n"
	headerSize = 16
	classSize  = 16
	offsetBits = 22
	offsetMask = 1<<offsetBits - 1
)

// Parse reads a table that Encode wrote. It keeps data and copies nothing but the classes.
func Parse(data []byte) (*Table, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("language table: it does not begin with %q", magic)
	}
	classes, slotBits := int(data[6]), int(data[7])
	rows := int(binary.LittleEndian.Uint32(data[8:]))
	slotsAt := headerSize + classes*classSize
	rowsAt := slotsAt + 4<<slotBits
	if slotBits > 24 || len(data) != rowsAt+rows {
		return nil, fmt.Errorf("language table: %d bytes, not as long as its header says", len(data))
	}
	t := &Table{rows: data[rowsAt:], mask: 1<<slotBits - 1}
	t.slots = make([]uint32, 1<<slotBits)
	for i := range t.slots {
		t.slots[i] = binary.LittleEndian.Uint32(data[slotsAt+4*i:])
	}
	for i := range classes {
		c := data[headerSize+i*classSize:]
		cl := Class{Script: Script(c[0]), Language: string(c[1:4]), Typical: binary.LittleEndian.Uint32(c[12:])}
		copy(cl.Miss[:], c[4:])
		t.Classes = append(t.Classes, cl)
		span := &t.spans[cl.Script%Scripts]
		if span.last == 0 {
			span.first = i
		}
		span.last = i + 1
	}
	return t, nil
}

// find returns where the row of a gram is, 0 if the table lacks the gram.
func (t *Table) find(hash uint32) uint32 {
	tag := hash >> offsetBits
	for at := hash >> 3 & t.mask; ; at = (at + 1) & t.mask {
		slot := t.slots[at]
		if slot == 0 || slot>>offsetBits == tag {
			return slot & offsetMask
		}
	}
}

// add adds the weights of the row at a place to the scores.
func (t *Table) add(at uint32, scores *[256]uint32) {
	n := 4 * uint32(t.rows[at])
	for row := t.rows[at+1 : at+1+n]; len(row) >= 4; row = row[4:] {
		two := binary.LittleEndian.Uint32(row)
		scores[uint8(two)] += two >> 8 & 0xff
		scores[uint8(two>>16)] += two >> 24
	}
}

// tagOf returns the bits of a hash that a slot keeps. The lowest ones are told by the slot's place.
func tagOf(hash uint32) uint32 { return hash >> offsetBits }
