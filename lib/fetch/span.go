package fetch

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// span is the stored bytes of a location, or why there are none.
type span struct {
	Location
	run  *run
	done chan struct{} // closed when the rest is there
	err  error
	data []byte   // nil if file has them
	file *os.File // of a large span, without a name
	// dictionary is the frame that must stand before zstd frames; nil if none.
	dictionary []byte
}

func newSpan(l Location, err error) *span {
	return &span{Location: l, err: err, done: make(chan struct{})}
}

// weight is how many bytes printing the span takes in memory, at most. One that cannot
// be may claim any length, and takes none.
func (s *span) weight() int64 {
	if s.Check() != nil {
		return 0
	}
	return expansion * s.Length
}

// stored reads the bytes of the span.
func (s *span) stored() io.Reader {
	if s.file != nil {
		return io.NewSectionReader(s.file, 0, s.Length)
	}
	return bytes.NewReader(s.data)
}

// head is the first bytes of the span.
func (s *span) head() []byte {
	b := make([]byte, 4)
	n, _ := io.ReadFull(s.stored(), b)
	return b[:n]
}

// plain says that the span is of an archive that is not compressed.
func (s *span) plain() bool {
	head := s.head()
	return !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) && !bytes.Equal(head, zstdMagic)
}

// drop gives up the bytes. Spans of one run are dropped one after the other.
func (s *span) drop() {
	if s.file != nil {
		s.file.Close()
	}
	if r := s.run; r != nil {
		if r.left--; r.left == 0 {
			r.release()
		}
	}
}

// read gets the bytes of all spans of a run.
func (r *run) read(a *archive) error {
	if r.large() {
		return r.spans[0].spool(a)
	}
	buf := make([]byte, r.end-r.off)
	n, err := a.read(buf, r.off)
	if err != nil {
		return err
	}
	for _, s := range r.spans {
		from, to := s.Offset-r.off, s.end()-r.off
		if to > int64(n) {
			s.err = s.short(r.off + int64(n))
			continue
		}
		s.data = buf[from:to:to]
	}
	return nil
}

// short is the error of a span that goes on behind the end of the archive.
func (s *span) short(end int64) error {
	if end <= s.Offset { // how far before, nobody asked
		return fmt.Errorf("the archive ends before byte %d, where the record should begin", s.Offset)
	}
	return fmt.Errorf("the archive has only %d bytes, and the record should end at %d", end, s.end())
}

// spoolPiece is how many bytes of a large span are read at a time.
const spoolPiece = 1 << 20

// spool reads a large span into a temporary file.
func (s *span) spool(a *archive) error {
	f, err := os.CreateTemp("", "warc-fetch-")
	if err != nil {
		return fmt.Errorf("cannot hold a large record: %w", err)
	}
	os.Remove(f.Name()) // so that nothing is left, however the process ends
	s.file = f
	buf := make([]byte, spoolPiece)
	for at := int64(0); at < s.Length; {
		piece := buf[:min(spoolPiece, s.Length-at)]
		n, err := a.read(piece, s.Offset+at)
		if err != nil {
			return err
		}
		if n < len(piece) {
			return s.short(s.Offset + at + int64(n))
		}
		if _, err := f.Write(piece); err != nil {
			return fmt.Errorf("cannot hold a large record: %w", err)
		}
		at += int64(n)
	}
	return nil
}
