package shard

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/parquetread"
)

// Shard is an open shard: one of ours, or any Parquet file that has at least
// the first 18 columns, by name, with the types that Common Crawl's index
// gives them. It is not for concurrent use.
type Shard struct {
	name    string
	source  io.ReaderAt
	file    *parquetread.File
	columns [len(ccindex.Columns)]parquetread.Column
	missing [len(ccindex.Columns)]bool
	index   *Index

	groupsRead     int64
	filtersFetched [len(ccindex.Columns)]bool
}

// Positions of columns in [ccindex.Columns].
const (
	keyColumn      = 0
	hostColumn     = 2
	domainColumn   = 3
	requiredBefore = 18 // the columns of cc-index; those after it are ours alone
)

// Open checks a file of size bytes before anything in it is believed. Name is
// what errors call it, also those of reading. If r is a [Prefetcher], searches use that.
func Open(r io.ReaderAt, size int64, name string) (*Shard, error) {
	file, err := parquetread.Open(r, size)
	if err != nil {
		return nil, named(name, err)
	}
	s := &Shard{name: name, source: r, file: file}
	if err := s.findColumns(); err != nil {
		return nil, named(name, err)
	}
	// A page of a few bytes can announce two thousand million nulls. Rows have
	// offsets of their own, and take more than a byte each.
	if file.Rows() > size {
		return nil, named(name, fmt.Errorf("not an index: it claims %d rows in %d bytes", file.Rows(), size))
	}
	if text, ok := file.Metadata(IndexKey); ok {
		if s.index, err = decodeIndex(text); err != nil {
			return nil, named(name, err)
		}
		if s.index.Rows != file.Rows() {
			return nil, named(name, fmt.Errorf("has %d rows, but says it has %d", file.Rows(), s.index.Rows))
		}
	}
	return s, nil
}

// nameError is an error of a shard. That of reading it may have the shard's name
// inside; it is said once.
type nameError struct {
	name string
	err  error
}

func named(name string, err error) error { return &nameError{name, err} }

func (e *nameError) Error() string {
	return e.name + ": " + strings.ReplaceAll(e.err.Error(), e.name+": ", "")
}

func (e *nameError) Unwrap() error { return e.err }

func (s *Shard) findColumns() error {
	var absent []string
	for i, name := range ccindex.Columns {
		c, ok := s.file.Column(name)
		switch {
		case !ok && i < requiredBefore:
			absent = append(absent, name)
		case !ok:
			s.missing[i] = true
		case c.Kind != kindOf(name):
			return fmt.Errorf("column %s has another type than in an index", name)
		case name == "fetch_time" && c.Unit == 0:
			return errors.New("column fetch_time is no timestamp of milliseconds, microseconds or nanoseconds")
		}
		s.columns[i] = c
	}
	if len(absent) > 0 {
		return fmt.Errorf("not an index: it has no column %s", strings.Join(absent, ", "))
	}
	return nil
}

func kindOf(name string) parquetread.Kind {
	switch name {
	case "fetch_time", "fetch_status", "warc_record_offset", "warc_record_length", "content_length":
		return parquetread.Int
	case "content_language_confidence":
		return parquetread.Float
	}
	return parquetread.Bytes
}

// Name is the name that Open was given.
func (s *Shard) Name() string { return s.name }

// NumRows is the number of rows.
func (s *Shard) NumRows() int64 { return s.file.Rows() }

// NumGroups is the number of row groups.
func (s *Shard) NumGroups() int { return s.file.Groups() }

// NumColumns is the number of columns at the top of the schema, also of those that
// are not an index's.
func (s *Shard) NumColumns() int { return len(s.file.Columns()) }

// GroupsRead is how many row groups were looked into so far. Where it is 0 after
// [Shard.Find], the file's end was enough to answer.
func (s *Shard) GroupsRead() int64 { return s.groupsRead }

// Index is what the shard says of itself, nil if it is not one of ours.
func (s *Shard) Index() *Index { return s.index }
