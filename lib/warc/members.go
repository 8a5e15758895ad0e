package warc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/open-index/ccnews/lib/inorder"
)

const (
	streamChunk  = 256 << 10
	streamBuffer = 64 << 10
	// keepStored is how many stored bytes behind the reading position are kept
	// to look through again if the member they belong to proves damaged.
	keepStored = 16 << 20
)

// codec reads one compressed member after another: a gzip member or a zstd frame.
type codec interface {
	// open reads the header of the member at src. The error is io.EOF if nothing
	// is left. No byte behind the member is ever taken.
	open(src *bufio.Reader) error
	// probe is open at a place where a member may or may not begin: it gives up
	// on what no archive has.
	probe(src *bufio.Reader) error
	// Read gives inflated bytes; io.EOF says that the member ended and is whole.
	Read(p []byte) (int, error)
	// magic is what members begin with.
	magic() []byte
	// begins reports whether a member may begin at b. It can be wrong.
	begins(b []byte) bool
	release()
}

// memberSource reads compressed members: those that workers inflated where
// pieces line up, and by itself, as one stream, where they do not.
type memberSource struct {
	pull func() (piece, error, bool)
	stop func()
	err  error // of the transfer; io.EOF at the end

	pieces []piece    // those not dropped yet, in order and without gaps
	ready  []inflated // members of pieces[0] that were not handed out yet
	at     int64      // where the next member begins, or the open one began

	open  *member // being read as a stream, nil if none
	raw   *rawReader
	buf   *bufio.Reader
	codec codec

	slab  []byte // room for inflated bytes
	other struct {
		buf   *bufio.Reader
		codec codec
	} // for a look elsewhere
}

func newMemberSource(ctx context.Context, r io.Reader, jobs int, newCodec func() codec, work func(segment) (piece, error)) *memberSource {
	workers := inorder.Map[segment, piece]{Jobs: jobs, Do: work}
	s := &memberSource{codec: newCodec()}
	s.pull, s.stop = iter.Pull2(workers.All(ctx, segments(r)))
	s.raw = &rawReader{s: s}
	s.buf = bufio.NewReaderSize(s.raw, streamBuffer)
	s.other.buf, s.other.codec = bufio.NewReaderSize(s.raw, 4<<10), newCodec()
	return s
}

func (s *memberSource) close() {
	s.stop()
	s.codec.release()
	s.other.codec.release()
}

func (s *memberSource) read() int64 { return s.at }

func (s *memberSource) next() (chunk, error) {
	if s.open != nil {
		return s.stream()
	}
	if len(s.ready) == 0 {
		s.drop(s.at)
		p, err := s.piece(s.at)
		if err != nil {
			return chunk{}, err
		}
		if p.offset != s.at || len(p.members) == 0 {
			return s.startStream()
		}
		s.ready = p.members
	}
	m := s.ready[0]
	s.ready = s.ready[1:]
	s.at = m.offset + m.length
	return chunk{data: m.data, member: &member{offset: m.offset, length: m.length}, last: true}, nil
}

// piece gives the piece that holds the stored byte at pos, and io.EOF if the
// archive ends before it.
func (s *memberSource) piece(pos int64) (*piece, error) {
	for i := range s.pieces {
		if p := &s.pieces[i]; pos < p.end() {
			return p, nil
		}
	}
	for s.err == nil {
		p, err, ok := s.pull()
		switch {
		case !ok:
			s.err = io.EOF
		case err != nil:
			s.err = err
		default:
			s.pieces = append(s.pieces, p)
			if pos < p.end() {
				return &s.pieces[len(s.pieces)-1], nil
			}
		}
	}
	return nil, s.err
}

// drop lets go of the pieces that end at or before pos.
func (s *memberSource) drop(pos int64) {
	n := 0
	for n < len(s.pieces) && s.pieces[n].end() <= pos {
		n++
	}
	s.pieces = append(s.pieces[:0], s.pieces[n:]...)
}

// startStream begins to read the member at s.at as a stream.
func (s *memberSource) startStream() (chunk, error) {
	if s.tell() != s.at {
		s.seek(s.at)
	}
	if err := s.codec.open(s.buf); err != nil {
		return s.fail(err)
	}
	s.open = &member{offset: s.at, length: -1}
	return s.stream()
}

func (s *memberSource) seek(pos int64) {
	s.raw.pos = pos
	s.buf.Reset(s.raw)
}

// tell is the offset of the next stored byte that the stream takes.
func (s *memberSource) tell() int64 { return s.raw.pos - int64(s.buf.Buffered()) }

// minSlab is how many bytes a read of inflated bytes should have room for.
const minSlab = 32 << 10

// stream reads on in the open member. Small members share a slab: one for each
// would cost more than inflating them.
func (s *memberSource) stream() (chunk, error) {
	if len(s.slab) < minSlab {
		s.slab = make([]byte, streamChunk)
	}
	n := 0
	for n < len(s.slab) {
		m, err := s.codec.Read(s.slab[n:])
		n += m
		if err != nil && err != io.EOF {
			return s.fail(err)
		}
		if err == io.EOF {
			m := s.open
			s.open, s.at = nil, s.tell()
			m.length = s.at - m.offset
			return chunk{data: s.cut(n), member: m, last: true}, nil
		}
		s.drop(max(s.at, s.tell()-keepStored))
	}
	return chunk{data: s.cut(n), member: s.open}, nil
}

// cut takes the first n bytes off the slab.
func (s *memberSource) cut(n int) []byte {
	b := s.slab[:n:n]
	s.slab = s.slab[n:]
	return b
}

// fail gives up the member at s.at and looks for the next one that begins a
// record.
func (s *memberSource) fail(cause error) (chunk, error) {
	if s.err != nil && s.err != io.EOF {
		return chunk{}, s.err
	}
	lost := &Damage{Offset: s.at, Cause: describe(cause)}
	failed := s.open
	s.open, s.ready = nil, nil
	next, err := s.search(max(s.at+1, s.oldest()))
	if err != nil && err != io.EOF {
		return chunk{}, err
	}
	lost.cut = err == io.EOF && errors.Is(cause, io.ErrUnexpectedEOF)
	lost.Length = next - s.at
	s.at = next
	return chunk{member: failed, lost: lost}, nil
}

func describe(cause error) error {
	if errors.Is(cause, io.ErrUnexpectedEOF) {
		return errCut
	}
	return cause
}

// oldest is the offset of the first stored byte that is still there.
func (s *memberSource) oldest() int64 {
	if len(s.pieces) == 0 {
		return 0
	}
	return s.pieces[0].offset
}

// search finds the first member from pos on that begins a record. With io.EOF
// it gives the archive's length.
func (s *memberSource) search(pos int64) (int64, error) {
	magic := s.codec.magic()
	for {
		s.drop(pos)
		s.seek(pos)
		window, err := s.buf.Peek(streamBuffer)
		if err != nil && err != io.EOF {
			return pos, err
		}
		for i := 0; ; i++ {
			n := bytes.Index(window[i:], magic)
			if n < 0 {
				break
			}
			i += n
			if rest := window[i:]; len(rest) >= gzipSmallest && !s.codec.begins(rest) {
				continue
			}
			if s.beginsRecord(pos + int64(i)) {
				return pos + int64(i), nil
			}
		}
		if err == io.EOF {
			return pos + int64(len(window)), io.EOF
		}
		pos += int64(len(window) - len(magic) + 1)
	}
}

// beginsRecord reports whether a member at pos inflates to the start of a record.
func (s *memberSource) beginsRecord(pos int64) bool {
	buf := s.other.buf
	buf.Reset(&rawReader{s, pos})
	b, _ := buf.Peek(gzipSmallest)
	return s.codec.begins(b) && startsRecord(s.other.codec, buf)
}

// startsRecord reports whether the member at src inflates to the start of a record.
func startsRecord(c codec, src *bufio.Reader) bool {
	if c.probe(src) != nil {
		return false
	}
	var head [64]byte
	n, _ := io.ReadAtLeast(c, head[:], len(head))
	return hasVersion(skipBlank(head[:n]))
}

// rawReader reads stored bytes again, wherever workers have come to.
type rawReader struct {
	s   *memberSource
	pos int64
}

func (r *rawReader) Read(b []byte) (int, error) {
	p, err := r.s.piece(r.pos)
	if err != nil {
		return 0, err
	}
	n := copy(b, p.data[r.pos-p.offset:])
	r.pos += int64(n)
	return n, nil
}
