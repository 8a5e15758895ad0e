package gram

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Weight is what a gram says for one class.
type Weight struct{ Class, Weight uint8 }

// Row is a gram with its weights.
type Row struct {
	Hash    uint32
	Weights []Weight
}

// Encode writes a table, as described at Table; classes are ordered by script. The same rows in the same order give the
// same bytes. More than 255 classes, 255 weights in a row or 4 MiB of rows are an error.
func Encode(classes []Class, rows []Row) ([]byte, error) {
	slotBits := 1
	for len(rows)*4 > 3<<slotBits {
		slotBits++
	}
	slots := make([]uint32, 1<<slotBits)
	mask := uint32(len(slots) - 1)
	body := []byte{0} // no row begins at 0, so that no slot in use is 0
	if len(classes) > math.MaxUint8 {
		return nil, fmt.Errorf("language table: %d classes, more than %d", len(classes), math.MaxUint8)
	}
	for _, row := range rows {
		if len(body) > offsetMask || len(row.Weights) > math.MaxUint8 {
			return nil, fmt.Errorf("language table: %d weights after %d bytes of rows are more than it can hold", len(row.Weights), len(body))
		}
		at := row.Hash >> 3 & mask
		for slots[at] != 0 {
			at = (at + 1) & mask
		}
		slots[at] = tagOf(row.Hash)<<offsetBits | uint32(len(body))
		body = append(body, byte(len(row.Weights)))
		for _, w := range row.Weights {
			body = append(body, w.Class, w.Weight)
		}
	}
	out := append([]byte(magic), byte(len(classes)), byte(slotBits))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	out = append(out, 0, 0, 0, 0)
	for _, c := range classes {
		out = append(out, byte(c.Script))
		out = append(out, c.Language...)
		out = append(out, c.Miss[:]...)
		out = append(out, 0, 0)
		out = binary.LittleEndian.AppendUint32(out, c.Typical)
	}
	for _, slot := range slots {
		out = binary.LittleEndian.AppendUint32(out, slot)
	}
	return append(out, body...), nil
}
