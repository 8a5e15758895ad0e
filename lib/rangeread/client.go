package rangeread

import (
	"cmp"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/transport"
)

// Bounds of a [Client] whose Options do not say.
const (
	DefaultMaxInFlight = 16
	// DefaultTail holds the footer of a shard with all its indexes and filters.
	DefaultTail        = 64 << 10
	DefaultMaxPrefetch = 64 << 20
	DefaultStall       = time.Minute
)

// DefaultGap is a good gap for [File.Prefetch]: the bytes that a line of 10 Mbit/s
// carries in the 50 ms that another request would take.
const DefaultGap = 64 << 10

// Options are the bounds of a [Client]. The zero Options are good for shards.
type Options struct {
	// Header returns what is to be sent beside Range and the like, such as
	// Authorization. It is asked only for requests to the origin (scheme, host and
	// port) of the URL that was opened, possibly from several goroutines. nil and a
	// nil Header add nothing.
	Header func(*url.URL) http.Header
	// Retry bounds the failures in a row of one read without a byte gained. Its
	// functions are called from several goroutines. Also applies to the opened
	// URL's own answers, such as the 403 of an overloaded data.commoncrawl.org.
	Retry retry.Policy
	// MaxInFlight is how many requests of all files may be under way. There are
	// fewer while a server says that they are too many (429 or 503) or that the
	// quota is running out (RateLimit). 0 means DefaultMaxInFlight.
	MaxInFlight int
	// Tail is how many bytes at the end of a file are read and kept as soon as one
	// of them is needed. 0 means DefaultTail; with a negative Tail, nothing is read
	// but what is asked for.
	Tail int64
	// MaxPrefetch is how many bytes, gaps included, one Prefetch may hold. 0 means
	// DefaultMaxPrefetch.
	MaxPrefetch int64
	// Stall is how long a server may send no byte of a body before the connection
	// counts as dropped. 0 means DefaultStall.
	Stall time.Duration
	// Transport sends the requests. It must neither follow redirects nor decode
	// bodies. nil is a transport of this package, which allows 30 seconds to connect
	// and 60 for the header of an answer.
	Transport http.RoundTripper
}

// Client opens files. It is safe for concurrent use.
type Client struct {
	header      func(*url.URL) http.Header
	policy      retry.Policy
	tail        int64
	maxPrefetch int64
	stall       time.Duration
	transport   http.RoundTripper
	limit       *limiter

	resolver, storage, local, bytes atomic.Int64
}

// New makes a client.
func New(opt Options) *Client {
	c := &Client{
		header:      opt.Header,
		policy:      opt.Retry,
		tail:        max(0, cmp.Or(opt.Tail, DefaultTail)),
		maxPrefetch: cmp.Or(opt.MaxPrefetch, DefaultMaxPrefetch),
		stall:       cmp.Or(opt.Stall, DefaultStall),
		transport:   opt.Transport,
	}
	most := max(1, cmp.Or(opt.MaxInFlight, DefaultMaxInFlight))
	if c.transport == nil {
		c.transport = transport.New(most, transport.HeaderTimeout)
	}
	c.limit = newLimiter(most, c.now)
	return c
}

// Close gives up the connections that are kept for further requests. Open files
// stay usable.
func (c *Client) Close() {
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Stats counts what all files of a client have cost so far. A request that net/http
// repeats by itself, since a kept connection turned out to be closed, is one.
type Stats struct {
	Resolver int64 // requests to the origins of opened URLs
	Storage  int64 // requests to other origins, where redirects led
	Local    int64 // reads of local files
	Bytes    int64 // received in bodies of whatever status, or read locally
}

// Stats may be called at any time.
func (c *Client) Stats() Stats {
	return Stats{c.resolver.Load(), c.storage.Load(), c.local.Load(), c.bytes.Load()}
}

// now is the time by the clock that retries use.
func (c *Client) now() time.Time {
	if c.policy.Clock != nil {
		return c.policy.Clock.Now()
	}
	return time.Now()
}
