package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

const (
	maxRedirects = 5
	maxAnswer    = 64 << 20 // bytes of JSON
	maxLeft      = 4 << 10  // bytes behind it
	gitLFS       = "application/vnd.git-lfs+json"
)

// client sends requests to a hub and its store, and repeats what passes with time.
type client struct {
	login  *Login
	http   *http.Client
	policy retry.Policy
	slots  chan struct{} // one for each request in flight
	idle   time.Duration
	warn   warnings
}

// request is a request that can be sent any number of times.
type request struct {
	method string
	url    *url.URL
	header http.Header
	// body opens what is sent, anew for each try; nil is nothing.
	body   func() (io.ReadCloser, error)
	length int64 // of the body in bytes
	// signed says that the URL is permission enough, so the token stays here.
	signed bool
	// writes says that the request is for those who may write.
	writes bool
}

// get asks for JSON.
func get(u *url.URL) request {
	return request{method: http.MethodGet, url: u, header: http.Header{"Accept": {jsonType}}}
}

// post sends v as JSON and asks for JSON, both of the given type.
func post(u *url.URL, mediaType string, v any) (request, error) {
	content, err := json.Marshal(v)
	return request{
		method: http.MethodPost,
		url:    u,
		header: http.Header{"Accept": {mediaType}, "Content-Type": {mediaType}},
		body:   func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		length: int64(len(content)),
	}, err
}

// do sends req until it succeeds, fails for good, or the policy's bounds are
// reached. read gets each good answer.
func (c *client) do(ctx context.Context, what string, req request, read func(*http.Response) error) error {
	return c.policy.Do(ctx, what, func(ctx context.Context) error { return c.once(ctx, req, read) })
}

// once sends req a single time.
func (c *client) once(ctx context.Context, req request, read func(*http.Response) error) error {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	w, ctx := watch(ctx, c.idle)
	defer w.stop()
	resp, err := c.follow(ctx, req, w)
	if err != nil {
		return w.explain(err)
	}
	body := &received{resp.Body, w}
	defer body.Close()
	resp.Body = body
	if c.login.Owns(resp.Request.URL) {
		c.warn.read(resp.Header)
	}
	if resp.StatusCode/100 != 2 {
		return c.failure(req, resp)
	}
	if err := read(resp); err != nil {
		return err
	}
	// What is left keeps the connection from being used again.
	io.CopyN(io.Discard, body, maxLeft)
	return nil
}

// follow sends req to where the answers lead. net/http would do so too, but it
// sends the token to other ports and subdomains of the host.
func (c *client) follow(ctx context.Context, req request, w *watchdog) (*http.Response, error) {
	for hop := 0; ; hop++ {
		resp, err := c.send(ctx, req, w)
		if err != nil || !redirected(resp) {
			return resp, err
		}
		resp.Body.Close()
		if hop == maxRedirects {
			return nil, retry.Permanent(fmt.Errorf("more than %d redirects", maxRedirects))
		}
		if req.url, err = c.redirect(req, resp); err != nil {
			return nil, retry.Permanent(err)
		}
	}
}

func redirected(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// redirect is where resp sends req. A renamed repository answers 307 with a
// relative address, for all methods.
func (c *client) redirect(req request, resp *http.Response) (*url.URL, error) {
	to, err := req.url.Parse(resp.Header.Get("Location"))
	switch {
	case err != nil:
		return nil, errors.New("redirected to an address that is no URL")
	case to.Scheme != "https" && to.Scheme != "http":
		return nil, fmt.Errorf("redirected to a URL of scheme %q", to.Scheme)
	case req.url.Scheme == "https" && to.Scheme == "http":
		return nil, errors.New("redirected from https to http")
	case req.method != http.MethodGet && resp.StatusCode < http.StatusTemporaryRedirect:
		return nil, fmt.Errorf("a %s was redirected by %d, which loses what it sends", req.method, resp.StatusCode)
	case req.writes && c.login.Owns(req.url) && !c.login.Owns(to):
		return nil, fmt.Errorf("redirected to %s, which is not the hub: set HF_ENDPOINT to it if it is to be trusted", to.Host)
	}
	return to, nil
}

func (c *client) send(ctx context.Context, req request, w *watchdog) (*http.Response, error) {
	out := (&http.Request{Method: req.method, URL: req.url, Header: req.header.Clone(), ContentLength: req.length}).WithContext(ctx)
	if out.Header == nil {
		out.Header = http.Header{}
	}
	out.Header.Set("User-Agent", transport.UserAgent())
	if !req.signed {
		for key, values := range c.login.Header(req.url) {
			out.Header[key] = values
		}
	}
	if req.length > 0 {
		body, err := req.body()
		if err != nil {
			return nil, err
		}
		out.Body = &sent{ReadCloser: body, w: w}
	}
	return c.http.Do(out)
}

// decode reads an answer's JSON.
func decode(resp *http.Response, into any) error {
	err := json.NewDecoder(http.MaxBytesReader(nil, resp.Body, maxAnswer)).Decode(into)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("the hub's answer cannot be read: %w", err)
	}
	return nil
}
