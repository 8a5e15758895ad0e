package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/table"
)

// source gives the lines of stdin without those that control the stream: an
// _end line ends it, an _error line is an error.
type source struct {
	lines *jsonl.Reader
	first []byte // the first line, until next returns it
	err   error  // what came instead of a first line
	end   *jsonl.End
	// absent are the keys of an index row that the first line does not have.
	absent []string
}

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

// fail says that err is about the line that next returned last.
func (s *source) fail(err error) error { return fmt.Errorf("stdin: %w", s.lines.Fail(err)) }

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
		return cli.Hint(errors.New("stdin: no _end line: the stream was cut"), "without --require-end the shard says that it is not complete")
	case s.end == nil:
		return nil
	case s.end.Rows == nil:
		return s.recordStream()
	case *s.end.Rows != rows:
		return fmt.Errorf("stdin: the _end line says %d rows, but %d came", *s.end.Rows, rows)
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
	return fmt.Errorf("stdin: an _end line closes index rows only, and the first line is none: it has no key %s",
		strings.Join(s.absent, ", "))
}

// What a table's columns are chosen by: this many lines, or as many as have
// this many bytes.
const (
	sampleLines = 1000
	sampleBytes = 8 << 20
)

// sample reads the lines by which the columns of a table are chosen.
func (s *source) sample() (lines [][]byte, guess *table.Guess, err error) {
	guess = new(table.Guess)
	for size := 0; len(lines) < sampleLines && size < sampleBytes; {
		line, err := s.next()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, err
		}
		if err := guess.Look(line); err != nil {
			return nil, nil, s.fail(err)
		}
		lines = append(lines, bytes.Clone(line))
		size += len(line)
	}
	switch {
	case len(lines) == 0 && s.end != nil:
		return nil, nil, s.recordStream()
	case len(lines) == 0:
		return nil, nil, errors.New("stdin: it is empty: there is nothing to make columns of")
	case len(guess.Layout().Columns) == 0:
		return nil, nil, errors.New("stdin: objects without a key make no table")
	}
	return lines, guess, nil
}

// after gives the lines of a sample again, and then those that follow.
func (s *source) after(sample [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, line := range sample {
			if !yield(line, nil) {
				return
			}
		}
		for {
			line, err := s.next()
			if err == io.EOF || !yield(line, err) || err != nil {
				return
			}
		}
	}
}
