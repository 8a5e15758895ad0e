package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/open-index/ccnews/lib/jsonl"
)

// spool keeps lines to be read again: the first spoolMemory bytes in memory,
// the others in a temporary file without a name.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	out    *bufio.Writer
}

const spoolMemory = 8 << 20

func (s *spool) add(line []byte) error {
	if s.file == nil && s.memory.Len()+len(line) < spoolMemory {
		s.memory.Write(line)
		s.memory.WriteByte('\n')
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
	s.out.Write(line)
	if err := s.out.WriteByte('\n'); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	return nil
}

// all gives the lines in order, once. Each is valid until the next one.
func (s *spool) all() lineSeq {
	return func(yield func([]byte, error) bool) {
		in, err := s.rewind()
		for err == nil {
			var line []byte
			if line, err = in.Next(); err == nil && !yield(line, nil) {
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
		return jsonl.NewReader(&s.memory, 0), nil
	}
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return jsonl.NewReader(io.MultiReader(&s.memory, s.file), 0), nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
