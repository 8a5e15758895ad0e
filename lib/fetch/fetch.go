package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"time"

	"github.com/open-index/ccnews/lib/inorder"
	"github.com/open-index/ccnews/lib/rangeread"
)

// printing bounds what is held of records that are being checked and printed, by the
// guess that one becomes so many times as long as it is stored.
const (
	printing  = 128 << 20
	expansion = 8
)

// Fetcher fetches records.
type Fetcher struct {
	// Files opens archives. Its Tail should be negative: the end of an archive is
	// nothing special.
	Files *rangeread.Client
	// Base is where names that begin with crawl-data/ are: a URL or a folder.
	Base string
	// Jobs is the number of runs that are read at once.
	Jobs   int
	Format Format
	// MaxBody is how many bytes of body a line of [Records] holds, at most
	// record.MaxBody.
	MaxBody int64
	// OnFailure is told of each record that did not come, in order: its error names
	// the location. OnWarning is told of what is odd with one that did. Neither may be nil.
	OnFailure, OnWarning func(error)

	linger time.Duration // 0 means linger
}

// Count is what [Fetcher.Run] did.
type Count struct {
	Records int64 // written
	Failed  int64 // named by OnFailure
	Later   int64 // those of the failures that time may mend
}

// Run writes the records of the locations to out, in their order, each as soon as those
// before it are written. A location that comes with an error is a failure. The error of
// Run is that of out, or the context's.
func (f *Fetcher) Run(ctx context.Context, locations iter.Seq2[Location, error], out io.Writer) (Count, error) {
	var count Count
	printer := inorder.Map[*span, *printed]{
		Jobs:   runtime.GOMAXPROCS(0),
		Weight: (*span).weight,
		Budget: printing,
		Do:     func(s *span) (*printed, error) { return f.print(ctx, s, smallBlock), nil },
	}
	for p, err := range printer.All(ctx, f.fetched(ctx, locations)) {
		if err != nil {
			return count, err
		}
		if errors.Is(p.err, errLarge) {
			p = f.print(ctx, p.span, maxBlock)
		}
		if err := cmp.Or(ctx.Err(), f.write(out, p, &count)); err != nil {
			return count, err
		}
		p.span.drop()
	}
	return count, nil
}

// write writes one record, or reports its failure.
func (f *Fetcher) write(out io.Writer, p *printed, count *Count) error {
	if p.err != nil {
		count.Failed++
		if later := (interface{ TryLater() })(nil); errors.As(p.err, &later) {
			count.Later++
		}
		f.OnFailure(p.err)
		return nil
	}
	if p.warning != nil {
		f.OnWarning(p.warning)
	}
	if f.Format == Text && count.Records > 0 {
		p.bytes = append([]byte(separator), p.bytes...)
	}
	count.Records++
	if _, err := io.Copy(out, p.reader()); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}
