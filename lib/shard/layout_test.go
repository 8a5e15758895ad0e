package shard

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/open-index/ccnews/lib/extsort"
	"github.com/open-index/ccnews/lib/table"
)

// BenchmarkLayouts writes 30,000 rows in the layouts that were tried, and
// reports what they cost: the table in doc/shard.md. "hit-bytes" is the largest
// row group, which is what has to be read for a few rows that lie together.
func BenchmarkLayouts(b *testing.B) {
	rows := sortedCells(b, 30000)
	for _, groupRows := range []int{1 << 20, 8192, 4096, 3072, 2048} {
		for _, pageBytes := range []int{1 << 20, 64 << 10, 32 << 10} {
			name := fmt.Sprintf("rows=%d/page=%dK", groupRows, pageBytes>>10)
			b.Run(name, func(b *testing.B) { benchmarkLayout(b, rows, groupRows, pageBytes) })
		}
	}
}

func sortedCells(t testing.TB, n int) [][]byte {
	sorter := extsort.New(1 << 30)
	for _, r := range newsRows(n, 1) {
		if err := sorter.Add(appendKey(nil, &r), appendCells(nil, &r)); err != nil {
			t.Fatal(err)
		}
	}
	var rows [][]byte
	for row, err := range sorter.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, bytes.Clone(row))
	}
	return rows
}

func benchmarkLayout(b *testing.B, rows [][]byte, groupRows, pageBytes int) {
	tried := layout
	tried.GroupRows, tried.PageBytes = groupRows, pageBytes
	var out buffer
	for b.Loop() {
		out.Reset()
		w := table.NewWriter(&out, tried)
		for _, row := range rows {
			if err := w.Write(row); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(nil); err != nil {
			b.Fatal(err)
		}
	}
	f, err := parquet.OpenFile(&out, int64(out.Len()))
	if err != nil {
		b.Fatal(err)
	}
	var largest, data int64
	for _, group := range f.Metadata().RowGroups {
		largest = max(largest, group.TotalCompressedSize)
		data += group.TotalCompressedSize
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(out.Len()), "file-bytes")
	b.ReportMetric(float64(int64(out.Len())-data), "tail-bytes")
	b.ReportMetric(float64(largest), "hit-bytes")
	b.ReportMetric(float64(len(f.Metadata().RowGroups)), "groups")
}
