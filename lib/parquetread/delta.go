package parquetread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// deltaInts gives integers stored as differences, in blocks of miniblocks that
// each have their own width (DELTA_BINARY_PACKED = 5).
type deltaInts struct {
	rest       []byte
	miniblocks int
	perMini    int
	left       int64 // values left
	last       int64
	started    bool
	least      int64  // smallest difference in the block
	widths     []byte // of the block's miniblocks that have not begun
	width      uint
	inMini     int // values left in the miniblock
	bits       bitReader
	narrow     bool // INT32: sums wrap at 32 bits
}

func newDeltaInts(b []byte, physical format.Type) (*deltaInts, error) {
	var head [3]uint64 // values a block, miniblocks a block, values
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		head[i], b = v, b[n:]
	}
	first, n := binary.Varint(b)
	if n <= 0 {
		return nil, io.ErrUnexpectedEOF
	}
	const most = 1 << 16
	if head[0] == 0 || head[0] > most || head[1] == 0 || head[1] > head[0] ||
		head[0]%head[1] != 0 || head[0]/head[1]%8 != 0 || head[2] > 1<<31 {
		return nil, fmt.Errorf("blocks of %d values in %d parts, %d in all", head[0], head[1], head[2])
	}
	return &deltaInts{
		rest: b[n:], miniblocks: int(head[1]), perMini: int(head[0] / head[1]),
		left: int64(head[2]), last: first, narrow: physical == format.Int32,
	}, nil
}

func (d *deltaInts) next() (Value, error) {
	if d.left == 0 {
		return Value{}, io.ErrUnexpectedEOF
	}
	d.left--
	if !d.started {
		d.started = true
		return Value{Int: d.last}, nil
	}
	if d.inMini == 0 {
		if err := d.miniblock(); err != nil {
			return Value{}, err
		}
	}
	d.inMini--
	d.last += d.least + int64(d.bits.read(d.width))
	if d.narrow {
		d.last = int64(int32(d.last))
	}
	return Value{Int: d.last}, nil
}

// miniblock starts the next miniblock, and the next block where it is due.
func (d *deltaInts) miniblock() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.rest)
		if n <= 0 || len(d.rest)-n < d.miniblocks {
			return io.ErrUnexpectedEOF
		}
		d.least = least
		d.widths, d.rest = d.rest[n:n+d.miniblocks], d.rest[n+d.miniblocks:]
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return fmt.Errorf("numbers of %d bits", d.width)
	}
	size := d.perMini / 8 * int(d.width)
	if size > len(d.rest) {
		return io.ErrUnexpectedEOF
	}
	d.bits, d.rest, d.inMini = bitReader{rest: d.rest[:size]}, d.rest[size:], d.perMini
	return nil
}

// after returns what follows the last value; d itself does not move.
func (d deltaInts) after() ([]byte, error) {
	for left := d.left - 1; left > 0; left -= int64(d.perMini) {
		if err := d.miniblock(); err != nil {
			return nil, err
		}
	}
	return d.rest, nil
}

// deltaLength gives texts whose lengths come first (DELTA_LENGTH_BYTE_ARRAY = 6).
type deltaLength struct {
	lengths *deltaInts
	rest    []byte
}

func newDeltaLength(b []byte) (*deltaLength, error) {
	lengths, err := newDeltaInts(b, format.Int32)
	if err != nil {
		return nil, err
	}
	rest, err := lengths.after()
	return &deltaLength{lengths, rest}, err
}

func (d *deltaLength) next() (Value, error) {
	n, err := d.lengths.next()
	if err != nil {
		return Value{}, err
	}
	if n.Int < 0 || n.Int > int64(len(d.rest)) {
		return Value{}, io.ErrUnexpectedEOF
	}
	v := d.rest[:n.Int:n.Int]
	d.rest = d.rest[n.Int:]
	return Value{Bytes: v}, nil
}

// deltaBytes gives texts that share their beginning with the text before
// (DELTA_BYTE_ARRAY = 7).
type deltaBytes struct {
	shared *deltaInts
	ends   *deltaLength
	last   []byte
}

func newDeltaBytes(b []byte) (*deltaBytes, error) {
	shared, err := newDeltaInts(b, format.Int32)
	if err != nil {
		return nil, err
	}
	rest, err := shared.after()
	if err != nil {
		return nil, err
	}
	ends, err := newDeltaLength(rest)
	return &deltaBytes{shared: shared, ends: ends}, err
}

func (d *deltaBytes) next() (Value, error) {
	n, err := d.shared.next()
	if err != nil {
		return Value{}, err
	}
	if n.Int < 0 || n.Int > int64(len(d.last)) {
		return Value{}, errors.New("shares more than the text before has")
	}
	end, err := d.ends.next()
	d.last = append(d.last[:n.Int], end.Bytes...)
	return Value{Bytes: d.last}, err
}
