package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/open-index/ccnews/lib/field"
)

// MaxHeader is the longest record header that is read, in bytes. A longer one
// is damage.
const MaxHeader = 1 << 20

// Options are the bounds of a [Reader].
type Options struct {
	// Jobs is the number of members inflated at once; 0 means 1.
	Jobs int
	// MaxBlock is how many bytes of a record's block are kept in memory. A
	// longer block is cut in the Record, and still read and counted.
	MaxBlock int64
	// Size is the length of the archive as stored, in bytes, and -1 if it is not
	// known. An archive of known length that ends inside a record is damaged; of
	// unknown length, it is a failed transfer.
	Size int64
	// OnDamage is told of each damage in order; nil ignores it.
	OnDamage func(Damage)
}

// Record is one record of an archive.
type Record struct {
	// Version is the version line as it stands, such as "WARC/1.0".
	Version string
	Header  field.Header
	// Offset and Length are the span of stored bytes that holds the record: the
	// gzip members from the one in which the record begins to the one in which
	// it ends; in a plain archive header and block, without the blank lines
	// after them.
	Offset, Length int64
	// Shared says that the span holds (parts of) other records too.
	Shared bool
	// Block is the start of the record's block, at most MaxBlock bytes.
	Block []byte
	// BlockLength is the full length of the block in bytes, as it was found.
	BlockLength int64

	first, last *member
}

// Stats counts what a [Reader] has read.
type Stats struct {
	Bytes   int64 // stored
	Members int64 // gzip members, with those that hold nothing
	Records int64
	Damaged int64 // damages reported
	Cut     bool  // the archive ends inside a record, by the damages reported
}

var (
	errCut = errors.New("input ends inside a record")
	// ErrCut says that an archive of unknown length ended inside a record.
	ErrCut = errors.New("input ends before its last record does")
	// ErrNoRecord says that the input is no WARC archive, or an empty one.
	ErrNoRecord = errors.New("no WARC record found")
)

// CutError is [ErrCut] with the offset of the record, or gzip member, that is
// not whole.
type CutError struct{ Offset int64 }

func (e *CutError) Error() string { return fmt.Sprintf("offset %d: %v", e.Offset, ErrCut) }
func (e *CutError) Unwrap() error { return ErrCut }

// Reader reads the records of one archive.
type Reader struct {
	opt   Options
	src   source
	stats Stats

	data    []byte // not yet consumed of the current chunk
	pos     int64  // bytes of a plain archive consumed so far
	member  *member
	last    bool          // the member ends after data
	tail    [overlap]byte // what was consumed last, of a block or of junk
	pending spool         // records whose member has not ended yet
	ready   []spool       // records to hand out, of members that have
	err     error
}

// NewReader recognises how the archive in r is stored, by its first bytes. An
// archive in a format that is not WARC, or stored in a way that is not
// supported, is an error that names it.
func NewReader(ctx context.Context, r io.Reader, opt Options) (*Reader, error) {
	src, err := newSource(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	reader := &Reader{opt: opt, src: src}
	reader.tail[overlap-1] = '\n' // what an archive begins with begins a line
	return reader, nil
}

// Close stops the workers and removes temporary files.
func (r *Reader) Close() {
	r.src.close()
	r.pending.close()
	for i := range r.ready {
		r.ready[i].close()
	}
}

// Stats are the counts up to the record that was returned last, and of the
// whole archive after the last one.
func (r *Reader) Stats() Stats {
	s := r.stats
	s.Bytes = r.src.read()
	if _, plain := r.src.(*plainSource); plain {
		s.Bytes = r.pos
	}
	return s
}

// Records yields the records in file order. The error ends them: a
// [*CutError], [ErrNoRecord], or the source's own.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			rec, err := r.Next()
			if err == io.EOF {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Next returns the next record, and io.EOF after the last.
func (r *Reader) Next() (*Record, error) {
	for {
		for len(r.ready) > 0 {
			rec, err := r.ready[0].next()
			if err != nil {
				return nil, err
			}
			if rec != nil {
				r.stats.Records++
				return rec, nil
			}
			r.ready = r.ready[1:]
		}
		if r.err != nil {
			return nil, r.err
		}
		if err := r.step(); err != nil && err != errHole {
			r.err = r.end(err)
		}
	}
}

// end turns what step ended with into what Next returns.
func (r *Reader) end(err error) error {
	if err == io.EOF && r.stats.Records == 0 && len(r.ready) == 0 {
		return ErrNoRecord
	}
	return err
}

// errHole says that bytes are missing before the next ones.
var errHole = errors.New("warc: bytes are missing")

// advance replaces the consumed chunk by the next one.
func (r *Reader) advance() error {
	if r.last {
		r.closeMember()
	}
	c, err := r.src.next()
	if err != nil {
		return err
	}
	if c.lost != nil {
		return r.lose(c)
	}
	r.data, r.member, r.last = c.data, c.member, c.last
	return nil
}

// closeMember makes the records final that end in the member which just ended.
func (r *Reader) closeMember() {
	r.stats.Members++
	r.last, r.member.ended = false, true
	// What a member begins with begins a line.
	r.tail = [overlap]byte{overlap - 1: '\n'}
	r.release()
}

// release makes the pending records final.
func (r *Reader) release() {
	if !r.pending.empty() {
		r.ready = append(r.ready, r.pending)
		r.pending = spool{}
	}
}

// lose takes note of missing bytes. The records of a member that proved damaged
// are lost with it; of one that was cut, only the last.
func (r *Reader) lose(c chunk) error {
	r.data, r.member, r.last = nil, nil, false
	if c.lost.cut && r.opt.Size < 0 {
		return &CutError{c.lost.Offset}
	}
	if c.lost.cut && c.member != nil {
		c.member.length = c.lost.Length
		r.pending.dropNewest()
		r.release()
	}
	r.pending.close()
	r.pending = spool{}
	r.damage(*c.lost)
	return errHole
}

func (r *Reader) damage(d Damage) {
	r.stats.Damaged++
	r.stats.Cut = r.stats.Cut || d.cut
	if r.opt.OnDamage != nil {
		r.opt.OnDamage(d)
	}
}

// offset is the stored offset of what is read next.
func (r *Reader) offset() int64 {
	if r.member != nil {
		return r.member.offset
	}
	return r.pos
}

// consume takes n bytes off the current chunk.
func (r *Reader) consume(n int) []byte {
	b := r.data[:n]
	r.data = r.data[n:]
	r.pos += int64(n)
	return b
}
