package rangeread

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limiter bounds how many requests are in flight. Like TCP's congestion window the
// bound halves when a server says that it is too much, and grows by one for each
// round of good answers.
type limiter struct {
	now func() time.Time

	mu       sync.Mutex
	most     int
	window   float64   // from 1 to most
	quota    int       // what the server's quota allows until quotaEnd
	quotaEnd time.Time // zero: it sets no bound
	cuts     int       // how often window was halved
	running  int
	waiting  []chan struct{} // first come, first served
}

func newLimiter(most int, now func() time.Time) *limiter {
	return &limiter{now: now, most: most, window: float64(most)}
}

// acquire waits until one more request may run. It returns the number of cuts so
// far, for observe.
func (l *limiter) acquire(ctx context.Context) (cuts int, err error) {
	l.mu.Lock()
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.grant()
	cuts = l.cuts
	l.mu.Unlock()
	select {
	case <-turn:
		return cuts, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, turn); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.running--
		l.grant()
	}
	return 0, ctx.Err()
}

func (l *limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.grant()
}

func (l *limiter) grant() {
	for len(l.waiting) > 0 && l.running < l.allowed() {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.running++
	}
}

func (l *limiter) allowed() int {
	if l.now().Before(l.quotaEnd) {
		return min(int(l.window), l.quota)
	}
	return int(l.window)
}

// observe learns from the answer to a request that was sent after so many cuts:
// sixteen requests that fail together are one sign and not sixteen.
func (l *limiter) observe(resp *http.Response, cuts int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if cuts == l.cuts {
			l.window = max(1, l.window/2)
			l.cuts++
		}
	default:
		l.window = min(float64(l.most), l.window+1/l.window)
	}
	if remaining, reset, ok := quota(resp.Header); ok {
		l.ration(remaining, reset)
	}
}

// ration slows down when less than one request a second is left until the quota is
// whole again: with a full window of files to open, the rest of it would be gone
// at once.
func (l *limiter) ration(remaining, reset int64) {
	if remaining >= reset {
		l.quotaEnd = time.Time{}
		return
	}
	l.quota = max(1, int(float64(l.most)*float64(remaining)/float64(reset)))
	l.quotaEnd = l.now().Add(time.Duration(reset) * time.Second)
}

// quota reads the item of RateLimit that leaves least, such as
//
//	RateLimit: "resolvers";r=990;t=217
//
// where r is what remains of the quota and t the seconds until it is whole again
// (draft-ietf-httpapi-ratelimit-headers). Nobody's window is longer than a day.
func quota(header http.Header) (remaining, reset int64, ok bool) {
	const day = 24 * 3600
	for item := range strings.SplitSeq(strings.Join(header.Values("RateLimit"), ","), ",") {
		r, t := int64(-1), int64(-1)
		for parameter := range strings.SplitSeq(item, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
			n, err := strconv.ParseInt(value, 10, 64)
			switch {
			case err != nil || n < 0:
			case name == "r":
				r = n
			case name == "t":
				t = min(n, day)
			}
		}
		if r >= 0 && t >= 0 && (!ok || float64(r)*float64(reset) < float64(remaining)*float64(t)) {
			remaining, reset, ok = r, t, true
		}
	}
	return remaining, reset, ok
}
