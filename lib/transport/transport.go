// Package transport is what all our HTTP clients share below the requests they send:
// connections with deadlines, a name, bodies that are watched, and the numbers in
// range headers. What is asked, and what of the answer is believed, is theirs.
package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// connectTimeout is for the connection and again for TLS.
const connectTimeout = 30 * time.Second

// HeaderTimeout is how long an answer may take to begin, for requests that a server
// can answer at once.
const HeaderTimeout = time.Minute

// New keeps up to idle connections for each host, and gives an answer the time header
// to begin, 0 being for ever. It does not ask for compressed bodies. It speaks
// HTTP/1.1 alone: each request has its own connection, so that a drop hits one and
// not all.
func New(idle int, header time.Duration) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: header,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   idle,
		DisableCompression:    true,
		Protocols:             protocols,
	}
}

// UserAgent says who asks and where to complain.
var UserAgent = sync.OnceValue(func() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = strings.Trim(info.Main.Version, "()")
	}
	return "ccnews/" + version + " (+https://github.com/open-index/ccnews)"
})

var errStalled = errors.New("stalled")

// Body is the body of an answer under watch: an error in it, or no byte for too long,
// is a lost connection, which passes with time ([retry.Transient]).
type Body struct {
	src    io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  time.Duration
}

// Watch watches src, the body of the answer to a request whose context is ctx and
// ends by cancel. Stall is how long it may give no byte.
func Watch(ctx context.Context, cancel context.CancelCauseFunc, src io.ReadCloser, stall time.Duration) *Body {
	return &Body{src, ctx, cancel, stall}
}

// Read is that of the body. An io.EOF before the announced length is
// io.ErrUnexpectedEOF already, by net/http.
func (b *Body) Read(p []byte) (int, error) {
	watch := time.AfterFunc(b.stall, func() { b.cancel(errStalled) })
	n, err := b.src.Read(p)
	watch.Stop()
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case context.Cause(b.ctx) == errStalled:
		return n, retry.Transient(fmt.Errorf("%w: no byte for %s", errStalled, b.stall))
	}
	return n, retry.Transient(fmt.Errorf("connection lost: %w", err))
}

// Close ends the request.
func (b *Body) Close() error {
	err := b.src.Close()
	b.cancel(nil)
	return err
}
