package rangeread

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

const (
	connectTimeout = 30 * time.Second
	headerTimeout  = time.Minute
)

// newTransport bounds the time until a body begins. It speaks HTTP/1.1 alone: each
// request has its own connection, so that a drop hits one and not sixteen.
func newTransport(most int) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   most,
		DisableCompression:    true,
		Protocols:             protocols,
	}
}

// userAgent says who asks and where to complain.
var userAgent = sync.OnceValue(func() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = strings.Trim(info.Main.Version, "()")
	}
	return "ccnews/" + version + " (+https://github.com/open-index/ccnews)"
})

var errStalled = errors.New("stalled")

// answer is a response whose body is under watch: an error in it, or no byte for
// too long, is a lost connection.
type answer struct {
	*http.Response
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	client *Client
	// without is how many bytes of the range were not asked for, as they are there.
	without int
}

// Read counts what it reads. An io.EOF before the announced length is
// io.ErrUnexpectedEOF already, by net/http.
func (a *answer) Read(p []byte) (int, error) {
	watch := time.AfterFunc(a.client.stall, func() { a.cancel(errStalled) })
	n, err := a.Body.Read(p)
	watch.Stop()
	a.client.bytes.Add(int64(n))
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case context.Cause(a.ctx) == errStalled:
		return n, retry.Transient(fmt.Errorf("%w: no byte for %s", errStalled, a.client.stall))
	}
	return n, retry.Transient(fmt.Errorf("connection lost: %w", err))
}

// close reads what little may be left, so that the connection can be used again.
func (a *answer) close() {
	const little = 4 << 10
	if a.ContentLength <= little {
		io.CopyN(io.Discard, a, little)
	}
	a.Body.Close()
	a.cancel(nil)
}
