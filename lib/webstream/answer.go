package webstream

import (
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"strings"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

// take judges an answer to a request for the bytes from s.pos on. If it may be
// read, body stands at that byte afterwards. io.EOF means that there is none.
func (s *Stream) take(resp *http.Response, body io.Reader, ranged bool) error {
	switch {
	case resp.StatusCode == http.StatusOK:
		return s.takeWhole(resp, body)
	case resp.StatusCode == http.StatusPartialContent && ranged:
		return s.takeRest(resp)
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && ranged:
		return s.takeEnd(resp)
	}
	return retry.StatusOf(resp)
}

// takeWhole takes a 200. What it says of the source holds from now on, also where
// that is less than before: no later range may be joined to bytes of this answer
// on the word of another.
func (s *Stream) takeWhole(resp *http.Response, body io.Reader) error {
	if err := s.checkCoding(resp); err != nil {
		return err
	}
	now := stateOf(resp, resp.ContentLength)
	if !s.opened {
		s.opened, s.state, s.etag = true, now, resp.Header.Get("ETag")
		return nil
	}
	if err := s.state.changed(now); err != nil {
		return err
	}
	if err := s.skip(body); err != nil {
		return err
	}
	now.size = max(now.size, s.state.size)
	s.state = now
	return nil
}

// skip reads what was handed out before, and proves that it is the same. The
// checksum has 64 bits and a random seed.
func (s *Stream) skip(body io.Reader) error {
	var sum maphash.Hash
	sum.SetSeed(s.sum.Seed())
	n, err := io.CopyN(&sum, body, s.pos)
	switch {
	case err == io.EOF:
		return retry.Transient(fmt.Errorf("sent again, the body ends at %d: %w", n, io.ErrUnexpectedEOF))
	case err != nil:
		return err
	case sum.Sum64() != s.sum.Sum64():
		return fmt.Errorf("%w: sent again, the bytes before are others", ErrChanged)
	}
	return nil
}

// takeRest takes a 206 (RFC 9110, section 15.3.7), if it is exactly the rest.
func (s *Stream) takeRest(resp *http.Response) error {
	if err := s.checkCoding(resp); err != nil {
		return err
	}
	value := resp.Header.Get("Content-Range")
	first, last, size := transport.ContentRange(value)
	now := stateOf(resp, size)
	if err := s.state.changed(now); err != nil {
		return err
	}
	length := resp.ContentLength
	switch {
	case first != s.pos || last != size-1 || length >= 0 && length != size-first:
		return s.distrust("206 with Content-Range %q", value)
	case now.validator() != s.state.validator():
		return s.distrust("206 without the validator %s", s.state.validator())
	}
	s.state = now
	return nil
}

// takeEnd takes a 416. It is the end if all was handed out, which happens where
// the last bytes came and their end did not.
func (s *Stream) takeEnd(resp *http.Response) error {
	if err := s.state.changed(stateOf(resp, -1)); err != nil {
		return err
	}
	value := resp.Header.Get("Content-Range")
	if transport.Unsatisfied(value) == s.pos && (s.state.size < 0 || s.state.size == s.pos) {
		return io.EOF
	}
	// Not a sign of change: caches are known to apply a range to another answer,
	// https://github.com/huggingface/datasets/issues/7685
	return s.distrust("416 with Content-Range %q", value)
}

// distrust is the failure of an answer to Range that is of no use: next the whole
// is asked for.
func (s *Stream) distrust(format string, args ...any) error {
	s.whole = true
	return retry.Transient(fmt.Errorf("useless answer: "+format, args...))
}

// checkCoding refuses bytes that are not the stored ones; see Codings in the
// package's documentation.
func (s *Stream) checkCoding(resp *http.Response) error {
	coding := strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ", "))
	labelled := strings.HasSuffix(s.url.Path, ".gz") && (coding == "gzip" || coding == "x-gzip")
	if coding == "" || coding == "identity" || labelled {
		return nil
	}
	return fmt.Errorf("the server sends Content-Encoding %q and not the stored bytes", coding)
}
