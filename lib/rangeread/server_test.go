package rangeread

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/leaktest"
	"github.com/open-index/ccnews/lib/retry/retrytest"
	"github.com/open-index/ccnews/lib/transport"
	"github.com/open-index/ccnews/lib/transport/transporttest"
)

// How servers behave is transporttest's.
type (
	source    = transporttest.Source
	behaviour = transporttest.Answer
)

var (
	hangUp          = transporttest.HangUp
	hang            = transporttest.Hang
	after           = transporttest.After
	cut             = transporttest.Cut
	asking          = transporttest.Asking
	without         = transporttest.Without
	serving         = transporttest.Serving
	altered         = transporttest.Altered
	chunked         = transporttest.Chunked
	status          = transporttest.Status
	raw             = transporttest.Raw
	honest          = transporttest.Honest
	ignoring        = transporttest.Ignoring
	newSource       = transporttest.NewSource
	noGoroutineLeft = leaktest.NoGoroutineLeft
)

// script is a server that answers each request in turn, and as it usually does at
// the end.
type script struct{ *transporttest.Script }

func serve(t testing.TB, src source, usual behaviour, answers ...behaviour) script {
	return script{transporttest.Serve(t, src, usual, answers...)}
}

func (s script) count() int { return len(s.Requests()) }

// ranges lists the Range of each request; ! marks one without If-Range.
func (s script) ranges() string {
	var ranges []string
	for _, r := range s.Requests() {
		value := strings.TrimPrefix(r.Header.Get("Range"), "bytes=")
		if r.Header.Get("If-Range") == "" {
			value += "!"
		}
		ranges = append(ranges, value)
	}
	return strings.Join(ranges, " ")
}

// signature holds what is lost where a query is parsed and built again.
const signature = "Policy=a~b%7Ec+d&Signature=x%2Fy&Key-Pair-Id=K&&b=2&a=1"

// toStore is a hub: it answers with where the bytes are, and knows their size.
func toStore(store string, fields ...string) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		w.Header().Set("Location", store+"/xet/o%7E~1?"+signature)
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(src.Data)))
		w.Header().Set("X-Linked-ETag", `"not the ETag of the store"`)
		w.Header().Set("RateLimit", `"resolvers";r=2990;t=217`)
		altered(func(w http.ResponseWriter, _ *http.Request, _ source) {
			w.WriteHeader(http.StatusFound)
			io.WriteString(w, found)
		}, fields...)(w, r, src)
	}
}

// found is the body of a redirect.
const found = "Found. Redirecting"

// world is a hub and a store, on two ports of one host.
type world struct {
	hub, store script
	clock      *retrytest.Clock
	client     *Client
}

const path = "/datasets/a/b/resolve/0f/data/c%23/a%2520b%20+%3F.parquet"

func newWorld(t testing.TB, src source, opt Options) *world {
	store := serve(t, src, honest)
	w := &world{hub: serve(t, src, toStore(store.URL)), store: store}
	w.client, w.clock = newClient(t, opt)
	return w
}

func (w *world) open(t testing.TB, size int64) *File {
	t.Helper()
	f, err := w.client.Open(t.Context(), w.hub.URL+path, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// newClient never waits in earnest between tries. It keeps no connections, because
// net/http sends a request again by itself if a kept one breaks.
func newClient(t testing.TB, opt Options) (*Client, *retrytest.Clock) {
	if opt.Transport == nil {
		kept := transport.New(DefaultMaxInFlight, transport.HeaderTimeout)
		kept.DisableKeepAlives = true
		opt.Transport = kept
	}
	clock := new(retrytest.Clock)
	opt.Retry.Tries, opt.Retry.Clock = 5, clock
	opt.Retry.Random = func() float64 { return 0.5 }

	c := New(opt)
	t.Cleanup(c.Close)
	return c, clock
}

// repeated is an answer that never changes, as far as tests can tell.
func repeated(a behaviour) []behaviour { return slices.Repeat([]behaviour{a}, 100) }
