package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/open-index/ccnews/lib/field"
)

const version = "WARC/"

// overlap is how many consumed bytes are remembered: a version line may begin
// in them when a Content-Length is a little too large, or a chunk ends in it.
const overlap = 24

// hasVersion reports whether b begins with a version line. The grammar's
// literals are case-blind (section 4 of the WARC standard).
func hasVersion(b []byte) bool {
	return len(b) >= len(version) && strings.EqualFold(string(b[:len(version)]), version)
}

// blank is how many bytes at the front of b may stand between two records: line
// ends and blanks, and NUL padding behind a line end. before is the byte before b.
func blank(b []byte, before byte) int {
	for i, c := range b {
		switch {
		case c == '\r' || c == '\n' || c == ' ' || c == '\t':
		case c == 0 && (before == '\n' || before == 0):
		default:
			return i
		}
		before = c
	}
	return len(b)
}

// skipBlank takes off the front of b what may stand before a member's first record.
func skipBlank(b []byte) []byte { return b[blank(b, '\n'):] }

// step reads up to the end of the next record.
func (r *Reader) step() error {
	if err := r.skipBlank(); err != nil {
		return err
	}
	if len(r.data) >= len(version) && !hasVersion(r.data) {
		return r.resync()
	}
	rec, err := r.header()
	if err != nil || rec == nil {
		return err
	}
	if err := r.block(rec); err != nil {
		return err
	}
	return r.finish(rec)
}

// skipBlank consumes what may stand between two records.
func (r *Reader) skipBlank() error {
	for {
		r.remember(r.consume(blank(r.data, r.tail[overlap-1])))
		if len(r.data) > 0 {
			return nil
		}
		if err := r.advance(); err != nil {
			return err
		}
	}
}

// header reads a record's version line and fields. The record is nil if what
// is there proves to be none.
func (r *Reader) header() (*Record, error) {
	r.tail = [overlap]byte{overlap - 1: '\n'} // a version line is given back once
	rec := &Record{Offset: r.offset(), first: r.member, last: r.member}
	head, err := r.head(rec)
	if err != nil {
		return nil, err
	}
	if len(head) > MaxHeader {
		r.damage(Damage{Offset: rec.Offset, Cause: fmt.Errorf("record header is longer than %d bytes", MaxHeader)})
		return nil, r.skipToRecord()
	}
	if !hasVersion(head) {
		r.damage(Damage{Offset: rec.Offset, Cause: fmt.Errorf("%d bytes that belong to no record", len(head))})
		return nil, nil
	}
	rec.Version, rec.Header, _, _ = field.Head(head)
	rec.Length = int64(len(head))
	return rec, nil
}

// head consumes bytes up to and with the first empty line, or until there are
// more than MaxHeader.
func (r *Reader) head(rec *Record) ([]byte, error) {
	if end := headEnd(r.data, 0); end >= 0 {
		return r.consume(end), nil
	}
	head := bytes.Clone(r.consume(len(r.data)))
	for len(head) <= MaxHeader {
		atEnd := r.last
		err := r.advance()
		if err == io.EOF && r.mayBeCut() && mayBeginVersion(head) {
			err = &CutError{rec.Offset}
		}
		if err == io.EOF || err == nil && atEnd && hasVersion(r.data) {
			break // without an empty line, but the record does not go on
		}
		if err != nil {
			return nil, err
		}
		rec.last = r.member
		from := len(head)
		head = append(head, r.data...)
		if end := headEnd(head, max(0, from-len("\n\r\r"))); end >= 0 {
			r.consume(end - from)
			return head[:end], nil
		}
		r.consume(len(r.data))
	}
	return head, nil
}

// mayBeCut says that an end of input inside a record is a failed transfer, not
// damage: a plain archive of unknown length. (A member that is whole proves
// that its bytes are all there.)
func (r *Reader) mayBeCut() bool { return r.member == nil && r.opt.Size < 0 }

// mayBeginVersion reports whether b is a version line or the start of one.
func mayBeginVersion(b []byte) bool {
	n := min(len(b), len(version))
	return strings.EqualFold(string(b[:n]), version[:n])
}

// headEnd is the index just behind the first empty line of b that ends at from
// or later, -1 if there is none. Lines may end in CRLF, LF or CR CR LF.
func headEnd(b []byte, from int) int {
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
		next := b[from:]
		if line := bytes.TrimLeft(next, "\r"); len(line) > 0 && line[0] == '\n' {
			return from + len(next) - len(line) + 1
		}
	}
}

// contentLength is the record's announced block length in bytes.
func (rec *Record) contentLength() (int64, error) {
	values := rec.Header.Values("content-length")
	if len(values) == 0 {
		return 0, errors.New("record has no Content-Length")
	}
	n, err := strconv.ParseInt(strings.TrimSpace(values[0]), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("record has no usable Content-Length: %q", values[0])
	}
	return n, nil
}

// block reads the record's block, keeping the start of it.
func (r *Reader) block(rec *Record) error {
	want, err := rec.contentLength()
	if err != nil {
		r.damage(Damage{Offset: rec.Offset, Cause: err})
	}
	if r.member == nil && r.opt.Size >= 0 && want > r.opt.Size-r.pos {
		return r.blockToNextRecord(rec, want)
	}
	for rec.BlockLength < want {
		if len(r.data) > 0 {
			r.take(rec, int(min(want-rec.BlockLength, int64(len(r.data)))))
			continue
		}
		atEnd := r.last
		err := r.advance()
		if err == io.EOF || err == nil && atEnd && hasVersion(r.data) {
			return r.short(rec, want, err == io.EOF)
		}
		if err != nil {
			return err
		}
	}
	rec.Length += rec.BlockLength
	return nil
}

// take moves n bytes of the current chunk into rec's block.
func (r *Reader) take(rec *Record, n int) {
	b := r.consume(n)
	rec.BlockLength += int64(n)
	rec.last = r.member
	rec.keep(b, r.opt.MaxBlock)
	r.remember(b)
}

// blockToNextRecord reads a block whose announced length cannot be true, since
// the archive is too short for it.
func (r *Reader) blockToNextRecord(rec *Record, want int64) error {
	atEnd := false
	for !atEnd {
		if i := versionLine(r.data); i >= 0 {
			r.take(rec, i+1)
			break
		}
		r.take(rec, len(r.data))
		if err := r.advance(); err == io.EOF {
			atEnd = true
			continue
		} else if err != nil {
			return err
		}
		if back := r.rewind(); back >= 0 {
			rec.BlockLength -= int64(back)
			rec.Block = rec.Block[:min(int64(len(rec.Block)), rec.BlockLength)]
			break
		}
	}
	return r.short(rec, want, atEnd)
}

// keep adds b to the record's block, up to limit. A block that is all in one
// chunk is not copied.
func (rec *Record) keep(b []byte, limit int64) {
	room := limit - int64(len(rec.Block))
	if b = b[:min(int64(len(b)), room)]; rec.Block == nil {
		rec.Block = b[:len(b):len(b)]
		return
	}
	rec.Block = append(rec.Block, b...)
}

// remember keeps the last bytes of what was consumed.
func (r *Reader) remember(b []byte) {
	if len(b) >= overlap {
		copy(r.tail[:], b[len(b)-overlap:])
		return
	}
	copy(r.tail[:], r.tail[len(b):])
	copy(r.tail[overlap-len(b):], b)
}

// short ends a block that is shorter than its record says. atEnd says that the
// archive ends with it.
func (r *Reader) short(rec *Record, want int64, atEnd bool) error {
	if r.mayBeCut() {
		return &CutError{rec.Offset}
	}
	rec.Length += rec.BlockLength
	r.damage(Damage{
		Offset: rec.Offset,
		Cause:  fmt.Errorf("Content-Length is %d, the block has %d bytes", want, rec.BlockLength),
		cut:    atEnd && r.member == nil, // a member that is whole was not cut
	})
	return nil
}

// finish hands a record on: at once in a plain archive, else when its member ends.
func (r *Reader) finish(rec *Record) error {
	if rec.first == nil {
		rec.first, rec.last = plainSpan(rec)
	}
	rec.first.records++
	if rec.last != rec.first {
		rec.last.records++
	}
	err := r.pending.add(rec)
	if rec.last.ended {
		r.release()
	}
	return err
}

// plainSpan stands for the member that a record of a plain archive has to itself.
func plainSpan(rec *Record) (first, last *member) {
	m := &member{offset: rec.Offset, length: rec.Length, ended: true}
	return m, m
}

var (
	errJunk    = errors.New("no record begins here")
	errSwallow = errors.New("the record before this one takes the start of it: its Content-Length is too large")
)

// resync reports bytes that belong to no record and skips them.
func (r *Reader) resync() error {
	if r.rewind() >= 0 {
		r.damage(Damage{Offset: r.offset(), Cause: errSwallow})
		return nil
	}
	lost := Damage{Offset: r.offset(), Cause: errJunk}
	inside, start := r.member != nil, r.pos
	err := r.skipToRecord()
	if n := r.pos - start; inside {
		lost.Cause = fmt.Errorf("%d bytes inside the member belong to no record", n)
	} else {
		lost.Length = n
	}
	r.damage(lost)
	return err
}

// rewind looks for a version line that begins in what was consumed last, or
// with the next byte. It gives back what belongs to that line and returns how
// many bytes that was, -1 if there is no such line.
func (r *Reader) rewind() int {
	joined := append(r.tail[:overlap:overlap], r.data[:min(len(r.data), overlap)]...)
	i := versionLine(joined)
	if i < 0 || i >= overlap {
		return -1
	}
	back := overlap - (i + 1)
	if back > 0 {
		r.data = append(bytes.Clone(r.tail[i+1:]), r.data...)
		r.pos -= int64(back)
	}
	return back
}

// versionLine is the index of the line end before a version line, -1 if there
// is none. Here a digit must follow, since any text may be searched.
func versionLine(b []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
		if rest := b[from:]; hasVersion(rest) && len(rest) > len(version) && rest[len(version)] >= '0' && rest[len(version)] <= '9' {
			return from - 1
		}
	}
}

// skipToRecord consumes everything before the next line, or member, that begins
// a record.
func (r *Reader) skipToRecord() error {
	for {
		if i := versionLine(r.data); i >= 0 {
			r.consume(i + 1)
			return nil
		}
		r.remember(r.consume(len(r.data)))
		atEnd := r.last
		if err := r.advance(); err != nil {
			return err
		}
		if atEnd && hasVersion(skipBlank(r.data)) || r.rewind() >= 0 {
			return nil
		}
	}
}
