package rangeread

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

// follow takes a redirect. The hub says with it how long the file is.
func (f *File) follow(a *answer, at *address, w *want) (*address, error) {
	defer a.close()
	if size := transport.Length(a.Header.Get("X-Linked-Size")); size >= 0 && at.origin == f.origin {
		if err := f.learn(size); err != nil {
			return nil, err
		}
		w.settle(size)
	}
	next, err := at.next(a.Header, f.client.now())
	if err != nil {
		return nil, f.blame(at, err)
	}
	f.remember(next)
	return next, nil
}

// take judges an answer that is no redirect, and reads its bytes.
func (f *File) take(a *answer, at *address, w *want) error {
	switch a.StatusCode {
	case http.StatusPartialContent:
		return f.takePart(a, at, w)
	case http.StatusOK:
		return f.takeWhole(a, at, w)
	case http.StatusRequestedRangeNotSatisfiable:
		return f.takeNone(a, at, w)
	}
	err := fmt.Errorf("%w%s", retry.StatusOf(a.Response), explanation(a.Header))
	if at.url == f.url {
		return err
	}
	switch a.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return f.misfit(at, err)
	}
	return f.blame(at, err)
}

// explanation is what the hub says about a failure.
func explanation(header http.Header) string {
	const most = 200
	message := header.Get("X-Error-Message")
	if message == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", message[:min(len(message), most)])
}

// misfit gives up an address whose answer does not fit.
func (f *File) misfit(at *address, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at != nil && f.at.url == at.url {
		f.at = nil
	}
	return misfit{f.blame(at, err)}
}

// takePart takes a 206, if it is exactly what was asked for.
func (f *File) takePart(a *answer, at *address, w *want) error {
	if err := checkCoding(a.Header, f.url.Path); err != nil {
		return f.blame(at, err)
	}
	value := a.Header.Get("Content-Range")
	got, size, ok := parseContentRange(value)
	if known := f.Size(); ok && known >= 0 && known != size {
		return f.misfit(at, changedSize(known, size))
	}
	settled := *w
	settled.settle(size)
	settled.n = a.without
	expected := Range{settled.off + int64(settled.n), int64(len(settled.buf) - settled.n)}
	if !ok || got != expected || a.ContentLength >= 0 && a.ContentLength != got.Len {
		return f.misfit(at, fmt.Errorf("206 with Content-Range %q and Content-Length %d", value, a.ContentLength))
	}
	if err := f.bind(at, a.Header); err != nil {
		return err
	}
	if err := f.learn(size); err != nil {
		return err
	}
	settled.origin = at.origin
	*w = settled
	return f.read(a, at, w)
}

// read reads the body of a 206, which must end with the range.
func (f *File) read(a *answer, at *address, w *want) error {
	for w.n < len(w.buf) {
		n, err := a.Read(w.buf[w.n:])
		w.n += n
		switch {
		case w.n == len(w.buf):
		case err == io.EOF:
			return f.blame(at, retry.Transient(fmt.Errorf("the body ends before its range: %w", io.ErrUnexpectedEOF)))
		case err != nil:
			return f.blame(at, err)
		}
	}
	if n, _ := a.Read(make([]byte, 1)); n > 0 {
		w.n = a.without
		return f.misfit(at, errors.New("the body is longer than its range"))
	}
	return nil
}

// takeWhole takes a 200, if the file is small.
func (f *File) takeWhole(a *answer, at *address, w *want) error {
	if err := checkCoding(a.Header, f.url.Path); err != nil {
		return f.blame(at, err)
	}
	size, known := a.ContentLength, f.Size()
	if size >= 0 && known >= 0 && size != known {
		return f.misfit(at, changedSize(known, size))
	}
	if err := f.bind(at, a.Header); err != nil {
		return err
	}
	size = max(size, known)
	small := max(int64(len(w.buf)), f.client.tail)
	switch {
	case size > small && w.off == lastBytes:
		// Some servers know ranges, but not those from the end.
		w.settle(size)
		if err := f.learn(size); err != nil {
			return err
		}
		return f.misfit(at, errNoRanges)
	case size > small:
		return f.blame(at, errNoRanges)
	}
	data, err := io.ReadAll(io.LimitReader(a, small+1))
	switch {
	case err != nil:
		return f.blame(at, err)
	case int64(len(data)) > small:
		return f.blame(at, errNoRanges)
	case size >= 0 && int64(len(data)) != size:
		return f.misfit(at, changedSize(size, int64(len(data))))
	}
	return f.slice(data, at, w)
}

var errNoRanges = errors.New("the server sends the whole file and not the range: it knows no ranges, or the file has changed")

// slice takes the range out of the whole file, and holds that if it is no longer
// than a tail.
func (f *File) slice(data []byte, at *address, w *want) error {
	if err := f.learn(int64(len(data))); err != nil {
		return err
	}
	w.settle(int64(len(data)))
	if len(w.buf) > 0 {
		w.n = copy(w.buf, data[w.off:])
	}
	w.origin = at.origin
	if int64(len(data)) <= f.client.tail {
		f.held.addTail(&span{0, data})
	}
	return nil
}

// takeNone takes a 416. It is no sign of the end: a range inside of a file whose
// size is known can be satisfied, and where it is not known, the answer may be
// another's.
func (f *File) takeNone(a *answer, at *address, w *want) error {
	value := a.Header.Get("Content-Range")
	size := transport.Unsatisfied(value)
	behind := size >= 0 && w.off >= size || size == 0
	if f.Size() < 0 && w.suspect && behind {
		w.settle(size)
		return f.learn(size)
	}
	return f.misfit(at, fmt.Errorf("%w with Content-Range %q", retry.StatusOf(a.Response), value))
}

// learn takes note of the size, once.
func (f *File) learn(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size < 0 {
		f.size = size
	}
	if f.size != size {
		return changedSize(f.size, size)
	}
	return nil
}

func changedSize(before, now int64) error {
	return fmt.Errorf("%w: its length was %d bytes and is %d", ErrChanged, before, now)
}

func (f *File) validator(origin string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.validators[origin]
}

// bind holds an answer to the validator of its origin, and the origin to that of
// the answer if it is the first.
func (f *File) bind(at *address, header http.Header) error {
	now := validator(header)
	f.mu.Lock()
	bound := f.validators[at.origin]
	if bound == "" && now != "" {
		f.validators[at.origin] = now
	}
	f.mu.Unlock()
	switch {
	case bound == "" || bound == now:
		return nil
	case now != "" && isETag(now) == isETag(bound):
		return f.blame(at, fmt.Errorf("%w: it was version %s and is %s", ErrChanged, bound, now))
	}
	return f.misfit(at, fmt.Errorf("an answer without the validator %s", bound))
}

func isETag(validator string) bool { return strings.HasPrefix(validator, `"`) }
