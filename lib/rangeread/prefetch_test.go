package rangeread

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPrefetch(t *testing.T) {
	noGoroutineLeft(t)
	w := newWorld(t, src, Options{Tail: -1})
	f := w.open(t, length)
	release, err := f.Prefetch([]Range{{500, 100}, {0, 100}, {50, 100}, {650, 10}, {90000, 0}, {5000, 1000}}, 50)
	if err != nil {
		t.Fatal(err)
	}
	stats := w.client.Stats()
	if stats.Storage != 3 || stats.Bytes != int64(len(found))+150+160+1000 || stats.Resolver != 1 {
		t.Errorf("%+v", stats)
	}
	sorted := strings.Fields(strings.ReplaceAll(w.store.ranges(), "!", ""))
	slices.Sort(sorted)
	if got := strings.Join(sorted, " "); got != "0-149 500-659 5000-5999" {
		t.Errorf("ranges %s", got)
	}
	checkRead(t, f, 0, 150)
	checkRead(t, f, 610, 50)
	checkRead(t, f, 5999, 1)
	if w.client.Stats() != stats {
		t.Error("reads of prefetched bytes cost requests")
	}
	checkRead(t, f, 100, 450) // from one run into the next: only the gap is read
	if got := w.store.ranges(); !strings.HasSuffix(got, " 150-499") {
		t.Errorf("ranges %s", got)
	}
	release()
	release()
	checkRead(t, f, 0, 10)
	if got := w.store.ranges(); !strings.HasSuffix(got, " 0-9") {
		t.Errorf("held after release: %s", got)
	}
}

func TestPrefetchOfTheLastByteAlone(t *testing.T) {
	w := newWorld(t, src, Options{Tail: 100})
	f := w.open(t, length)
	if _, err := f.Prefetch([]Range{{length - 1, 1}}, 0); err != nil {
		t.Fatal(err)
	}
	checkRead(t, f, length-50, 50)
	if got := w.store.ranges(); got != "99999-99999! 99900-99999" {
		t.Errorf("ranges %s", got)
	}
}

func TestPrefetchLeavesTheTailOut(t *testing.T) {
	w := newWorld(t, src, Options{Tail: 1000})
	f := w.open(t, -1)
	release, err := f.Prefetch([]Range{{98500, 600}, {99500, 200}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkRead(t, f, 98500, 1500)
	release()
	checkRead(t, f, 99000, 1000)
	if got := w.store.ranges(); got != "99000-99999! 98500-98999" {
		t.Errorf("ranges %s", got)
	}
}

func TestPrefetchReadsAllOrFails(t *testing.T) {
	noGoroutineLeft(t)
	w := newWorld(t, src, Options{Tail: -1, MaxPrefetch: 5000})
	local, err := w.client.OpenFile(temporary(t, src.Data))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	for _, tt := range []struct {
		ranges []Range
		err    error
	}{
		{[]Range{{-1, 5}}, errAny},
		{[]Range{{5, -1}}, errAny},
		{[]Range{{math.MaxInt64, 5}}, errAny},
		{[]Range{{length - 4, 5}}, io.ErrUnexpectedEOF},
		{[]Range{{length + 4, 5}}, io.ErrUnexpectedEOF},
		{[]Range{{0, 5001}}, errAny},
		{[]Range{{0, 1}, {5000, 1}}, errAny},
		{[]Range{{0, 3000}, {90000, 3000}}, errAny},
	} {
		for _, s := range []Source{w.open(t, length), local} {
			_, err := s.Prefetch(tt.ranges, 8000)
			if err == nil || tt.err != errAny && !errors.Is(err, tt.err) {
				t.Errorf("%v: %v; want %v", tt.ranges, err, tt.err)
			}
		}
	}
	if w.hub.count() != 0 {
		t.Error("asked for what cannot be")
	}

	unknown := w.open(t, -1)
	if _, err := unknown.Prefetch([]Range{{length - 4, 5}}, 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("behind an end that was not known: %v", err)
	}
	f := w.open(t, length)
	w.store.Then(status(404), status(404), status(404), status(404), status(404), status(404))
	if _, err := f.Prefetch([]Range{{0, 5}, {100, 5}, {200, 5}}, 0); !errors.Is(err, err404) {
		t.Errorf("error %v", err)
	}
	w.store.Then()
	checkRead(t, f, 0, 5)
}

func temporary(t testing.TB, data []byte) string {
	name := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLocalFile(t *testing.T) {
	c := New(Options{})
	name := temporary(t, src.Data[:5000])
	f, err := c.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	checkRead(t, f, 100, 1000)
	if stats := c.Stats(); stats != (Stats{Local: 1, Bytes: 1000}) {
		t.Errorf("%+v", stats)
	}
	release, err := f.Prefetch([]Range{{0, 10}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	release()
	checkEnds(t, f, 5000)
	os.WriteFile(name, src.Data[:6000], 0o644)
	checkEnds(t, f, 5000)
	os.Truncate(name, 4000)
	if n, err := f.ReadAt(make([]byte, 100), 3950); n != 50 || !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), name) {
		t.Errorf("of a file that was cut: %d, %v", n, err)
	}
	f.Close()
	if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	for _, no := range []string{t.TempDir(), os.DevNull, name + ".none"} {
		if _, err := c.OpenFile(no); err == nil || !strings.Contains(err.Error(), no) {
			t.Errorf("%s: %v", no, err)
		}
	}
}
