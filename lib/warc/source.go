package warc

import (
	"fmt"
	"io"
)

// source gives an archive's bytes in order, inflated where they are compressed.
// The error is io.EOF at the end; any other error is the transfer's.
type source interface {
	next() (chunk, error)
	// read is how many stored bytes were handed out, or found damaged, so far.
	read() int64
	close()
}

// chunk is a run of bytes, or the place where some are missing. The bytes are
// the receiver's to keep.
type chunk struct {
	data []byte
	// member is what the bytes were inflated from; nil in a plain archive.
	member *member
	// last says that the member ends after data, and is whole.
	last bool
	// lost says that bytes could not be read. The member before it, if it has
	// not ended, is void.
	lost *Damage
}

// member is one gzip member.
type member struct {
	offset, length int64 // of the stored bytes; length is -1 until it has ended
	records        int   // that have bytes in it
	ended          bool  // and is whole
}

// Damage is a place in an archive that could not be read as it stands.
type Damage struct {
	// Offset and Length are the stored bytes concerned; Length is 0 where the
	// fault is a record's and not a span's.
	Offset, Length int64
	Cause          error
	// cut says that the input ended where more had to follow.
	cut bool
}

func (d Damage) String() string {
	if d.Length > 0 {
		return fmt.Sprintf("offset %d: %d bytes lost: %v", d.Offset, d.Length, d.Cause)
	}
	return fmt.Sprintf("offset %d: %v", d.Offset, d.Cause)
}

// plainSource reads an uncompressed archive.
type plainSource struct {
	src io.Reader
	pos int64
}

const plainChunk = 256 << 10

func (s *plainSource) next() (chunk, error) {
	buf := make([]byte, plainChunk)
	n, err := fill(s.src, buf)
	s.pos += int64(n)
	if n > 0 && (err == nil || err == io.EOF) {
		return chunk{data: buf[:n]}, nil
	}
	return chunk{}, err
}

func (s *plainSource) read() int64 { return s.pos }
func (s *plainSource) close()      {}
