package rangeread

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"strings"
	"sync"
)

// File is a file behind an http or https URL. It is safe for concurrent use.
type File struct {
	client *Client
	ctx    context.Context // of Open: it ends every read
	cancel context.CancelCauseFunc
	url    *url.URL
	origin string
	name   string // the URL without its query
	held   cache

	resolving chan struct{} // a lock that a context can end the wait for
	tailing   chan struct{} // likewise

	mu         sync.Mutex
	size       int64             // -1: not known
	at         *address          // nil: ask the URL
	validators map[string]string // of this version, by origin
}

var _ Source = (*File)(nil)

// Open makes a file of address. The context ends its reads, too: a reader of bytes
// at offsets has no place for one of its own.
//
// If the size in bytes is known, such as from a listing, Open sends no request, and
// a file of another size is [ErrChanged]. With -1 it reads the tail and learns the
// size from the answer; where Options.Tail is negative, it sends nothing, and the
// first read learns it.
//
// Errors, also those of reads, name the URL without its query, and the range. They
// are a [*retry.StatusError] for a status that time does not mend, a
// [*retry.LaterError] when all tries failed, [ErrChanged], or the context's.
func (c *Client) Open(ctx context.Context, address string, size int64) (*File, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		shown, _, _ := strings.Cut(address, "?")
		return nil, fmt.Errorf("%q: not an http or https URL", shown)
	}
	u.Fragment, u.RawFragment = "", ""
	shown := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if u.User != nil {
		return nil, fmt.Errorf("%s: a URL with a user name in it: send it in a header", shown)
	}
	f := &File{
		client: c, url: u, origin: originOf(u), name: shown.String(), size: max(-1, size),
		resolving: make(chan struct{}, 1), tailing: make(chan struct{}, 1), validators: map[string]string{},
	}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	if size < 0 && c.tail > 0 {
		if err := f.readTail(lastBytes); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// Size is the length of the file in bytes. It is -1 only if Open was not told, the
// tail is not read, and no read has succeeded yet.
func (f *File) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

// Close drops what is held and ends the reads under way. It never fails.
func (f *File) Close() error {
	f.cancel(fs.ErrClosed)
	f.held.clear()
	return nil
}

// ReadAt is that of [io.ReaderAt]. Bytes that are held, of the tail or prefetched,
// cost no request; what lies between costs one.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: negative offset %d", f.name, off)
	}
	p, whole := p[:min(int64(len(p)), math.MaxInt64-off)], len(p)
	n := 0
	for n < len(p) {
		got, err := f.readSome(p[n:], off+int64(n))
		n += got
		if err != nil {
			return n, err
		}
	}
	if n < whole {
		return n, io.EOF
	}
	return n, nil
}

// readSome reads at least a byte of p, up to where the next held bytes begin.
func (f *File) readSome(p []byte, off int64) (int, error) {
	if err := f.closed(); err != nil {
		return 0, err
	}
	if n := f.held.copy(p, off); n > 0 {
		return n, nil
	}
	size := f.Size()
	switch {
	case size >= 0 && off >= size:
		return 0, io.EOF
	case size >= 0 && off >= size-f.client.tail:
		if err := f.readTail(off); err != nil {
			return 0, err
		}
		return f.held.copy(p, off), nil
	}
	p = p[:f.held.next(off, off+int64(len(p)))-off]
	w := &want{off: off, buf: p}
	if err := f.fetch(f.ctx, w); err != nil {
		return w.n, err
	}
	if w.n < len(p) {
		return w.n, io.EOF
	}
	return w.n, nil
}

// readTail reads the last bytes, among them the one at off, unless another read has
// done so meanwhile.
func (f *File) readTail(off int64) error {
	select {
	case f.tailing <- struct{}{}:
		defer func() { <-f.tailing }()
	case <-f.ctx.Done():
		return f.ended()
	}
	if off >= 0 && f.held.has(off) {
		return nil
	}
	w := &want{off: lastBytes, buf: make([]byte, f.client.tail)}
	if err := f.fetch(f.ctx, w); err != nil {
		return err
	}
	f.held.addTail(&span{w.off, w.buf})
	return nil
}

func (f *File) closed() error {
	if context.Cause(f.ctx) == fs.ErrClosed {
		return fmt.Errorf("%s: %w", f.name, fs.ErrClosed)
	}
	return nil
}

// ended is why the context is at its end.
func (f *File) ended() error {
	if err := f.closed(); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", f.name, f.ctx.Err())
}
