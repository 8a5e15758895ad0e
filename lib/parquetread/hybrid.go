package parquetread

import (
	"encoding/binary"
	"errors"
	"io"
)

// hybrid gives small numbers encoded as runs of one number and groups of
// bit-packed ones (https://parquet.apache.org/docs/file-format/data-pages/encodings/,
// RLE = 3): levels and places in a dictionary.
type hybrid struct {
	rest  []byte
	width uint // bits of a number, at most 32
	left  int  // numbers left in the current run
	value uint32
	bits  bitReader // of a bit-packed run
	same  bool      // the run repeats value
}

func (h *hybrid) next() (uint32, error) {
	for h.left == 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
	}
	h.left--
	if h.same {
		return h.value, nil
	}
	return uint32(h.bits.read(h.width)), nil
}

// run starts the next run.
func (h *hybrid) run() error {
	head, n := binary.Uvarint(h.rest)
	if n <= 0 {
		return io.ErrUnexpectedEOF
	}
	h.rest = h.rest[n:]
	count := head >> 1
	if count > 1<<31 {
		return errors.New("a run of more numbers than a page can have")
	}
	h.same = head&1 == 0
	if h.same {
		return h.repeat(int(count))
	}
	size := count * uint64(h.width) // bytes: groups are of eight numbers
	if size > uint64(len(h.rest)) {
		return io.ErrUnexpectedEOF
	}
	h.bits, h.rest, h.left = bitReader{rest: h.rest[:size]}, h.rest[size:], int(count)*8
	return nil
}

func (h *hybrid) repeat(count int) error {
	size := int(h.width+7) / 8
	if size > len(h.rest) {
		return io.ErrUnexpectedEOF
	}
	h.value = 0
	for i := size - 1; i >= 0; i-- {
		h.value = h.value<<8 | uint32(h.rest[i])
	}
	h.rest, h.left = h.rest[size:], count
	return nil
}

// bitReader reads numbers packed from the least significant bit on. The caller
// knows how many there are; beyond the end it reads zeros.
type bitReader struct {
	rest []byte
	acc  uint64
	have uint // bits in acc
}

func (r *bitReader) read(width uint) uint64 {
	if width > 32 { // acc has room for 32 more bits at any time
		low := r.read(32)
		return low | r.read(width-32)<<32
	}
	for r.have < width {
		if len(r.rest) > 0 {
			r.acc |= uint64(r.rest[0]) << r.have
			r.rest = r.rest[1:]
		}
		r.have += 8
	}
	v := r.acc & (1<<width - 1)
	r.acc >>= width
	r.have -= width
	return v
}
