package extsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// sorted gives what a Sorter of limit bytes makes of the records.
func sorted(t testing.TB, limit int, records [][2]string) []string {
	t.Helper()
	s := New(limit)
	defer s.Close()
	for _, r := range records {
		if err := s.Add([]byte(r[0]), []byte(r[1])); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for value, err := range s.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(value))
	}
	return got
}

// records makes n records of which many share a key, numbered in their values.
func records(n int, seed uint64) [][2]string {
	rnd := rand.New(rand.NewPCG(seed, 0))
	list := make([][2]string, n)
	for i := range list {
		list[i] = [2]string{fmt.Sprint(rnd.IntN(n/3 + 1)), fmt.Sprintf("%d %s", i, bytes.Repeat([]byte("x"), rnd.IntN(90)))}
	}
	return list
}

func TestSortedIsStableWhateverTheMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	list := records(20000, 1)
	stable := slices.Clone(list)
	slices.SortStableFunc(stable, func(a, b [2]string) int { return bytes.Compare([]byte(a[0]), []byte(b[0])) })
	var want []string
	for _, r := range stable {
		want = append(want, r[1])
	}
	// The smallest limit makes more than fanIn runs of more than one level.
	for _, limit := range []int{1 << 30, 1 << 20, 100_000, 10_000} {
		if got := sorted(t, limit, list); !slices.Equal(got, want) {
			t.Errorf("limit %d: another order", limit)
		}
	}
}

func TestNoRecords(t *testing.T) {
	if got := sorted(t, 10, nil); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestRecordsLargerThanTheMemory(t *testing.T) {
	list := [][2]string{{"b", "2" + string(make([]byte, 5000))}, {"a", "1"}, {string(make([]byte, 5000)), "0"}}
	got := sorted(t, 100, list)
	if len(got) != 3 || got[0] != "0" || got[1] != "1" {
		t.Errorf("got %q", got)
	}
}

func TestTemporaryFilesHaveNoName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := New(1000)
	defer s.Close()
	for range 1000 {
		if err := s.Add([]byte("key"), []byte("value")); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 || len(s.runs) == 0 {
		t.Errorf("%d runs, %d files left, %v", len(s.runs), len(left), err)
	}
}

func TestFewFilesAreOpen(t *testing.T) {
	s := New(1000)
	defer s.Close()
	for i := range 5000 {
		if err := s.Add(binary.BigEndian.AppendUint32(nil, uint32(i)), []byte("value")); err != nil {
			t.Fatal(err)
		}
		if len(s.runs) > 3*fanIn {
			t.Fatalf("%d runs after %d records", len(s.runs), i)
		}
	}
	if s.runs[0].level == 0 {
		t.Errorf("%d runs were never merged", len(s.runs))
	}
}

func TestNoRoomForTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", "/absent")
	s := New(100)
	defer s.Close()
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		err = s.Add([]byte("key"), []byte("value"))
	}
	if err == nil {
		t.Error("no error")
	}
}

func TestDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("SKIPPED, NOT TESTED: no full disk: %v", err)
	}
	r := &run{file: full}
	list := []record{{[]byte("key"), make([]byte, 2*bufferSize)}}
	if err := r.write(&memoryRun{list}); err == nil {
		t.Error("no error")
	}
}

func FuzzKeysSortAsTheirFieldsDo(f *testing.F) {
	f.Add("a", "a\x00", int64(-1), int64(1), -0.5, 0.0)
	f.Add("", "\x00", int64(0), int64(0), 1e300, -1e300)
	f.Fuzz(func(t *testing.T, a, b string, m, n int64, x, y float64) {
		sameSign(t, bytes.Compare(AppendText(nil, a), AppendText(nil, b)), bytes.Compare([]byte(a), []byte(b)))
		sameSign(t, bytes.Compare(AppendInt(nil, m), AppendInt(nil, n)), compare(m, n))
		if x == x && y == y {
			sameSign(t, bytes.Compare(AppendFloat(nil, x), AppendFloat(nil, y)), compare(x, y))
		}
		// The first field decides; the second only where the first is equal.
		one, two := AppendInt(AppendText(nil, a), m), AppendInt(AppendText(nil, b), n)
		want := bytes.Compare([]byte(a), []byte(b))
		if want == 0 {
			want = compare(m, n)
		}
		sameSign(t, bytes.Compare(one, two), want)
	})
}

func compare[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func sameSign(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("order %d, want %d", got, want)
	}
}

func BenchmarkSort(b *testing.B) {
	list := records(30000, 1)
	b.ReportAllocs()
	for b.Loop() {
		sorted(b, Memory, list)
	}
}
