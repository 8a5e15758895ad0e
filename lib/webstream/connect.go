package webstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

const (
	maxRedirects = 10
	maxIdle      = 16 // connections kept for each host
)

// connect sends one request for the bytes from s.pos on and makes its answer the
// body that is read. io.EOF means that there are no more.
func (s *Stream) connect() error {
	validator := ""
	if s.pos > 0 && !s.whole {
		validator = s.state.validator()
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	resp, err := s.client.Do(s.request(ctx, validator))
	if err != nil {
		cancel(nil)
		return err
	}
	b := transport.Watch(ctx, cancel, resp.Body, s.stall)
	if err := s.take(resp, b, validator != ""); err != nil {
		b.Close()
		return err
	}
	s.body = b
	return nil
}

// request asks for everything, or with a validator for the rest. It goes to the
// address that was given, not to where that led before: signed URLs expire.
func (s *Stream) request(ctx context.Context, validator string) *http.Request {
	req := &http.Request{Method: http.MethodGet, URL: s.url, Header: http.Header{}}
	req.Header.Set("User-Agent", transport.UserAgent())
	req.Header.Set("Accept-Encoding", "identity")
	if validator != "" {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", s.pos))
		req.Header.Set("If-Range", validator)
	}
	return req.WithContext(ctx)
}

// sharedTransport serves all streams, so that one can go on with the connection of
// another that has ended.
var sharedTransport = sync.OnceValue(func() *http.Transport {
	return transport.New(maxIdle, transport.HeaderTimeout)
})

// checkRedirect bounds redirects, and keeps them from losing TLS. The address of
// one server is none of the next one's business: no Referer.
func checkRedirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	from, to := via[0].URL, req.URL
	switch {
	case len(via) > maxRedirects:
		return retry.Permanent(fmt.Errorf("more than %d redirects", maxRedirects))
	case to.Scheme != "https" && to.Scheme != "http":
		return retry.Permanent(fmt.Errorf("redirected to a URL of scheme %q", to.Scheme))
	case from.Scheme == "https" && to.Scheme != "https":
		return retry.Permanent(errors.New("redirected from https to http"))
	}
	return nil
}
