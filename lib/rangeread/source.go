package rangeread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Source is a file that is read at offsets: a [*File] over HTTP, or a local one.
// It is safe for concurrent use.
type Source interface {
	// ReadAt is that of io.ReaderAt. Its errors name the file.
	io.ReaderAt
	// Size is the length of the file in bytes, -1 as long as it is not known.
	Size() int64
	// Prefetch says what will be read: see [File.Prefetch].
	Prefetch(ranges []Range, gap int64) (release func(), err error)
	// Close gives up all that is held. Reads fail afterwards.
	Close() error
}

// Range is Len bytes of a file from the offset Off on.
type Range struct{ Off, Len int64 }

func (r Range) end() int64 { return r.Off + r.Len }

func (r Range) String() string { return fmt.Sprintf("bytes %d-%d", r.Off, r.end()-1) }

// ErrChanged says that the file is not what it was when its first bytes were read,
// or has another length than Open was told. What was read so far is worth nothing.
var ErrChanged = errors.New("the file has changed")

// IsURL reports whether where is an http or https URL, and not the path of a file.
func IsURL(where string) bool {
	return strings.HasPrefix(where, "https://") || strings.HasPrefix(where, "http://")
}

// Shown is what messages call the file at a URL or path: a URL without its query,
// which may be a signature and so a secret, and a path as it is.
func Shown(where string) string {
	if !IsURL(where) {
		return where
	}
	shown, _, _ := strings.Cut(where, "?")
	return shown
}

// OpenAny opens an http or https URL, or the local file at a path. Size is its length
// in bytes as a listing says, -1 if it does not; a file of another length is
// [ErrChanged].
func (c *Client) OpenAny(ctx context.Context, where string, size int64) (Source, error) {
	if IsURL(where) {
		file, err := c.Open(ctx, where, size)
		if err != nil {
			return nil, err // not a nil *File in an interface
		}
		return file, nil
	}
	file, err := c.OpenFile(where)
	if err == nil && size >= 0 && file.Size() != size {
		file.Close()
		return nil, fmt.Errorf("%s: %w: it has %d bytes, and the listing says %d: list it again", where, ErrChanged, file.Size(), size)
	}
	return file, err
}

// OpenFile opens the local file at path, which must be a regular one.
func (c *Client) OpenFile(path string) (Source, error) {
	// A named pipe must be noticed before it is opened: that would wait for a writer.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file, so it has no bytes at offsets", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &localFile{file: file, size: info.Size(), client: c}, nil
}

type localFile struct {
	file   *os.File
	size   int64
	client *Client
}

func (l *localFile) Size() int64  { return l.size }
func (l *localFile) Close() error { return l.file.Close() }

// ReadAt reads what was there when the file was opened, and not what was appended.
func (l *localFile) ReadAt(p []byte, off int64) (int, error) {
	inside := p[:max(0, min(int64(len(p)), l.size-off))]
	if off >= 0 && len(inside) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n, err := l.file.ReadAt(inside, off)
	l.client.local.Add(1)
	l.client.bytes.Add(int64(n))
	switch {
	case err == io.EOF && n < len(inside):
		err = fmt.Errorf("%s: %v: %w: it ends at %d", l.file.Name(), Range{off, int64(len(p))}, ErrChanged, off+int64(n))
	case err == nil && len(inside) < len(p):
		err = io.EOF
	}
	return n, err
}

// Prefetch holds nothing: the system does. But it refuses what a [File] refuses.
func (l *localFile) Prefetch(ranges []Range, gap int64) (release func(), err error) {
	if _, err := coalesce(ranges, gap, l.size, l.client.maxPrefetch); err != nil {
		return nil, fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	return func() {}, nil
}
