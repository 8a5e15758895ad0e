package warc

import (
	"io"
	"iter"
)

// segmentSize is how many stored bytes a worker gets at a time: enough that the
// hand-over costs nothing, little enough that many fit in memory.
const segmentSize = 256 << 10

// segment is a piece of the stored bytes. An aligned one begins with what looks
// like a member's header.
type segment struct {
	offset  int64
	data    []byte
	aligned bool
}

func (s segment) end() int64 { return s.offset + int64(len(s.data)) }

// segments cuts r at places that look like members' headers. Pieces are at most
// segmentSize long; one without such a place is cut anywhere.
func segments(r io.Reader) iter.Seq2[segment, error] {
	return func(yield func(segment, error) bool) {
		var carry []byte
		offset := int64(0)
		for {
			buf := make([]byte, segmentSize)
			n := copy(buf, carry)
			m, err := fill(r, buf[n:])
			buf = buf[:n+m]
			whole := err == io.EOF
			if err != nil && !whole {
				yield(segment{}, err)
				return
			}
			cut := len(buf)
			if i := lastMember(buf); i > 0 && !whole {
				cut = i
			}
			if cut > 0 && !yield(segment{offset, buf[:cut], looksLikeMember(buf)}, nil) {
				return
			}
			if whole {
				return
			}
			offset += int64(cut)
			carry = buf[cut:]
		}
	}
}

// fill reads until b is full. Unlike io.ReadFull it keeps the end of the input,
// io.EOF, apart from every failure, io.ErrUnexpectedEOF among them.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	if n == len(b) {
		err = nil // the next call meets it again
	}
	return n, err
}
