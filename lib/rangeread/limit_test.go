package rangeread

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-index/ccnews/lib/retry/retrytest"
)

func response(code int, rateLimit ...string) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{"Ratelimit": rateLimit}}
}

func TestLimitFallsAndRecovers(t *testing.T) {
	clock := new(retrytest.Clock)
	l := newLimiter(16, clock.Now)
	step := func(what string, want int) {
		t.Helper()
		if got := l.allowed(); got != want {
			t.Errorf("%s: %d requests allowed; want %d", what, got, want)
		}
	}
	step("at first", 16)
	for range 16 {
		l.observe(response(503), 0)
	}
	step("a round of 503", 8)
	l.observe(response(429), 1)
	step("and a 429", 4)
	for range 100 {
		l.observe(response(500), l.cuts)
		l.observe(response(429), l.cuts)
	}
	step("for ever", 1)
	for range 4 {
		l.observe(response(206), l.cuts)
	}
	step("some good answers", 3)
	for range 200 {
		l.observe(response(206), l.cuts)
	}
	step("many good answers", 16)

	l.observe(response(302, `"resolvers";r=2990;t=217`), l.cuts)
	step("much is left", 16)
	l.observe(response(302, `"api";r=900;t=10, "resolvers";r=100;t=200`), l.cuts)
	step("half a request a second is left", 8)
	l.observe(response(206), l.cuts)
	step("a store that has no quota", 8)
	l.observe(response(302, `"resolvers";r=0;t=100`), l.cuts)
	step("nothing is left", 1)
	clock.Sleep(context.Background(), 101*time.Second)
	step("the next window", 16)
	for _, odd := range []string{"", "x", "r=1", "t=1", `"a";r=-1;t=5`, `"a";r=99999999999999999999;t=1`, `"a";r=0;t=0`} {
		l.observe(response(302, odd), l.cuts)
		step(odd, 16)
	}
}

func TestLimitIsFairAndLeavesNobodyBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1, time.Now)
		var mu sync.Mutex
		var order []int
		var group sync.WaitGroup
		for i := range 6 {
			group.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				if i == 3 {
					time.AfterFunc(500*time.Millisecond, cancel)
				}
				defer cancel()
				if _, err := l.acquire(ctx); err != nil {
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
				l.release()
			})
			synctest.Wait()
		}
		group.Wait()
		if !slices.Equal(order, []int{0, 1, 2, 4, 5}) || l.running != 0 || len(l.waiting) != 0 {
			t.Errorf("%v ran, %d still run, %d wait", order, l.running, len(l.waiting))
		}
	})
}

func TestLimitTakesBackWhatNobodyTook(t *testing.T) {
	l := newLimiter(1, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := l.acquire(ctx); err == nil {
			l.release()
		}
	}
	if l.running != 0 || len(l.waiting) != 0 {
		t.Errorf("%d run, %d wait", l.running, len(l.waiting))
	}
}

func TestFilesShareTheLimit(t *testing.T) {
	noGoroutineLeft(t)
	var now, most atomic.Int64
	counted := func(w http.ResponseWriter, r *http.Request, src source) {
		for n := now.Add(1); ; {
			if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		honest(w, r, src)
		now.Add(-1)
	}
	server := serve(t, src, counted)
	c, _ := newClient(t, Options{MaxInFlight: 3, Tail: -1})
	var group sync.WaitGroup
	for range 10 {
		f, err := c.Open(t.Context(), server.URL, length)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for i := range 10 {
			group.Go(func() { checkRead(t, f, int64(i*1000), 900) })
		}
	}
	group.Wait()
	if most.Load() > 3 || server.count() != 100 {
		t.Errorf("%d requests at once, %d in all", most.Load(), server.count())
	}
}
