package hub

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
)

// FileSource is the content of a local file as it is now. It is an error if it is
// not a regular file.
func FileSource(name string) (Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	return &fileSource{name, info}, nil
}

type fileSource struct {
	name string
	info fs.FileInfo // when the Source was made
}

func (s *fileSource) String() string { return s.name }
func (s *fileSource) Size() int64    { return s.info.Size() }

// Check goes by size and time of change, as make does: what is rewritten in place
// within the clock's tick is not noticed here, but its sum is then a wrong one,
// which the store refuses.
func (s *fileSource) Check() error {
	info, err := os.Stat(s.name)
	if err != nil {
		return err
	}
	return s.same(info)
}

func (s *fileSource) same(info fs.FileInfo) error {
	if !os.SameFile(info, s.info) || info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
		return fmt.Errorf("%s: the file changed while it was read: run again when nothing writes to it", s.name)
	}
	return nil
}

func (s *fileSource) Open() (Content, error) {
	f, err := os.Open(s.name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = s.same(info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &fileContent{f, info.Size()}, nil
}

type fileContent struct {
	*os.File
	size int64
}

func (c *fileContent) Size() int64 { return c.size }

// BytesSource is content in memory. name is for messages.
func BytesSource(name string, content []byte) Source { return &bytesSource{name, content} }

type bytesSource struct {
	name    string
	content []byte
}

func (s *bytesSource) String() string         { return s.name }
func (s *bytesSource) Size() int64            { return int64(len(s.content)) }
func (s *bytesSource) Check() error           { return nil }
func (s *bytesSource) Open() (Content, error) { return bytesContent{bytes.NewReader(s.content)}, nil }

type bytesContent struct{ *bytes.Reader }

func (bytesContent) Close() error { return nil }
