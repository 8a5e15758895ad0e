package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// idleTimeout is how long nothing may be sent or received: more than the minute
// after which the hub's gateway gives up a commit.
const idleTimeout = 2 * time.Minute

// watchdog ends a request in which nothing moves.
type watchdog struct {
	idle  time.Duration
	timer *time.Timer
	ctx   context.Context
	end   context.CancelCauseFunc
}

var errStalled = errors.New("stalled")

func watch(ctx context.Context, idle time.Duration) (*watchdog, context.Context) {
	ctx, end := context.WithCancelCause(ctx)
	return &watchdog{idle, time.AfterFunc(idle, func() { end(errStalled) }), ctx, end}, ctx
}

func (w *watchdog) feed() { w.timer.Reset(w.idle) }

func (w *watchdog) stop() {
	w.timer.Stop()
	w.end(nil)
}

// explain says so if it was the watchdog that made a request fail. Where the content
// failed that was to be sent, the two addresses of the connection say nothing.
func (w *watchdog) explain(err error) error {
	if context.Cause(w.ctx) == errStalled {
		return retry.Transient(fmt.Errorf("%w: nothing moved for %s", errStalled, w.idle))
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "readfrom" {
		return op.Err
	}
	return err
}

// sent and received are bodies that feed the watchdog.
type sent struct {
	io.ReadCloser
	w      *watchdog
	closed atomic.Bool
}

// Read fails for good: the other end has no part in it. But where the transport has
// closed the body, because the request failed, that is not the content's fault.
func (s *sent) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.w.feed()
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case s.closed.Load():
		return n, io.ErrClosedPipe
	}
	return n, retry.Permanent(err)
}

func (s *sent) Close() error {
	s.closed.Store(true)
	return s.ReadCloser.Close()
}

type received struct {
	io.ReadCloser
	w *watchdog
}

func (r *received) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.w.feed()
	if err != nil && err != io.EOF {
		err = r.w.explain(retry.Transient(fmt.Errorf("connection lost: %w", err)))
	}
	return n, err
}
