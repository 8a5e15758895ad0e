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
	if b[3] == 0 {
		return b[gzipFixed]&blockType != reservedType
	}
	return b[3]&(flagName|flagComment) == 0 || textEnds(b[gzipFixed:])
}

// textEnds reports whether a name, or what is before it, may end within the limit
// of a probe.
func textEnds(parts []byte) bool {
	return len(parts) < maxProbeParts || bytes.IndexByte(parts[:maxProbeParts], 0) >= 0
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

// Limits in bytes for the optional parts of a member header together. No writer
// of archives comes near; without a limit each of many places that look like a
// header could send a reader through the rest of the archive.
const (
	maxHeaderParts = 128 << 10
	// maxProbeParts is for looking whether a member begins at some place.
	maxProbeParts = 512
)

// readGzipHeader consumes a member's header, whose optional parts may take limit
// bytes. Only the extra field's own length counts: the lengths inside it are
// often wrong.
func readGzipHeader(r io.ByteReader, limit int) error {
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
	if flags := fixed[3]; flags&flagReserved != 0 {
		return fmt.Errorf("gzip header has unknown flags %#02x", flags)
	}
	return readHeaderParts(&headerParts{r: r, limit: limit}, fixed[3])
}

func readHeaderParts(r *headerParts, flags byte) error {
	if flags&flagExtra != 0 {
		low, _ := r.next()
		high, err := r.next()
		for n := int(low) | int(high)<<8; n > 0 && err == nil; n-- {
			_, err = r.next()
		}
		if err != nil {
			return err
		}
	}
	for _, flag := range []byte{flagName, flagComment} {
		for b := byte(1); flags&flag != 0 && b != 0; {
			var err error
			if b, err = r.next(); err != nil {
				return err
			}
		}
	}
	if flags&flagHeaderCRC != 0 {
		r.next()
		_, err := r.next()
		return err
	}
	return nil
}

// headerParts reads the optional parts of a header up to a limit.
type headerParts struct {
	r           io.ByteReader
	read, limit int
}

func (p *headerParts) next() (byte, error) {
	if p.read++; p.read > p.limit {
		return 0, fmt.Errorf("gzip header is longer than %d bytes", p.limit)
	}
	b, err := p.r.ReadByte()
	return b, cutIfStarted(err, 1)
}

// cutIfStarted turns the end of input inside a header into the unexpected kind.
func cutIfStarted(err error, read int) error {
	if err == io.EOF && read > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}
