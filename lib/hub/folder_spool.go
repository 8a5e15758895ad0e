package hub

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
)

// spool keeps a listing until it is given: in memory, and in a temporary file as
// soon as it is long.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	lines  *json.Decoder
}

const spoolMemory = 256 << 10 // bytes

func newSpool() *spool { return new(spool) }

func (s *spool) add(line namedSums) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	s.memory.Write(text)
	if s.memory.Len() < spoolMemory {
		return nil
	}
	return s.flush()
}

// flush moves what is in memory to the file, which loses its name at once, so that
// the system frees it however the process ends.
func (s *spool) flush() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "ccnews-list-*"); err != nil {
			return err
		}
		os.Remove(s.file.Name())
	}
	_, err = s.memory.WriteTo(s.file)
	return err
}

// rewind ends the adding.
func (s *spool) rewind() error {
	if s.file == nil {
		s.lines = json.NewDecoder(&s.memory)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	s.lines = json.NewDecoder(bufio.NewReader(s.file))
	return err
}

// next is the next line, and io.EOF behind the last one.
func (s *spool) next() (line namedSums, err error) {
	err = s.lines.Decode(&line)
	return line, err
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
