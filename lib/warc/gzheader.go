package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Flags of a gzip member header (RFC 1952, section 2.3.1).
const (
	flagHeaderCRC = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
	flagReserved  = 0xe0
)

const (
	gzipFixed   = 10 // bytes of a member header before its optional parts
	gzipTrailer = 8  // CRC-32 and length, little-endian
	// gzipSmallest is the length of a member that holds nothing.
	gzipSmallest = gzipFixed + 2 + gzipTrailer
)

var gzipMagic = []byte{0x1f, 0x8b, 0x08}

var errNotMember = errors.New("no gzip member begins here")

// looksLikeMember reports whether a member may begin at b. It can be wrong: in
// deflated data the same bytes come about once in 16 MiB.
func looksLikeMember(b []byte) bool {
	if len(b) < gzipSmallest || !bytes.HasPrefix(b, gzipMagic) || b[3]&flagReserved != 0 {
		return false
	}
	const blockType, reservedType = 0x06, 0x06
	return b[3] != 0 || b[gzipFixed]&blockType != reservedType
}

// lastMember is the greatest index above 0 at which a member may begin in b, 0
// if there is none.
func lastMember(b []byte) int {
	for end := len(b); ; {
		i := bytes.LastIndex(b[:end], gzipMagic)
		if i <= 0 || looksLikeMember(b[i:]) {
			return max(i, 0)
		}
		end = i + len(gzipMagic) - 1
	}
}

// readGzipHeader consumes a member's header. Only the extra field's own length
// counts: the lengths inside it are often wrong. The name and comment may be of
// any length.
func readGzipHeader(r io.ByteReader) error {
	var fixed [gzipFixed]byte
	for i := range fixed {
		b, err := r.ReadByte()
		if err != nil {
			return cutIfStarted(err, i)
		}
		if fixed[i] = b; i < len(gzipMagic) && b != gzipMagic[i] {
			return errNotMember
		}
	}
	flags := fixed[3]
	if flags&flagReserved != 0 {
		return fmt.Errorf("gzip header has unknown flags %#02x", flags)
	}
	if flags&flagExtra != 0 {
		low, _ := r.ReadByte()
		high, err := r.ReadByte()
		for n := int(low) | int(high)<<8; n > 0 && err == nil; n-- {
			_, err = r.ReadByte()
		}
		if err != nil {
			return cutIfStarted(err, 1)
		}
	}
	for _, flag := range []byte{flagName, flagComment} {
		for b := byte(1); flags&flag != 0 && b != 0; {
			var err error
			if b, err = r.ReadByte(); err != nil {
				return cutIfStarted(err, 1)
			}
		}
	}
	if flags&flagHeaderCRC != 0 {
		r.ReadByte()
		if _, err := r.ReadByte(); err != nil {
			return cutIfStarted(err, 1)
		}
	}
	return nil
}

// cutIfStarted turns the end of input inside a header into the unexpected kind.
func cutIfStarted(err error, read int) error {
	if err == io.EOF && read > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}
