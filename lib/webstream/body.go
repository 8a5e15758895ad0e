package webstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

var errStalled = errors.New("stalled")

// body is the body of an answer under watch: an error in it, or no byte for too
// long, is a lost connection.
type body struct {
	src    io.ReadCloser
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	stall  time.Duration
}

func (b *body) Read(p []byte) (int, error) {
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

func (b *body) Close() {
	b.src.Close()
	b.cancel(nil)
}
