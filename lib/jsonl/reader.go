// Package jsonl frames JSON objects as lines, the one format in which the
// commands talk to each other (https://jsonlines.org).
//
// It knows lines, not meanings: [Reader] takes lines of any length up to a
// stated limit and says where a bad one is, [Writer] writes one object a line,
// and [End] and [Fault] are the two control lines that close a stream, so that
// a reader can tell a whole stream from a cut one. doc/jsonl.md is the contract.
package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line, in bytes without its newline, that a [Reader]
// takes by default. It holds the base64 of the largest body that warc-records
// puts in a record, with its headers.
const MaxLine = 64 << 20

// LineError is a line that could not be used. Line counts from 1, Offset is
// the byte offset of the line's first byte in the stream.
type LineError struct {
	Line   int64
	Offset int64
	Err    error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("line %d (byte %d): %v", e.Line, e.Offset, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// ErrTooLong is the cause of a [LineError] for a line above the limit.
var ErrTooLong = errors.New("line is too long")

// ErrCut is the cause of a [LineError] for a last line that has no newline and
// is no whole JSON object: the stream was cut.
var ErrCut = errors.New("stream ends inside a line")

// Reader reads lines. A byte order mark at the start of the stream, blank
// lines and a carriage return before the newline are skipped.
type Reader struct {
	src   io.Reader
	limit int
	buf   []byte
	head  int // start of unread bytes in buf
	err   error
	line  int64
	off   int64 // stream offset of buf[head]
	start int64 // stream offset of the line last returned
}

// NewReader reads lines of at most limit bytes from r; limit 0 means [MaxLine].
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = MaxLine
	}
	return &Reader{src: r, limit: limit}
}

// Line is the number of the line that Next returned last, counting from 1.
func (r *Reader) Line() int64 { return r.line }

// Offset is the byte offset of the line that Next returned last.
func (r *Reader) Offset() int64 { return r.start }

// Fail wraps err as the [LineError] of the line that Next returned last.
func (r *Reader) Fail(err error) error {
	return &LineError{Line: r.line, Offset: r.start, Err: err}
}

// Next returns the next line that is not blank, without its newline. The slice
// is valid until the next call. The error is io.EOF at the end of the stream, a
// *[LineError] for a line that is too long or cut, a *[ForeignError] at the start of
// what is in another format, or the source's own.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func (r *Reader) next() ([]byte, error) {
	for scanned := 0; ; {
		pending := r.buf[r.head:]
		if r.off == 0 {
			if err := Foreign(pending); err != nil {
				return nil, err
			}
		}
		if i := bytes.IndexByte(pending[scanned:], '\n'); i >= 0 && scanned+i <= r.limit {
			return r.take(scanned+i, 1), nil
		}
		scanned = len(pending)
		if scanned > r.limit {
			r.line, r.start = r.line+1, r.off
			return nil, r.Fail(fmt.Errorf("%w: the limit is %d bytes", ErrTooLong, r.limit))
		}
		if r.err != nil {
			return r.last(scanned)
		}
		r.fill()
	}
}

// last ends the stream: an unfinished line counts only if it is whole JSON.
func (r *Reader) last(n int) ([]byte, error) {
	if n == 0 || r.err != io.EOF {
		return nil, r.err
	}
	line := r.take(n, 0)
	if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && !Valid(trimmed) {
		return nil, r.Fail(ErrCut)
	}
	return line, nil
}

// take consumes a line of n bytes and the newline bytes that end it.
func (r *Reader) take(n, newline int) []byte {
	line := r.buf[r.head : r.head+n]
	r.line, r.start = r.line+1, r.off
	r.head += n + newline
	r.off += int64(n + newline)
	return line
}

const readSize = 256 << 10

// fill reads more, sliding or growing the buffer only when it has to.
func (r *Reader) fill() {
	if free := cap(r.buf) - len(r.buf); free < readSize/4 {
		pending := len(r.buf) - r.head
		if r.head == 0 || pending > cap(r.buf)/2 {
			grown := make([]byte, pending, max(readSize, 2*cap(r.buf)))
			copy(grown, r.buf[r.head:])
			r.buf = grown
		} else {
			r.buf = append(r.buf[:0], r.buf[r.head:]...)
		}
		r.head = 0
	}
	for empty := 0; ; empty++ {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf, r.err = r.buf[:len(r.buf)+n], err
		if n > 0 || err != nil {
			return
		}
		if empty == 100 {
			r.err = io.ErrNoProgress
			return
		}
	}
}
