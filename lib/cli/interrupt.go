package cli

import (
	"context"
	"io"
	"sync"
)

// interruptReader lets a signal end a read that waits for input, so that a
// command can take its temporary files away before it goes. The abandoned read
// may still write into its buffer: after an error the buffer must not be used.
type interruptReader struct {
	ctx   context.Context
	src   io.Reader
	start sync.Once
	want  chan []byte
	got   chan readResult
}

type readResult struct {
	n   int
	err error
}

func interruptible(ctx context.Context, src io.Reader) io.Reader {
	return &interruptReader{ctx: ctx, src: src, want: make(chan []byte), got: make(chan readResult)}
}

func (r *interruptReader) Read(p []byte) (int, error) {
	r.start.Do(func() { go r.serve() })
	select {
	case r.want <- p:
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
	select {
	case result := <-r.got:
		return result.n, result.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

func (r *interruptReader) serve() {
	for {
		select {
		case p := <-r.want:
			n, err := r.src.Read(p)
			select {
			case r.got <- readResult{n, err}:
			case <-r.ctx.Done():
				return
			}
		case <-r.ctx.Done():
			return
		}
	}
}
