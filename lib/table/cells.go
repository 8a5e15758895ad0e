package table

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/parquet-go/parquet-go"
)

// A row travels as bytes, its cells in the order of the columns: one byte that
// tells null from not null, then the value. Bytes can be counted, sorted,
// spilled to disk and kept without a pointer in them.
const (
	nullCell byte = iota
	valueCell
)

// AppendNull appends a null to a row.
func AppendNull(row []byte) []byte { return append(row, nullCell) }

// AppendText appends a [Text], [JSON] or [Bytes] value to a row.
func AppendText[S string | []byte](row []byte, s S) []byte {
	row = binary.AppendUvarint(append(row, valueCell), uint64(len(s)))
	return append(row, s...)
}

// AppendInt appends an integer of any size, or a [Time] or [TimeMicros] value
// (in milliseconds or microseconds since 1970-01-01 UTC), to a row.
func AppendInt(row []byte, n int64) []byte {
	return binary.AppendVarint(append(row, valueCell), n)
}

// AppendDouble appends a [Double] or [Float] value to a row.
func AppendDouble(row []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(append(row, valueCell), math.Float64bits(f))
}

// AppendBool appends a [Bool] value to a row.
func AppendBool(row []byte, b bool) []byte {
	if b {
		return append(row, valueCell, 1)
	}
	return append(row, valueCell, 0)
}

var errCells = errors.New("row does not fit the table's columns")

// cutCell takes the first cell off a row, as a value without levels; text is
// not copied.
func cutCell(row []byte, kind Kind) (value parquet.Value, rest []byte, err error) {
	if len(row) == 0 {
		return value, nil, errCells
	}
	isNull := row[0] == nullCell
	if row = row[1:]; isNull {
		return parquet.NullValue(), row, nil
	}
	switch {
	case kind.isText():
		size, n := binary.Uvarint(row)
		if n <= 0 || size > uint64(len(row)-n) {
			return value, nil, errCells
		}
		end := n + int(size)
		return parquet.ByteArrayValue(row[n:end:end]), row[end:], nil
	case kind == Double || kind == Float:
		if len(row) < 8 {
			return value, nil, errCells
		}
		f := math.Float64frombits(binary.LittleEndian.Uint64(row))
		if kind == Float {
			return parquet.FloatValue(float32(f)), row[8:], nil
		}
		return parquet.DoubleValue(f), row[8:], nil
	case kind == Bool:
		if len(row) == 0 {
			return value, nil, errCells
		}
		return parquet.BooleanValue(row[0] == 1), row[1:], nil
	default:
		number, n := binary.Varint(row)
		if n <= 0 {
			return value, nil, errCells
		}
		if kind.bits() <= 32 {
			return parquet.Int32Value(int32(number)), row[n:], nil
		}
		return parquet.Int64Value(number), row[n:], nil
	}
}
