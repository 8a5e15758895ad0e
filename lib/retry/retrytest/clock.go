// Package retrytest lets tests of what is retried run without waiting.
package retrytest

import (
	"context"
	"sync"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// Clock is a [retry.Clock] whose time moves only by sleeping, at once. The zero
// Clock is ready, and safe for concurrent use.
type Clock struct {
	mu    sync.Mutex
	slept time.Duration
	waits []time.Duration
}

var _ retry.Clock = (*Clock)(nil)

// Now is a fixed start plus the time slept so far.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, 7, 1, 2, 25, 1, 0, time.UTC).Add(c.slept)
}

// Sleep moves the time on by d, unless the context has ended.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	c.slept += d
	c.waits = append(c.waits, d)
	return nil
}

// Waits lists how long each sleep was.
func (c *Clock) Waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.waits...)
}
