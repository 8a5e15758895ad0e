// Package extsort sorts more records than fit in memory.
//
// A record is a key and a value, both plain bytes; records come out in the
// byte order of their keys, and those with equal keys in the order in which
// they went in. Up to a stated number of bytes everything stays in memory;
// beyond it sorted runs go to temporary files that are merged at the end, the
// classic external merge sort (Knuth, TAOCP vol. 3, 5.4). Either way the same
// records come out in the same order.
//
// Keys of several typed fields are made with [AppendText], [AppendInt] and
// [AppendFloat], whose bytes sort as the values do.
package extsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
)

// Memory is a good limit for [New]: an archive's rows fit in it twice over.
const Memory = 48 << 20

// A Sorter takes records by [Sorter.Add] and gives them back, once, by
// [Sorter.Sorted]. It is not for concurrent use.
type Sorter struct {
	limit   int
	used    int // bytes of memory that records take
	added   uint64
	block   []byte // where the next record goes
	records []record
	runs    []*run
}

// record is a key, with the record's number at its end, and a value.
type record struct{ key, value []byte }

// recordCost is what a record takes beside its bytes: its two slice headers.
const recordCost = 48

// New sorts in about limit bytes of memory and, beyond that, in temporary
// files under [os.TempDir].
func New(limit int) *Sorter { return &Sorter{limit: limit} }

// Add takes a record; it keeps no reference to key or value.
func (s *Sorter) Add(key, value []byte) error {
	const numberSize = 8
	size := len(key) + numberSize + len(value)
	if s.used > 0 && s.used+size+recordCost > s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	// The number makes every key different, so that equal keys keep their
	// order in memory and across runs without a stable sort.
	b := s.allocate(size)
	b = append(b, key...)
	b = binary.BigEndian.AppendUint64(b, s.added)
	end := len(b)
	b = append(b, value...)
	s.records = append(s.records, record{b[:end:end], b[end:]})
	s.used += size + recordCost
	s.added++
	return nil
}

// allocate cuts room for size bytes off the current block. Blocks are small
// beside the limit, so that memory never doubles to grow.
func (s *Sorter) allocate(size int) []byte {
	const blockSize = 1 << 20
	if cap(s.block)-len(s.block) < size {
		s.block = make([]byte, 0, max(size, blockSize))
	}
	start := len(s.block)
	s.block = s.block[:start+size]
	return s.block[start:start:len(s.block)]
}

func (s *Sorter) sort() {
	slices.SortFunc(s.records, func(a, b record) int { return bytes.Compare(a.key, b.key) })
}

// spill moves what is in memory to a run of its own.
func (s *Sorter) spill() error {
	s.sort()
	run, err := writeRun(&memoryRun{s.records}, 0)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	clear(s.records)
	s.records, s.block, s.used = s.records[:0], nil, 0
	return s.compact()
}

// fanIn is how many runs are merged at a time: each takes a file and a buffer.
const fanIn = 64

// compact merges the last runs into one as soon as fanIn of them are of the
// same level, so that files stay few and every record is rewritten only as
// often as the tree of runs is high.
func (s *Sorter) compact() error {
	for len(s.runs) >= fanIn {
		last := s.runs[len(s.runs)-fanIn:]
		if last[0].level != last[fanIn-1].level {
			return nil
		}
		merged, err := newMerge(last, nil)
		if err != nil {
			return err
		}
		run, err := writeRun(merged, last[0].level+1)
		if err != nil {
			return err
		}
		err = closeRuns(last)
		s.runs = append(s.runs[:len(s.runs)-fanIn], run)
		if err != nil {
			return err
		}
	}
	return nil
}

// Sorted gives the values of all records in order. A value is valid until the
// next one. After an error it gives nothing more.
func (s *Sorter) Sorted() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s.sort()
		source, err := newMerge(s.runs, &memoryRun{s.records})
		for err == nil {
			var next record
			if next, err = source.next(); err == nil && !yield(next.value, nil) {
				return
			}
		}
		if !errors.Is(err, errEnd) {
			yield(nil, err)
		}
	}
}

// Close frees the memory and the temporary files.
func (s *Sorter) Close() error {
	err := closeRuns(s.runs)
	*s = Sorter{limit: s.limit}
	return err
}
