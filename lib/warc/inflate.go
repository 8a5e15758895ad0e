package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// pieceLimit is how many bytes a worker inflates of one segment. What expands
// beyond that is read as a stream, in constant memory.
const pieceLimit = 8 << 20

// piece is a segment with the members that a worker inflated from its start.
type piece struct {
	segment
	members []inflated
	// used is how many bytes of the segment the members take. If it is less
	// than the segment, the rest must be read as a stream.
	used int
}

// inflated is one whole member whose checksum is right.
type inflated struct {
	offset int64 // in the archive
	length int64 // stored bytes
	data   []byte
}

// inflate inflates the members at the start of s. It never fails: what it
// cannot read is left for the stream.
func inflate(s segment) (piece, error) {
	p := piece{segment: s}
	if !s.aligned {
		return p, nil
	}
	m := borrowGzip()
	defer m.release()
	src := bytes.NewReader(s.data)
	out := make([]byte, 0, min(8*len(s.data), pieceLimit))
	for p.used < len(s.data) {
		var err error
		start := len(out)
		if out, err = m.appendAll(out, src, pieceLimit); err != nil {
			return p, nil
		}
		end := len(s.data) - src.Len()
		p.members = append(p.members, inflated{
			offset: s.offset + int64(p.used),
			length: int64(end - p.used),
			data:   out[start:len(out):len(out)],
		})
		p.used = end
	}
	return p, nil
}

// gzipCodec inflates one gzip member after another and checks them.
type gzipCodec struct {
	src   byteSource
	flate io.ReadCloser
	crc   uint32
	size  uint32
}

// byteSource is read byte by byte, so that a member's last byte is also the
// last one taken.
type byteSource interface {
	io.Reader
	io.ByteReader
}

var gzipCodecs = sync.Pool{New: func() any {
	return &gzipCodec{flate: flate.NewReader(bytes.NewReader(nil))}
}}

func borrowGzip() *gzipCodec { return gzipCodecs.Get().(*gzipCodec) }

func (m *gzipCodec) release() {
	m.src = nil
	gzipCodecs.Put(m)
}

func (m *gzipCodec) magic() []byte                 { return gzipMagic }
func (m *gzipCodec) begins(b []byte) bool          { return looksLikeMember(b) }
func (m *gzipCodec) open(src *bufio.Reader) error  { return m.start(src, maxHeaderParts) }
func (m *gzipCodec) probe(src *bufio.Reader) error { return m.start(src, maxProbeParts) }

// start is open for any source and limit.
func (m *gzipCodec) start(src byteSource, limit int) error {
	if err := readGzipHeader(src, limit); err != nil {
		return err
	}
	m.src, m.crc, m.size = src, 0, 0
	return m.flate.(flate.Resetter).Reset(src, nil)
}

// Read gives inflated bytes; io.EOF says that the member ended and is whole.
func (m *gzipCodec) Read(p []byte) (int, error) {
	n, err := m.flate.Read(p)
	m.crc = crc32.Update(m.crc, crc32.IEEETable, p[:n])
	m.size += uint32(n)
	if err == io.EOF {
		err = m.check()
	}
	return n, err
}

var errTooLarge = errors.New("member is too large for a worker")

// check compares the member's trailer with what was read.
func (m *gzipCodec) check() error {
	var trailer [gzipTrailer]byte
	if _, err := io.ReadFull(m.src, trailer[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	if crc := binary.LittleEndian.Uint32(trailer[:]); crc != m.crc {
		return fmt.Errorf("gzip checksum is %08x, the data gives %08x", crc, m.crc)
	}
	if size := binary.LittleEndian.Uint32(trailer[4:]); size != m.size {
		return fmt.Errorf("gzip length is %d, the data gives %d", size, m.size)
	}
	return io.EOF
}

// appendAll appends one whole member to out, as long as that stays below limit.
func (m *gzipCodec) appendAll(out []byte, src byteSource, limit int) ([]byte, error) {
	if err := m.start(src, maxHeaderParts); err != nil {
		return out, err
	}
	for {
		if len(out) == cap(out) {
			grown := make([]byte, len(out), max(2*cap(out), 64<<10))
			copy(grown, out)
			out = grown
		}
		n, err := m.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, err
		case len(out) > limit:
			return out, errTooLarge
		}
	}
}
