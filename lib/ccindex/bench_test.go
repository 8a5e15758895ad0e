package ccindex

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/sharedtest"
)

// BenchmarkIndex is the whole of record-index but its process, in MB/s of the
// bodies that its records stand for.
func BenchmarkIndex(b *testing.B) {
	archive, err := os.ReadFile(sharedtest.Path(b, "corpus", "news", "CC-NEWS-20260701022501-08467.warc.gz"))
	if err != nil {
		b.Fatal(err)
	}
	var stream bytes.Buffer
	records := jsonl.NewWriter(&stream)
	split := record.Splitter{Jobs: runtime.NumCPU(), MaxBody: BodyPrefix, Size: int64(len(archive))}
	if _, err := split.Run(context.Background(), bytes.NewReader(archive), records); err != nil {
		b.Fatal(err)
	}
	records.Flush()
	b.SetBytes(int64(stream.Len()) * 3 / 4)
	b.ReportAllocs()
	for b.Loop() {
		x := Indexer{Jobs: runtime.NumCPU(), Builder: builder}
		if _, err := x.Run(context.Background(), jsonl.NewReader(bytes.NewReader(stream.Bytes()), 0), jsonl.NewWriter(io.Discard)); err != nil {
			b.Fatal(err)
		}
	}
}
