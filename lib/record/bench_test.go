package record

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/sharedtest"
)

// BenchmarkSplit is the whole of warc-records but its process, in stored MB/s.
func BenchmarkSplit(b *testing.B) {
	archive, err := os.ReadFile(sharedtest.Path(b, "corpus", "news", "CC-NEWS-20260701022501-08467.warc.gz"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(archive)))
	b.ReportAllocs()
	for b.Loop() {
		s := Splitter{Jobs: runtime.NumCPU(), MaxBody: DefaultMaxBody, Size: int64(len(archive))}
		out := jsonl.NewWriter(io.Discard)
		if _, err := s.Run(context.Background(), bytes.NewReader(archive), out); err != nil {
			b.Fatal(err)
		}
	}
}
