package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/open-index/ccnews/lib/jsonl"
)

// spool keeps lines to be read again, each after its place: the first spoolMemory bytes in memory,
// the others in a temporary file without a name.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	out    *bufio.Writer
}

const spoolMemory = 8 << 20

// maxPlace is the length of a place and the blanks after its numbers.
const maxPlace = 2 * len("9223372036854775807 ")

func (s *spool) add(line []byte, at place) error {
	if s.file == nil && s.memory.Len()+maxPlace+len(line) < spoolMemory {
		fmt.Fprintf(&s.memory, "%d %d %s\n", at.line, at.offset, line)
		return nil
	}
	if s.file == nil {
		file, err := os.CreateTemp("", "jsonl2parquet-*")
		if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		os.Remove(file.Name())
		s.file, s.out = file, bufio.NewWriterSize(file, 256<<10)
	}
	if _, err := fmt.Fprintf(s.out, "%d %d %s\n", at.line, at.offset, line); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	return nil
}

// all gives the lines in order, once, and says where each came from. A line is
// valid until the next one.
func (s *spool) all(from func(place)) lineSeq {
	return func(yield func([]byte, error) bool) {
		in, err := s.rewind()
		for err == nil {
			var line []byte
			if line, err = in.Next(); err != nil {
				break
			}
			var at place
			number, line, _ := bytes.Cut(line, []byte(" "))
			offset, line, _ := bytes.Cut(line, []byte(" "))
			at.line, _ = strconv.ParseInt(string(number), 10, 64)
			at.offset, _ = strconv.ParseInt(string(offset), 10, 64)
			if from(at); !yield(line, nil) {
				return
			}
		}
		if err != io.EOF {
			yield(nil, fmt.Errorf("temporary file: %w", err))
		}
	}
}

func (s *spool) rewind() (*jsonl.Reader, error) {
	if s.file == nil {
		return jsonl.NewReader(&s.memory, jsonl.MaxLine+maxPlace), nil
	}
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return jsonl.NewReader(io.MultiReader(&s.memory, s.file), jsonl.MaxLine+maxPlace), nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
