package extsort

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// errEnd is a source's answer after its last record.
var errEnd = errors.New("no more records")

// A source gives sorted records. A record is valid until the next one.
type source interface{ next() (record, error) }

type memoryRun struct{ left []record }

func (m *memoryRun) next() (record, error) {
	if len(m.left) == 0 {
		return record{}, errEnd
	}
	first := m.left[0]
	m.left = m.left[1:]
	return first, nil
}

// run is a temporary file of sorted records: the lengths of key and value as
// uvarints, the key, the value. Level is 0 for a run that came from memory,
// and one more than that of the runs it was merged from.
type run struct {
	file  *os.File
	level int
}

const bufferSize = 128 << 10

// writeRun writes all that src has. The file loses its name at once, so that
// the system frees it however the process ends; where an open file cannot be
// removed, closing removes it.
func writeRun(src source, level int) (*run, error) {
	file, err := os.CreateTemp("", "ccnews-sort-*")
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	os.Remove(file.Name())
	r := &run{file, level}
	if err := r.write(src); err != nil {
		r.close()
		return nil, fmt.Errorf("sort: temporary file: %w", err)
	}
	return r, nil
}

func (r *run) write(src source) error {
	out := bufio.NewWriterSize(r.file, bufferSize)
	var lengths []byte
	for {
		next, err := src.next()
		if err == errEnd {
			return out.Flush()
		} else if err != nil {
			return err
		}
		lengths = binary.AppendUvarint(lengths[:0], uint64(len(next.key)))
		lengths = binary.AppendUvarint(lengths, uint64(len(next.value)))
		out.Write(lengths)
		out.Write(next.key)
		if _, err := out.Write(next.value); err != nil {
			return err
		}
	}
}

func (r *run) close() error {
	err := r.file.Close()
	os.Remove(r.file.Name())
	return err
}

func closeRuns(runs []*run) error {
	var first error
	for _, r := range runs {
		if err := r.close(); first == nil {
			first = err
		}
	}
	return first
}

// runReader reads a run from its start.
type runReader struct {
	in  *bufio.Reader
	buf []byte
}

func newRunReader(r *run) (*runReader, error) {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &runReader{in: bufio.NewReaderSize(r.file, bufferSize)}, nil
}

func (r *runReader) next() (record, error) {
	keyLen, err := binary.ReadUvarint(r.in)
	if err == io.EOF {
		return record{}, errEnd
	} else if err != nil {
		return record{}, err
	}
	valueLen, err := binary.ReadUvarint(r.in)
	if err != nil {
		return record{}, err
	}
	size := int(keyLen + valueLen)
	if cap(r.buf) < size {
		r.buf = make([]byte, size+size/4)
	}
	b := r.buf[:size]
	if _, err := io.ReadFull(r.in, b); err != nil {
		return record{}, err
	}
	return record{b[:keyLen], b[keyLen:]}, nil
}

// merge gives the records of several sources in one order. It is a heap of
// the sources by their next record.
type merge struct {
	heads  []head
	primed bool // the first head's record was given: move that source on
}

type head struct {
	record
	source
}

// newMerge merges runs and, if it is not nil, what is in memory.
func newMerge(runs []*run, memory source) (*merge, error) {
	m := new(merge)
	if memory != nil {
		if err := m.add(memory); err != nil {
			return nil, err
		}
	}
	for _, r := range runs {
		reader, err := newRunReader(r)
		if err == nil {
			err = m.add(reader)
		}
		if err != nil {
			return nil, fmt.Errorf("sort: temporary file: %w", err)
		}
	}
	heap.Init(m)
	return m, nil
}

func (m *merge) add(src source) error {
	first, err := src.next()
	if err == errEnd {
		return nil
	}
	m.heads = append(m.heads, head{first, src})
	return err
}

func (m *merge) next() (record, error) {
	if m.primed {
		first := &m.heads[0]
		switch next, err := first.next(); {
		case err == errEnd:
			heap.Pop(m)
		case err != nil:
			return record{}, err
		default:
			first.record = next
			heap.Fix(m, 0)
		}
	}
	if m.primed = len(m.heads) > 0; !m.primed {
		return record{}, errEnd
	}
	return m.heads[0].record, nil
}

func (m *merge) Len() int           { return len(m.heads) }
func (m *merge) Less(i, j int) bool { return bytes.Compare(m.heads[i].key, m.heads[j].key) < 0 }
func (m *merge) Swap(i, j int)      { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *merge) Push(any)           { panic("a merge only shrinks") }
func (m *merge) Pop() any {
	m.heads = m.heads[:len(m.heads)-1]
	return nil
}
