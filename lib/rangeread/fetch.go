package rangeread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

// want is a range that is being read.
type want struct {
	off  int64  // of buf in the file, or lastBytes
	buf  []byte // ends with the file, once its size is known
	n    int    // bytes read so far
	best int    // the largest n so far: only more is progress

	origin  string // of the n bytes
	suspect bool   // the last answer did not fit, and the URL was asked anew
}

// lastBytes is the offset of a want for the last bytes of the file.
const lastBytes = -1

// settle takes in what the size says of the range. -1 says nothing.
func (w *want) settle(size int64) {
	switch {
	case size < 0:
		return
	case w.off == lastBytes:
		w.off = max(0, size-int64(len(w.buf)))
	}
	w.buf = w.buf[:max(0, min(int64(len(w.buf)), size-w.off))]
}

// header asks for the range without its first bytes.
func (w *want) header(without int) string {
	if w.off == lastBytes {
		return fmt.Sprintf("bytes=-%d", len(w.buf))
	}
	return fmt.Sprintf("bytes=%d-%d", w.off+int64(without), w.off+int64(len(w.buf))-1)
}

func (w *want) String() string {
	if w.off == lastBytes {
		return fmt.Sprintf("last %d bytes", len(w.buf))
	}
	return Range{w.off, int64(len(w.buf))}.String()
}

// misfit is an answer that may be the fault of the address that it came from: the
// opened URL is asked for a new one, outside of the count of failures, once.
type misfit struct{ error }

// fetch reads all of w, or up to the end of the file.
func (f *File) fetch(ctx context.Context, w *want) error {
	series := f.client.policy.Start()
	for {
		w.settle(f.Size())
		if len(w.buf) == 0 {
			return nil
		}
		err := f.try(ctx, w)
		if err == nil {
			return nil
		}
		if w.n > w.best {
			w.best = w.n
			series.Progress()
		}
		if m, ok := errors.AsType[misfit](err); ok {
			if !w.suspect {
				w.suspect = true
				continue
			}
			err = retry.Permanent(m.error) // also where Policy.Also has its status
		}
		if err := series.Wait(ctx, f.name+": "+w.String(), err); err != nil {
			if closed := f.closed(); closed != nil {
				return closed
			}
			return err
		}
		w.suspect = false
	}
}

// fill reads all of a span.
func (f *File) fill(ctx context.Context, s *span) error {
	w := &want{off: s.off, buf: s.data}
	if err := f.fetch(ctx, w); err != nil {
		return err
	}
	if w.n < len(s.data) {
		return fmt.Errorf("%s: %v: the file has %d bytes: %w", f.name, Range{s.off, int64(len(s.data))}, f.Size(), io.ErrUnexpectedEOF)
	}
	return nil
}

// try sends one request and follows it to the bytes.
func (f *File) try(ctx context.Context, w *want) error {
	at, found, err := f.locate(ctx)
	if err != nil {
		return err
	}
	defer found()
	cuts, err := f.client.limit.acquire(ctx)
	if err != nil {
		return err
	}
	defer f.client.limit.release()
	for range maxRedirects + 1 {
		a, err := f.ask(ctx, at, w)
		if err != nil {
			return err
		}
		f.client.limit.observe(a.Response, cuts)
		if !isRedirect(a.StatusCode) {
			if at.url == f.url && (a.StatusCode == http.StatusOK || a.StatusCode == http.StatusPartialContent) {
				f.remember(at)
				found()
			}
			defer a.close()
			return f.take(a, at, w)
		}
		at, err = f.follow(a, at, w)
		if err != nil {
			return err
		}
		found()
		if len(w.buf) == 0 {
			return nil // the hub knows that the file is empty
		}
	}
	return fmt.Errorf("more than %d redirects", maxRedirects)
}

// locate is where to ask for bytes. While that is not known, one read at a time
// asks the URL, and calls found as soon as it knows.
func (f *File) locate(ctx context.Context) (at *address, found func(), err error) {
	if at := f.remembered(); at != nil {
		return at, func() {}, nil
	}
	select {
	case f.resolving <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	found = sync.OnceFunc(func() { <-f.resolving })
	if at := f.remembered(); at != nil {
		found()
		return at, found, nil
	}
	return newAddress(f.url), found, nil
}

func (f *File) remembered() *address {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at != nil && !f.at.until.IsZero() && !f.client.now().Before(f.at.until) {
		f.at = nil
	}
	return f.at
}

func (f *File) remember(at *address) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = at
}

// ask sends one request to one address.
func (f *File) ask(ctx context.Context, at *address, w *want) (*answer, error) {
	count := &f.client.storage
	if at.origin == f.origin {
		count = &f.client.resolver
	}
	count.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	req, without := f.request(at, w)
	resp, err := f.client.transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel(nil)
		// As http.Client does, for retry to know a failure of the connection.
		return nil, &url.Error{Op: "Get", URL: f.name, Err: f.blame(at, err)}
	}
	return &answer{Response: resp, body: transport.Watch(ctx, cancel, resp.Body, f.client.stall), client: f.client, without: without}, nil
}

// request asks for what is missing of w. Bytes that are there already are kept only
// if the others are bound to the same version.
func (f *File) request(at *address, w *want) (req *http.Request, without int) {
	header := http.Header{}
	if at.origin == f.origin && f.client.header != nil {
		if own := f.client.header(at.url); own != nil {
			header = own.Clone()
		}
	}
	validator := f.validator(at.origin)
	if validator != "" && at.origin == w.origin {
		without = w.n
	}
	if validator != "" {
		header.Set("If-Range", validator)
	}
	header.Set("Range", w.header(without))
	header.Set("User-Agent", transport.UserAgent())
	header.Set("Accept-Encoding", "identity")
	return &http.Request{Method: http.MethodGet, URL: at.url, Header: header}, without
}

// blame names the host where the failure is another one's than the URL's.
func (f *File) blame(at *address, err error) error {
	if at.origin == f.origin {
		return err
	}
	return fmt.Errorf("%s: %w", at.url.Host, err)
}
