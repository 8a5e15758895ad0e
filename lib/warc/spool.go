package warc

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how many bytes of records wait in memory for their member to
// end; more go to a temporary file. Only an archive that holds many records in
// one member ever needs it.
const spoolMemory = 16 << 20

// spool holds the records of a member that has not ended: their length is not
// known yet, nor whether the member is whole. It is filled, and then, once the
// member has ended, drained.
type spool struct {
	head *Record   // the oldest, the only one that may begin in another member
	file *os.File  // then those written out; nil if none
	mem  []*Record // then the newest
	size int64     // weight of mem

	stored int // records in file
	out    *bufio.Writer
	enc    *gob.Encoder
	dec    *gob.Decoder
	last   *member // in which all of them end
}

func (s *spool) add(rec *Record) error {
	s.last = rec.last
	if s.empty() {
		s.head = rec
		return nil
	}
	s.mem = append(s.mem, rec)
	if s.size += rec.weight(); s.size <= spoolMemory {
		return nil
	}
	if err := s.spill(); err != nil {
		return fmt.Errorf("cannot hold the records of a large member: %w", err)
	}
	return nil
}

// weight is about what a record takes in memory, in bytes.
func (rec *Record) weight() int64 {
	const record, field = 512, 128
	return int64(record + field*len(rec.Header) + len(rec.Block))
}

func (s *spool) empty() bool { return s.head == nil && s.stored == 0 && len(s.mem) == 0 }

// spill writes out all that is in memory but the newest, which dropNewest may want.
func (s *spool) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "warc-records-")
		if err != nil {
			return err
		}
		os.Remove(f.Name()) // so that nothing is left, however the process ends
		s.file, s.out = f, bufio.NewWriterSize(f, 256<<10)
		s.enc = gob.NewEncoder(s.out)
	}
	newest := len(s.mem) - 1
	for _, rec := range s.mem[:newest] {
		if err := s.enc.Encode(rec); err != nil {
			return err
		}
		s.stored++
	}
	s.mem = append([]*Record(nil), s.mem[newest])
	s.size = s.mem[0].weight()
	return nil
}

// dropNewest forgets the record that was added last.
func (s *spool) dropNewest() {
	if n := len(s.mem); n > 0 {
		s.mem = s.mem[:n-1]
		return
	}
	s.head = nil
}

// next takes out the oldest record, with its span; nil if there is none left.
func (s *spool) next() (*Record, error) {
	rec := s.head
	switch {
	case rec != nil:
		s.head = nil
	case s.stored > 0:
		var err error
		if rec, err = s.readBack(); err != nil {
			return nil, fmt.Errorf("cannot read back the records of a large member: %w", err)
		}
	case len(s.mem) > 0:
		rec, s.mem = s.mem[0], s.mem[1:]
	default:
		s.close()
		return nil, nil
	}
	rec.Offset = rec.first.offset
	rec.Length = rec.last.offset + rec.last.length - rec.Offset
	rec.Shared = rec.first.records > 1 || rec.last.records > 1
	return rec, nil
}

func (s *spool) readBack() (*Record, error) {
	if s.dec == nil {
		if err := s.out.Flush(); err != nil {
			return nil, err
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		s.dec = gob.NewDecoder(bufio.NewReaderSize(s.file, 256<<10))
	}
	rec := new(Record)
	if err := s.dec.Decode(rec); err != nil {
		return nil, err
	}
	rec.first, rec.last = s.last, s.last
	s.stored--
	return rec, nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}
