package webstream

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

// DefaultStall is the Stall of Options that do not say.
const DefaultStall = time.Minute

// ErrChanged says that the source is not what it was when the stream was opened.
// What was read so far is worth nothing.
var ErrChanged = errors.New("the source has changed")

// Statuses that say what is wrong with a URL, to be matched by errors.Is. Each is
// a [*retry.StatusError].
var (
	ErrForbidden error = &retry.StatusError{Status: http.StatusForbidden}
	ErrNotFound  error = &retry.StatusError{Status: http.StatusNotFound}
	ErrGone      error = &retry.StatusError{Status: http.StatusGone}
)

// Options are the bounds of a [Stream]. The zero Options are good for archives.
type Options struct {
	// Retry bounds the failures in a row without a byte gained. Its OnWait is told
	// of each, and Also can make a 403 one that passes.
	Retry retry.Policy
	// Stall is how long the server may send no byte of a body before the connection
	// counts as dropped. Only the time of waiting counts, not a slow reader's. 0
	// means DefaultStall.
	Stall time.Duration
	// Transport sends the requests. nil is a transport of this package, which
	// allows 30 seconds to connect and 60 for the header of an answer.
	Transport http.RoundTripper
}

// Stream is the bytes of one URL. It is not for concurrent use.
type Stream struct {
	ctx    context.Context // of Open: it ends the whole stream
	url    *url.URL
	client http.Client
	stall  time.Duration
	tries  *retry.Series

	opened bool
	etag   string          // of the first answer
	state  state           // of the source, by the answer that is read
	body   *transport.Body // nil between two connections
	whole  bool            // Range was of no use: ask for everything
	pos    int64           // bytes handed out
	sum    maphash.Hash
	err    error // sticky
}

// Open asks for address, an http or https URL, and returns when the body begins.
// The context also ends the stream later. The error names the address; it is a
// [*retry.StatusError] for a status that time does not mend, a [*retry.LaterError]
// when all tries failed, or the context's.
func Open(ctx context.Context, address string, opt Options) (*Stream, error) {
	u, err := url.Parse(address)
	if err != nil || !IsURL(address) || u.Host == "" {
		return nil, fmt.Errorf("%q: not an http or https URL", address)
	}
	s := &Stream{ctx: ctx, url: u, stall: opt.Stall, tries: opt.Retry.Start()}
	s.client = http.Client{Transport: opt.Transport, CheckRedirect: checkRedirect}
	if opt.Transport == nil {
		s.client.Transport = sharedTransport()
	}
	if s.stall == 0 {
		s.stall = DefaultStall
	}
	for s.body == nil {
		if err := s.settle(s.connect()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Size is the full length of the source in bytes as the server announces it, and
// -1 if it does not. A later answer may tell what the first one did not.
func (s *Stream) Size() int64 { return s.state.size }

// ETag is the entity tag of the first answer as it was sent, weak or strong, with
// its quotes, and "" if there was none.
func (s *Stream) ETag() string { return s.etag }

// Read reads the next bytes. It returns io.EOF when the source was read to its
// end, and otherwise an error as [Open] does, or [ErrChanged]; each names the URL
// and the offset.
func (s *Stream) Read(p []byte) (int, error) {
	for s.err == nil && len(p) > 0 {
		if s.body == nil {
			s.err = s.settle(s.connect())
			continue
		}
		n, err := s.body.Read(p)
		if size := s.state.size; size >= 0 && s.pos+int64(n) > size {
			n, err = 0, fmt.Errorf("%w: it is longer than %d bytes", ErrChanged, size)
		}
		if n > 0 { // an error comes again with the next Read
			s.gain(p[:n])
			return n, nil
		}
		s.err = s.settle(err)
	}
	return 0, s.err
}

// gain takes note of bytes that are handed out.
func (s *Stream) gain(b []byte) {
	s.pos += int64(len(b))
	s.sum.Write(b)
	s.whole = false
	s.tries.Progress()
}

// settle decides what follows err: nil means to go on, perhaps after a wait.
func (s *Stream) settle(err error) error {
	if err == nil {
		return nil
	}
	s.disconnect()
	if err == io.EOF {
		if s.state.size < 0 || s.pos == s.state.size {
			return io.EOF
		}
		err = retry.Transient(fmt.Errorf("the body ends before its %d bytes: %w", s.state.size, io.ErrUnexpectedEOF))
	}
	what := s.url.Redacted()
	if s.opened {
		what = fmt.Sprintf("%s: offset %d", what, s.pos)
	}
	return s.tries.Wait(s.ctx, what, err)
}

func (s *Stream) disconnect() {
	if s.body != nil {
		s.body.Close()
		s.body = nil
	}
}

// Close ends the stream and gives its connection up. It never fails.
func (s *Stream) Close() error {
	s.disconnect()
	s.err = fmt.Errorf("%s: %w", s.url.Redacted(), fs.ErrClosed)
	return nil
}
