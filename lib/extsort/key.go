package extsort

import (
	"encoding/binary"
	"math"
)

// A key's fields are self-delimiting: no field is a prefix of another, so the
// fields after it only count where it is equal.

// AppendText appends bytes that sort as text does: bytewise, a prefix first.
func AppendText[S string | []byte](key []byte, text S) []byte {
	for i := 0; i < len(text); i++ {
		key = append(key, text[i])
		if text[i] == 0 {
			key = append(key, 0xff) // so that 0, 0 can be nothing but the end
		}
	}
	return append(key, 0, 0)
}

// AppendInt appends bytes that sort as n does.
func AppendInt(key []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(n)^1<<63)
}

// AppendFloat appends bytes that sort as f does; NaN comes last.
func AppendFloat(key []byte, f float64) []byte {
	bits := math.Float64bits(f)
	switch {
	case f != f:
		bits = math.MaxUint64
	case f == 0:
		bits = 1 << 63 // -0 is 0
	case bits>>63 == 1:
		bits = ^bits
	default:
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(key, bits)
}
