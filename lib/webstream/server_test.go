package webstream

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/leaktest"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/retry/retrytest"
	"github.com/open-index/ccnews/lib/transport"
	"github.com/open-index/ccnews/lib/transport/transporttest"
)

// How servers behave is transporttest's.
type (
	source = transporttest.Source
	answer = transporttest.Answer
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
	newSource       = transporttest.NewSource
	noGoroutineLeft = leaktest.NoGoroutineLeft
)

// script is a server that answers each request in turn, and honestly at the end.
type script struct{ *transporttest.Script }

func serve(t testing.TB, src source, answers ...answer) script {
	return script{transporttest.Serve(t, src, honest, answers...)}
}

// ranges lists the Range of each request, "-" where there was none.
func (s script) ranges() string {
	ranges := s.Ranges()
	for i := range ranges {
		ranges[i] = cmp.Or(ranges[i], "-")
	}
	return strings.Join(ranges, " ")
}

// options never wait in earnest between tries, and keep no connection.
func options(t testing.TB) (Options, *retrytest.Clock) {
	clock := new(retrytest.Clock)
	kept := transport.New(maxIdle, 10*time.Second)
	t.Cleanup(kept.CloseIdleConnections)
	return Options{
		Retry:     retry.Policy{Tries: 5, Clock: clock, Random: func() float64 { return 0.5 }},
		Stall:     10 * time.Second,
		Transport: kept,
	}, clock
}

// repeated is an answer that never changes, as far as tests can tell.
func repeated(a answer) []answer { return slices.Repeat([]answer{a}, 100) }
