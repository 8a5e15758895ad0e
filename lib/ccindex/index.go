package ccindex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/open-index/ccnews/lib/inorder"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
)

// Indexer turns a stream of records into a stream of rows.
type Indexer struct {
	Jobs    int // cores to use
	Builder *Builder
	// OnSkip is told of each response that gives no row though it should.
	OnSkip func(error)
}

var errRows = errors.New("these are index rows already, not records")

// inFlight bounds the memory of lines between reading and writing, in bytes.
const inFlight = 64 << 20

// task is a line of the record stream on its way.
type task struct {
	number, offset int64
	line           *[]byte
}

// result is what a line gave: a row, or nothing, or a skip.
type result struct {
	row  []byte
	skip error
}

// Run reads records from in and writes their rows to out, in order. It returns
// the stream's _end with the number of rows, nil if there was none. The error is
// a [*jsonl.Fault] if the stream ends with _error, and a [*jsonl.LineError] for
// a line that cannot be used; no control line is written.
func (x Indexer) Run(ctx context.Context, in *jsonl.Reader, out *jsonl.Writer) (*jsonl.End, error) {
	var end *jsonl.End
	compute := inorder.Map[task, result]{
		Jobs:   x.Jobs,
		Budget: inFlight,
		Weight: func(t task) int64 { return int64(len(*t.line)) * 2 },
		Do:     x.row,
	}
	rows, skipped := int64(0), int64(0)
	for res, err := range compute.All(ctx, tasks(in, &end)) {
		switch {
		case err != nil:
			return nil, err
		case res.skip != nil:
			skipped++
			x.OnSkip(res.skip)
		case res.row != nil:
			rows++
			if err := out.Line(res.row); err != nil {
				return nil, err
			}
		}
	}
	if end != nil {
		end.Rows, end.Skipped = &rows, skipped
	}
	return end, nil
}

// tasks yields the record lines up to the control line that ends the stream.
func tasks(in *jsonl.Reader, end **jsonl.End) iter.Seq2[task, error] {
	return func(yield func(task, error) bool) {
		for {
			line, err := in.Next()
			if err == io.EOF {
				return
			}
			if err == nil && *end != nil {
				err = in.Fail(errors.New("lines follow _end"))
			}
			if err == nil {
				var fault *jsonl.Fault
				if *end, fault, err = jsonl.Control(line); err != nil {
					err = in.Fail(err)
				} else if fault != nil {
					err = fault
				} else if *end != nil && (*end).Rows != nil {
					err = in.Fail(errRows)
				} else if *end != nil {
					continue
				}
			}
			if err != nil {
				yield(task{}, err)
				return
			}
			kept := buffers.Get().(*[]byte)
			*kept = append((*kept)[:0], line...)
			if !yield(task{in.Line(), in.Offset(), kept}, nil) {
				return
			}
		}
	}
}

// keepBuffer is the largest buffer, in bytes, that is used again.
const keepBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// row computes the row of one line.
func (x Indexer) row(t task) (result, error) {
	defer func() {
		if cap(*t.line) <= keepBuffer {
			buffers.Put(t.line)
		}
	}()
	r, err := record.Parse(*t.line, BodyPrefix)
	if err != nil {
		return result{}, &jsonl.LineError{Line: t.number, Offset: t.offset, Err: err}
	}
	if !HasRow(r) {
		return result{}, nil
	}
	row, err := x.Builder.Row(r)
	if errors.Is(err, ErrUndated) || errors.Is(err, ErrNoURL) {
		return result{skip: fmt.Errorf("%s offset %d: no row: %w", r.WARCFilename, r.Offset, err)}, nil
	}
	if err != nil {
		return result{}, &jsonl.LineError{Line: t.number, Offset: t.offset, Err: fmt.Errorf("record at offset %d: %w", r.Offset, err)}
	}
	return result{row: row.AppendJSON(make([]byte, 0, 1<<10))}, nil
}
