package record

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/httpmsg"
	"github.com/open-index/ccnews/lib/inorder"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/warc"
)

// Filter says which records of an archive are wanted. The zero Filter wants all.
type Filter struct {
	Types []string // WARC-Type as written; none means any
	Host  string   // this host and its subdomains, as hostname.Normalize gives it
	Limit int64    // at most this many records; 0 means all
}

func (f Filter) active() bool { return len(f.Types) > 0 || f.Host != "" || f.Limit > 0 }

func (f Filter) wants(rec *warc.Record) bool {
	if len(f.Types) > 0 && !slices.Contains(f.Types, rec.Header.Get("warc-type")) {
		return false
	}
	if f.Host == "" {
		return true
	}
	parts, err := hostname.Split(TargetURI(rec.Header))
	return err == nil && parts.Host != nil && hostname.Matches(*parts.Host, f.Host)
}

// Splitter writes an archive as a stream of records.
type Splitter struct {
	Jobs     int    // cores to use
	Filename string // warc_filename; "" takes it from the warcinfo record
	MaxBody  int64  // bytes of body in a record; negative leaves bodies out
	Filter   Filter
	// Size is the archive's length in bytes, -1 if it is not known.
	Size     int64
	OnDamage func(warc.Damage)
}

// inFlight bounds the memory of records between reading and writing: block and
// line of each, in bytes.
const inFlight = 64 << 20

// Count is what [Splitter.Run] read and wrote.
type Count struct {
	jsonl.End
	Written int64 // records, after the filter
}

// Run reads the archive in r and writes one line a record to out, in file order.
// The counts are those up to the error, if there is one; no control line is
// written.
func (s Splitter) Run(ctx context.Context, r io.Reader, out *jsonl.Writer) (Count, error) {
	reader, err := warc.NewReader(ctx, r, warc.Options{
		Jobs: s.Jobs, MaxBlock: max(0, s.MaxBody) + httpmsg.MaxHead, Size: s.Size, OnDamage: s.OnDamage,
	})
	if err != nil {
		return Count{}, err
	}
	defer reader.Close()

	end := Count{End: jsonl.End{WARCFilename: s.Filename, Filtered: s.Filter.active()}}
	encode := inorder.Map[*warc.Record, *[]byte]{
		Jobs:   s.Jobs,
		Budget: inFlight,
		Weight: func(rec *warc.Record) int64 { return int64(len(rec.Block)) * 7 / 3 },
		Do: func(rec *warc.Record) (*[]byte, error) {
			line := lines.Get().(*[]byte)
			r := New(rec, end.WARCFilename, s.MaxBody)
			*line = r.AppendJSON(slices.Grow((*line)[:0], r.Size()))
			return line, nil
		},
	}
	for line, err := range encode.All(ctx, s.records(reader, &end.End)) {
		if err != nil {
			return end, err
		}
		if err := out.Line(*line); err != nil {
			return end, err
		}
		end.Written++
		if cap(*line) <= keepLine {
			lines.Put(line)
		}
	}
	stats := reader.Stats()
	end.Bytes, end.Members, end.Records = stats.Bytes, stats.Members, stats.Records
	end.Damaged, end.Cut = stats.Damaged, stats.Cut
	return end, nil
}

// keepLine is the largest buffer, in bytes, that is used again.
const keepLine = 1 << 20

var lines = sync.Pool{New: func() any { return new([]byte) }}

// records yields the wanted records. It fixes the archive's name before the
// first one, and counts responses.
func (s Splitter) records(reader *warc.Reader, end *jsonl.End) iter.Seq2[*warc.Record, error] {
	return func(yield func(*warc.Record, error) bool) {
		left := s.Filter.Limit
		for rec, err := range reader.Records() {
			if err != nil {
				yield(nil, err)
				return
			}
			kind := rec.Header.Get("warc-type")
			if end.WARCFilename == "" && kind == "warcinfo" {
				end.WARCFilename = ArchiveName(rec.Header.Get("warc-filename"))
			}
			if kind == "response" {
				end.Responses++
			}
			if !s.Filter.wants(rec) {
				continue
			}
			if !yield(rec, nil) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// Offset is the archive offset that an error of Run tells, 0 if it tells none.
func Offset(err error) int64 {
	var cut *warc.CutError
	if errors.As(err, &cut) {
		return cut.Offset
	}
	return 0
}
