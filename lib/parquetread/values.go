package parquetread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// Value is one value of a column. Only the field of the column's [Kind] means
// something.
type Value struct {
	Null bool
	// Bytes is valid until the cursor moves; clone what you keep.
	Bytes []byte
	Int   int64
	Float float64
}

// decoder gives the values of a page that are not null, one after the other.
type decoder interface{ next() (Value, error) }

// newDecoder reads values encoded in b; dict is the column's dictionary or nil.
func newDecoder(encoding format.Encoding, physical format.Type, b []byte, dict *dictionary) (decoder, error) {
	switch {
	case encoding == format.RLEDictionary || encoding == format.PlainDictionary:
		return newPlaces(b, dict)
	case encoding == format.Plain && physical == format.ByteArray:
		return &plainBytes{b}, nil
	case encoding == format.Plain && physical != format.Boolean && fixedSize(physical) > 0:
		return &plainFixed{b, physical}, nil
	case encoding == format.DeltaBinaryPacked && (physical == format.Int32 || physical == format.Int64):
		return newDeltaInts(b, physical)
	case encoding == format.DeltaLengthByteArray && physical == format.ByteArray:
		return newDeltaLength(b)
	case encoding == format.DeltaByteArray && physical == format.ByteArray:
		return newDeltaBytes(b)
	case encoding == format.ByteStreamSplit && fixedSize(physical) > 0:
		return newSplit(b, physical)
	}
	return nil, fmt.Errorf("%s encoded as %s, which is not supported", physical, encoding)
}

// fixedSize is the size of a value in bytes, or 0 where sizes differ or the
// values cannot be read.
func fixedSize(physical format.Type) int {
	switch physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	}
	return 0
}

func fixedValue(b []byte, physical format.Type) Value {
	switch physical {
	case format.Int32:
		return Value{Int: int64(int32(binary.LittleEndian.Uint32(b)))}
	case format.Int64:
		return Value{Int: int64(binary.LittleEndian.Uint64(b))}
	case format.Float:
		return Value{Float: float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))}
	default:
		return Value{Float: math.Float64frombits(binary.LittleEndian.Uint64(b))}
	}
}

type plainBytes struct{ rest []byte }

func (p *plainBytes) next() (Value, error) {
	v, rest, err := cutPlain(p.rest)
	p.rest = rest
	return Value{Bytes: v}, err
}

func cutPlain(b []byte) (v, rest []byte, err error) {
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	end := 4 + int(binary.LittleEndian.Uint32(b))
	return b[4:end:end], b[end:], nil
}

type plainFixed struct {
	rest     []byte
	physical format.Type
}

func (p *plainFixed) next() (Value, error) {
	size := fixedSize(p.physical)
	if len(p.rest) < size {
		return Value{}, io.ErrUnexpectedEOF
	}
	v := fixedValue(p.rest, p.physical)
	p.rest = p.rest[size:]
	return v, nil
}

// split reads BYTE_STREAM_SPLIT: all first bytes, then all second bytes, …
type split struct {
	b        []byte
	count, i int
	physical format.Type
}

func newSplit(b []byte, physical format.Type) (decoder, error) {
	size := fixedSize(physical)
	if len(b)%size != 0 {
		return nil, errors.New("streams of different lengths")
	}
	return &split{b: b, count: len(b) / size, physical: physical}, nil
}

func (s *split) next() (Value, error) {
	if s.i == s.count {
		return Value{}, io.ErrUnexpectedEOF
	}
	var b [8]byte
	for k := range fixedSize(s.physical) {
		b[k] = s.b[k*s.count+s.i]
	}
	s.i++
	return fixedValue(b[:], s.physical), nil
}

// dictionary holds the distinct values of a column's row group.
type dictionary struct {
	b        []byte
	starts   []uint32 // of BYTE_ARRAY values, where each begins in b
	count    int
	physical format.Type
}

// load reads a dictionary page, of which b is all. Starts are as many as
// announced only if the page has room for them: each takes four bytes there.
func (d *dictionary) load(b []byte, count int, physical format.Type) error {
	d.b, d.count, d.physical, d.starts = b, count, physical, d.starts[:0]
	if size := fixedSize(physical); size > 0 {
		if len(b)/size < count {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	if physical != format.ByteArray {
		return fmt.Errorf("a dictionary of %s, which is not supported", physical)
	}
	for rest := b; len(d.starts) < count; {
		d.starts = append(d.starts, uint32(len(b)-len(rest)))
		var err error
		if _, rest, err = cutPlain(rest); err != nil {
			return err
		}
	}
	return nil
}

func (d *dictionary) value(i uint32) (Value, error) {
	if int64(i) >= int64(d.count) {
		return Value{}, fmt.Errorf("place %d in a dictionary of %d values", i, d.count)
	}
	if size := fixedSize(d.physical); size > 0 {
		return fixedValue(d.b[int(i)*size:], d.physical), nil
	}
	v, _, err := cutPlain(d.b[d.starts[i]:])
	return Value{Bytes: v}, err
}

// places are values as numbers of their places in the dictionary.
type places struct {
	numbers hybrid
	dict    *dictionary
}

func newPlaces(b []byte, dict *dictionary) (decoder, error) {
	if dict == nil {
		return nil, errors.New("there is no dictionary")
	}
	if len(b) == 0 { // a page of nulls alone
		return &places{dict: dict}, nil
	}
	if b[0] > 32 {
		return nil, fmt.Errorf("numbers of %d bits", b[0])
	}
	return &places{hybrid{rest: b[1:], width: uint(b[0])}, dict}, nil
}

func (p *places) next() (Value, error) {
	i, err := p.numbers.next()
	if err != nil {
		return Value{}, err
	}
	return p.dict.value(i)
}
