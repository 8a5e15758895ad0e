package gram

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Class is a language in one of its scripts: what a Table tells apart.
type Class struct {
	Script   Script
	Language string               // cc-index code, three letters
	Miss     [MaxLength + 1]uint8 // by length of the gram: what is taken off for each one of the table, in units of 1/20
	Typical  uint32               // the score that a gram of the class's own texts has on average, in units of 1/20/256
}

// Table says how much each gram speaks for each class of its script.
//
// As bytes it is a header of 16 bytes (magic, number of classes, log2 of the number of slots, size of the rows),
// 16 bytes a class, 4 bytes a slot, and the rows; all numbers are little-endian. The hash of a gram, cut to the slots,
// says where to look for its row, and the next slots if that is taken. A slot has the rest of the hash in 10 bits and
// where the row begins in 22; 0 is a free one. A row is a byte with the number of its classes, and for each of them a byte
// that names it and one with the weight.
type Table struct {
	Classes []Class
	spans   [Scripts]struct{ first, last int } // of the classes of each script
	slots   []uint32
	rows    []byte
	mask    uint32
}

const (
	magic       = "lang2\n"
	headerSize  = 16
	classSize   = 16
	maxSlotBits = 22
	offsetBits  = 22
	offsetMask  = 1<<offsetBits - 1
)

// Parse reads a table that Encode wrote. It keeps data, and copies only classes and slots. A table that another lookup
// could run out of is an error.
func Parse(data []byte) (*Table, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("language table: it does not begin with %q", magic)
	}
	classes, slotBits := int(data[6]), int(data[7])
	if slotBits > maxSlotBits {
		return nil, fmt.Errorf("language table: 2^%d slots, more than 2^%d", slotBits, maxSlotBits)
	}
	slotsAt := headerSize + classes*classSize
	rowsAt := slotsAt + 4<<slotBits
	if rows := int64(binary.LittleEndian.Uint32(data[8:])); int64(len(data)) != int64(rowsAt)+rows {
		return nil, fmt.Errorf("language table: %d bytes, not as long as its header says", len(data))
	}
	t := &Table{rows: data[rowsAt:], mask: 1<<slotBits - 1}
	if err := t.readClasses(data[headerSize:slotsAt]); err != nil {
		return nil, err
	}
	return t, t.readSlots(data[slotsAt:rowsAt])
}

// readClasses reads the classes, which are ordered by script.
func (t *Table) readClasses(data []byte) error {
	for i := range len(data) / classSize {
		d := data[i*classSize:]
		c := Class{Script: Script(d[0]), Language: string(d[1:4]), Typical: binary.LittleEndian.Uint32(d[12:])}
		copy(c.Miss[:], d[4:])
		if c.Script == None || c.Script >= Scripts || i > 0 && c.Script < t.Classes[i-1].Script {
			return fmt.Errorf("language table: class %d is of script %d, which is none or out of order", i, c.Script)
		}
		t.Classes = append(t.Classes, c)
		span := &t.spans[c.Script]
		if span.last == 0 {
			span.first = i
		}
		span.last = i + 1
	}
	return nil
}

// readSlots reads the slots and checks that their rows are there.
func (t *Table) readSlots(data []byte) error {
	t.slots = make([]uint32, len(data)/4)
	free := 0
	for i := range t.slots {
		slot := binary.LittleEndian.Uint32(data[4*i:])
		t.slots[i] = slot
		if slot == 0 {
			free++
			continue
		}
		at := int(slot & offsetMask)
		if at == 0 || at >= len(t.rows) || at+1+2*int(t.rows[at]) > len(t.rows) {
			return fmt.Errorf("language table: slot %d: no row at %d", i, at)
		}
	}
	if free == 0 {
		return errors.New("language table: no slot is free, so that a search would not end")
	}
	return nil
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
	n := 2 * uint32(t.rows[at])
	for row := t.rows[at+1 : at+1+n]; len(row) >= 2; row = row[2:] {
		scores[row[0]] += uint32(row[1])
	}
}

// tagOf returns the bits of a hash that a slot keeps. The lowest ones are told by the slot's place.
func tagOf(hash uint32) uint32 { return hash >> offsetBits }
