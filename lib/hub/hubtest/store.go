package hubtest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
)

// store has objects by sha256, in memory unless it has a folder.
type store struct {
	dir     string
	discard bool
	objects map[string]*object // under the hub's lock, as is sizes
	sizes   map[string]int64   // of the objects that single uploads were asked for
	files   atomic.Int64       // names them
}

// object is content of the store. It is never changed.
type object struct {
	size      int64
	pieces    []piece
	discarded bool
}

// piece is a stretch of an object: what one request brought.
type piece struct {
	size int64
	data []byte
	file string // where the bytes are, if not in data
}

func newStore() *store { return &store{objects: map[string]*object{}, sizes: map[string]int64{}} }

func (s *store) expect(oid string, size int64) { s.sizes[oid] = size }

// receive keeps a body, and says what its sha256 and its ETag are.
func (s *store) receive(body io.Reader) (p piece, sum, etag string, err error) {
	sha, md := sha256.New(), md5.New()
	var memory bytes.Buffer
	sink := io.Writer(&memory)
	switch {
	case s.discard:
		sink = io.Discard
	case s.dir != "":
		p.file = filepath.Join(s.dir, fmt.Sprintf("%06d.part", s.files.Add(1)))
		file, err := os.Create(p.file)
		if err != nil {
			return p, "", "", err
		}
		defer func() { _ = file.Close() }()
		sink = file
	}
	p.size, err = io.Copy(io.MultiWriter(sink, sha, md), body)
	p.data = memory.Bytes()
	if err != nil {
		s.forget([]piece{p})
	}
	return p, hex.EncodeToString(sha.Sum(nil)), `"` + hex.EncodeToString(md.Sum(nil)) + `"`, err
}

// forget gives the space of pieces back.
func (s *store) forget(pieces []piece) {
	for _, p := range pieces {
		if s.dir != "" && filepath.Dir(p.file) == filepath.Clean(s.dir) {
			_ = os.Remove(p.file)
		}
	}
}

func (s *store) object(pieces []piece) *object {
	o := &object{pieces: pieces, discarded: s.discard}
	for _, p := range pieces {
		o.size += p.size
	}
	return o
}

// content is an object being read.
type content struct {
	*io.SectionReader
	parts  []io.ReaderAt
	ends   []int64
	closer []io.Closer
}

func (o *object) open() (*content, error) {
	if o.discarded {
		return nil, fmt.Errorf("the object's bytes were discarded: start the hub without Discard to read them")
	}
	c := &content{}
	var end int64
	for _, p := range o.pieces {
		end += p.size
		c.ends = append(c.ends, end)
		if p.file == "" {
			c.parts = append(c.parts, bytes.NewReader(p.data))
			continue
		}
		file, err := os.Open(p.file)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.parts = append(c.parts, file)
		c.closer = append(c.closer, file)
	}
	c.SectionReader = io.NewSectionReader(pieces{c}, 0, o.size)
	return c, nil
}

func (c *content) Close() {
	for _, file := range c.closer {
		_ = file.Close()
	}
}

// pieces reads across the pieces of an object.
type pieces struct{ *content }

func (p pieces) ReadAt(b []byte, off int64) (n int, err error) {
	start := int64(0)
	for i, end := range p.ends {
		if len(b) > n && off < end {
			want := b[n:min(int64(len(b)), int64(n)+end-off)]
			got, err := p.parts[i].ReadAt(want, off-start)
			n, off = n+got, off+int64(got)
			if got < len(want) {
				return n, err
			}
		}
		start = end
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// sum is the sha256 of an object's bytes.
func (o *object) sum() (string, error) {
	c, err := o.open()
	if err != nil {
		return "", err
	}
	defer c.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, c); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
