package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/jsonl"
)

// source gives the lines of stdin without those that control the stream: an
// _end line ends it, an _error line is an error.
type source struct {
	lines *jsonl.Reader
	at    place  // of the line that was given last
	first []byte // the first line, until next returns it
	err   error  // what came instead of a first line
	end   *jsonl.End
	// absent are the keys of an index row that the first line does not have.
	absent []string
}

// place is where a line is in stdin; line counts from 1, offset is in bytes.
type place struct{ line, offset int64 }

// newSource reads up to the first line.
func newSource(r io.Reader) *source {
	s := &source{lines: jsonl.NewReader(r, 0)}
	s.first, s.err = s.read()
	return s
}

// next returns the next line, valid until the next call; io.EOF is a good end.
func (s *source) next() ([]byte, error) {
	if line, err := s.first, s.err; line != nil || err != nil {
		s.first = nil
		return line, err
	}
	return s.read()
}

func (s *source) read() ([]byte, error) {
	for {
		line, err := s.lines.Next()
		s.at = place{s.lines.Line(), s.lines.Offset()}
		if err == io.EOF {
			return nil, io.EOF
		} else if err != nil {
			return nil, fmt.Errorf("stdin: %w", err)
		}
		end, fault, err := jsonl.Control(line)
		switch {
		case err != nil:
			return nil, s.fail(err)
		case fault != nil:
			return nil, fault
		case s.end != nil:
			return nil, s.fail(errors.New("it follows the _end line, which must be the last"))
		case end == nil:
			return line, nil
		}
		s.end = end
	}
}

// each gives the lines that are left.
func (s *source) each(yield func([]byte, error) bool) {
	for {
		line, err := s.next()
		if err == io.EOF || !yield(line, err) || err != nil {
			return
		}
	}
}

// fail says that err is about the line that was given last.
func (s *source) fail(err error) error {
	return fmt.Errorf("stdin: %w", &jsonl.LineError{Line: s.at.line, Offset: s.at.offset, Err: err})
}

// isIndex reports whether the stream is one of index rows: the first line has
// all their keys, or there is no line and the end counts rows.
func (s *source) isIndex() bool {
	if s.first == nil {
		return s.err == io.EOF && s.end != nil && s.end.Rows != nil
	}
	s.absent = slices.Clone(ccindex.Columns[:])
	jsonl.Object(s.first, func(iter *jsonl.Iterator, key string) error {
		s.absent = slices.DeleteFunc(s.absent, func(name string) bool { return name == key })
		iter.Skip()
		return nil
	})
	return len(s.absent) == 0
}

// check compares the end of a stream of index rows with the rows that came.
func (s *source) check(rows int64, requireEnd bool) error {
	switch {
	case s.end == nil && requireEnd:
		return cli.Hint(errors.New("stdin: no _end line: the stream was cut"), "without --require-end a shard says that it is not complete")
	case s.end == nil:
		return nil
	case s.end.Rows == nil:
		return s.recordStream()
	case *s.end.Rows != rows:
		return fmt.Errorf("stdin: the _end line says %d rows, but %d came", *s.end.Rows, rows)
	case s.end.Cut && requireEnd:
		return errors.New("stdin: the rows are not the whole archive: the _end line says that it was cut")
	case s.end.Filtered && requireEnd:
		return errors.New("stdin: the rows are not the whole archive: the _end line says that they were filtered")
	}
	return nil
}

// recordStream is the error for an _end line without a number of rows.
func (s *source) recordStream() error {
	return cli.Hint(errors.New("stdin: a stream of records, not of index rows"),
		"pipe it through record-index: warc-records | record-index | jsonl2parquet")
}

// notIndex is the error for an _end line, or the demand for one, where the
// lines are no index rows.
func (s *source) notIndex() error {
	if s.end != nil && s.end.Rows == nil {
		return s.recordStream()
	}
	return cli.Hint(fmt.Errorf("stdin: an _end line closes index rows only, and the first line is none: it has no key %s",
		strings.Join(s.absent, ", ")), "with --schema an _end line is compared with the rows that came")
}
