package warc

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/leaktest"
)

// The same records give the same blocks however they are stored, however the
// bytes arrive, and on any number of cores.
func TestEveryLayoutGivesTheSameRecords(t *testing.T) {
	records := testRecords(300)
	all := plain(records)
	layouts := map[string][]byte{
		"plain":         all,
		"per member":    perMember(records),
		"one member":    gzipMember(all),
		"every 1000 B":  splitMembers(all, 1000),
		"every 7 B":     splitMembers(all[:20000], 7),
		"empty members": withEmptyMembers(records),
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":           func(r io.Reader) io.Reader { return r },
		"bytes":           iotest.OneByteReader,
		"halves":          iotest.HalfReader,
		"data with error": iotest.DataErrReader,
	}
	for layout, archive := range layouts {
		want := records
		if layout == "every 7 B" {
			want = records[:len(readBytes(all[:20000]).records)-1]
		}
		for how, wrap := range readers {
			for _, jobs := range []int{1, 4} {
				t.Run(fmt.Sprintf("%s/%s/-j%d", layout, how, jobs), func(t *testing.T) {
					res := read(wrap(bytes.NewReader(archive)), Options{Jobs: jobs, Size: int64(len(archive))})
					if layout == "every 7 B" { // the last record is cut
						res.records, res.damages = res.records[:len(want)], nil
					}
					checkRecords(t, res, want)
				})
			}
		}
	}
}

// splitMembers cuts b into members at places that have nothing to do with records.
func splitMembers(b []byte, size int) (out []byte) {
	for len(b) > 0 {
		n := min(size, len(b))
		out = append(out, gzipMember(b[:n])...)
		b = b[n:]
	}
	return out
}

// withEmptyMembers puts members of nothing before, between and after records
// (https://github.com/internetarchive/CDX-Writer/pull/27).
func withEmptyMembers(records [][]byte) (out []byte) {
	empty := gzipMember()
	for _, rec := range records {
		out = append(append(out, empty...), gzipMember(rec, []byte(trailer))...)
	}
	return append(out, empty...)
}

func TestSpansAreThoseOfTheMembers(t *testing.T) {
	records := testRecords(50)
	archive := withEmptyMembers(records)
	res := readBytes(archive)
	if res.stats.Members != 101 || res.stats.Bytes != int64(len(archive)) || res.stats.Records != 50 {
		t.Errorf("stats %+v", res.stats)
	}
	for i, rec := range res.records {
		z, err := gzip.NewReader(bytes.NewReader(archive[rec.Offset : rec.Offset+rec.Length]))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(z)
		if want := string(records[i]) + trailer; err != nil || string(b) != want || rec.Shared {
			t.Fatalf("record %d at %d+%d, shared %v: not its member: %v", i, rec.Offset, rec.Length, rec.Shared, err)
		}
	}
}

func TestRecordsOfOneMemberShareItsSpan(t *testing.T) {
	first, archive := gzipMember(testRecords(1)[0], []byte(trailer)), []byte(nil)
	shared := gzipMember(plain(testRecords(3)))
	archive = append(append(append(archive, first...), shared...), first...)
	var got [][3]any
	for _, rec := range readBytes(archive).records {
		got = append(got, [3]any{rec.Offset, rec.Length, rec.Shared})
	}
	a, b := int64(len(first)), int64(len(shared))
	want := [][3]any{{int64(0), a, false}, {a, b, true}, {a, b, true}, {a, b, true}, {a + b, a, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A record whose bytes lie in several members has all of them as its span
// (https://github.com/webrecorder/warcio/pull/52).
func TestRecordAcrossMembers(t *testing.T) {
	rec := testRecords(1)[0]
	a, b, c := gzipMember(rec[:100]), gzipMember(rec[100:300]), gzipMember(rec[300:], []byte(trailer))
	next := gzipMember(testRecords(2)[1], []byte(trailer))
	res := readBytes(append(append(append(append([]byte(nil), a...), b...), c...), next...))
	checkRecords(t, res, [][]byte{rec, testRecords(2)[1]})
	if got, want := res.records[0].Length, int64(len(a)+len(b)+len(c)); got != want || res.records[0].Shared {
		t.Errorf("length %d, want %d; shared %v", got, want, res.records[0].Shared)
	}
	if got := res.records[1].Offset; got != int64(len(a)+len(b)+len(c)) {
		t.Errorf("offset of the next record is %d", got)
	}
}

// Members larger than a worker takes, and members that look like they begin
// inside others, are read as a stream, in constant memory.
func TestHugeMembers(t *testing.T) {
	huge := testRecord("response", "https://example.com/huge", bytes.Repeat([]byte("0123456789abcdef"), 4<<20))
	fake := testRecord("response", "https://example.com/fake", bytes.Repeat(gzipMember(testRecords(1)[0]), 300))
	var stored bytes.Buffer
	w, _ := gzip.NewWriterLevel(&stored, gzip.NoCompression)
	w.Write(fake)
	w.Close()
	archive := append(gzipMember(huge), stored.Bytes()...)
	archive = append(archive, gzipMember(testRecords(1)[0])...)
	checkRecords(t, readBytes(archive), [][]byte{huge, fake, testRecords(1)[0]})

	before := heap()
	res := read(bytes.NewReader(archive), Options{Jobs: 2, Size: int64(len(archive)), MaxBlock: 100})
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if rec := res.records[0]; rec.BlockLength != 64<<20 || len(rec.Block) != 100 {
		t.Errorf("block of %d bytes, %d kept", rec.BlockLength, len(rec.Block))
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Many records in one member wait for its end in a temporary file.
func TestManyRecordsInOneMemberSpill(t *testing.T) {
	var records [][]byte
	for i := range 60 {
		records = append(records, testRecord("response", fmt.Sprint("https://example.com/", i), bytes.Repeat([]byte{byte(i)}, 1<<20)))
	}
	archive := gzipMember(plain(records))
	res := readBytes(archive)
	checkRecords(t, res, records)
	for i, rec := range res.records {
		if want := fmt.Sprint("https://example.com/", i); rec.Header.Get("warc-target-uri") != want || !rec.Shared || rec.Length != int64(len(archive)) {
			t.Fatalf("record %d is %s at %d+%d, shared %v", i, rec.Header.Get("warc-target-uri"), rec.Offset, rec.Length, rec.Shared)
		}
	}
}

// Lenient reading: what real archives have in the place of CRLF CRLF and of tidy
// headers. Each names the report that shows it.
func TestLenientFraming(t *testing.T) {
	head := "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello"
	tests := map[string]string{
		"LF only (jwarc#26)":                     "WARC/0.18\nWARC-Type: response\nContent-Length: 5\n\nhello\n\n",
		"CR CR LF (pywb missing-status-text)":    "WARC/1.0\r\r\nWARC-Type: response\r\r\nContent-Length: 5\r\r\n\r\r\nhello\r\r\n\r\r\n",
		"no blank line after it (news-crawl#11)": head,
		"one blank line":                         head + "\r\n",
		"NUL after it (stormcrawler#652)":        head + "\r\n\r\n\x00",
		"many blank lines":                       head + "\r\n\r\n\r\n\r\n\n\n",
		"blank lines first":                      "\r\n\r\n" + head + trailer,
		"lower case (jwat upper-lower-case)":     "warc/1.0\r\nwarc-type: response\r\ncontent-length: 5\r\n\r\nhello\r\n\r\n",
		"folded (jwat)":                          "WARC/1.0\r\nWARC-Type:\r\n response\r\nContent-Length:\r\n\t5\r\n\r\nhello\r\n\r\n",
		"unknown version (warcio#37)":            "WARC/7.3.1\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n",
		"line without colon":                     "WARC/1.0\r\nnonsense\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n",
		"blank before the colon":                 "WARC/1.0\r\nWARC-Type : response\r\nContent-Length : 5\r\n\r\nhello\r\n\r\n",
	}
	for name, one := range tests {
		for _, archive := range []string{one + one, string(gzipMember([]byte(one))) + string(gzipMember([]byte(one)))} {
			res := readBytes([]byte(archive))
			if res.err != nil || len(res.records) != 2 || len(res.damages) > 0 {
				t.Errorf("%s: %d records, error %v, damages %v", name, len(res.records), res.err, res.damages)
				continue
			}
			for _, rec := range res.records {
				if string(rec.Block) != "hello" || rec.Header.Get("warc-type") != "response" {
					t.Errorf("%s: block %q, type %q", name, rec.Block, rec.Header.Get("warc-type"))
				}
			}
		}
	}
}

// Wrong lengths cost at most their own record; the next one is found.
func TestWrongContentLength(t *testing.T) {
	record := func(length int) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\nhello, world\r\n\r\n", length)
	}
	last := "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 2\r\n\r\nok\r\n\r\n"
	for length := 0; length <= 26; length++ {
		res := readBytes([]byte(record(length) + last))
		if len(res.records) != 2 || res.records[1].Header.Get("warc-type") != "metadata" || string(res.records[1].Block) != "ok" {
			t.Errorf("Content-Length %d: records %d, damages %v", length, len(res.records), res.damages)
		}
		if tidy := length >= 12 && length <= 16; tidy != (len(res.damages) == 0) {
			t.Errorf("Content-Length %d: damages %v", length, res.damages)
		}
	}
	for _, bad := range []string{"", "x", "-1", "99999999999999999999", "1099511627776"} {
		one := strings.Replace(record(12), "Content-Length: 12", "Content-Length: "+bad, 1)
		res := readBytes([]byte(one + last))
		if n := len(res.records); n != 2 || string(res.records[n-1].Block) != "ok" || len(res.damages) == 0 {
			t.Errorf("Content-Length %q: %d records, damages %v", bad, n, res.damages)
		}
	}
}

// An archive cut anywhere gives the records before the cut and then says where
// it was cut (https://github.com/webrecorder/warcio/issues/138).
func TestEveryCut(t *testing.T) {
	var records [][]byte
	for i := range 4 {
		records = append(records, testRecord("response", fmt.Sprint("https://example.com/", i), []byte("a short block")))
	}
	archive := perMember(records)
	whole := readBytes(archive)
	ends := map[int64]int{0: 0}
	for i, rec := range whole.records {
		ends[rec.Offset+rec.Length] = i + 1
	}
	for cut := 2; cut < len(archive); cut++ {
		before, start := 0, int64(0)
		for end, n := range ends {
			if end <= int64(cut) && n > before {
				before, start = n, end
			}
		}
		stream := read(bytes.NewReader(archive[:cut]), Options{Jobs: 2, Size: -1})
		file := read(bytes.NewReader(archive[:cut]), Options{Jobs: 2, Size: int64(cut)})
		if len(stream.records) != before || len(file.records) != before {
			t.Fatalf("cut at %d: %d and %d records, want %d", cut, len(stream.records), len(file.records), before)
		}
		if int64(cut) == start { // between two members
			continue
		}
		var at *CutError
		if before > 0 && (!errors.As(stream.err, &at) || at.Offset != start) {
			t.Fatalf("cut at %d: error %v, want one at offset %d", cut, stream.err, start)
		}
		if len(file.damages) != 1 || file.damages[0].Offset != start || file.damages[0].Length != int64(cut)-start {
			t.Fatalf("cut at %d: damages %v", cut, file.damages)
		}
	}
}

func TestNoArchive(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "the input is empty"},
		{"\r\n\r\n", "no WARC record found"},
		{"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "no WARC record found"},
		{string(gzipMember()), "no WARC record found"},
		{string(gzipMember([]byte("hello"))), "no WARC record found"},
		{"\x1f\x8b", "input ends"},
		{"BZh91AY&SY", "bzip2"},
		{"\x04\x22\x4d\x18rest", "lz4"},
		{"PK\x03\x04" + string(perMember(testRecords(3))), "zip or WACZ"},
		{"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 76\n1 0 InternetArchive\n", "ARC"},
		{string(gzipMember([]byte("filedesc://x.arc 0.0.0.0 2008"))), "ARC"},
	}
	for _, tt := range tests {
		res := read(strings.NewReader(tt.in), Options{Size: -1})
		if res.err == nil || !strings.Contains(res.err.Error(), tt.want) {
			t.Errorf("%.30q: error %v, want %q", tt.in, res.err, tt.want)
		}
	}
}

// A header that its member ends before the empty line does not take the next
// record's header for its own.
func TestHeaderCutByItsMember(t *testing.T) {
	next := testRecord("response", "https://example.com/next", []byte("ok"))
	archive := append(gzipMember([]byte("WARC/1.0\r\nWARC-Type: metadata\r\n")), gzipMember(next, []byte(trailer))...)
	res := readBytes(archive)
	if len(res.records) != 2 || string(res.records[1].Block) != "ok" || len(res.damages) != 1 {
		t.Errorf("%d records, %v, damages %v", len(res.records), res.err, res.damages)
	}
}

func TestReadErrorsAreReported(t *testing.T) {
	archive := perMember(testRecords(20))
	broken := io.MultiReader(bytes.NewReader(archive[:len(archive)/2]), iotest.ErrReader(errors.New("connection reset")))
	if res := read(broken, Options{Size: -1}); res.err == nil || res.err.Error() != "connection reset" {
		t.Errorf("error %v", res.err)
	}
	for _, layout := range [][]byte{archive, plain(testRecords(20))} {
		cut := fmt.Errorf("connection lost: %w", io.ErrUnexpectedEOF)
		broken := io.MultiReader(bytes.NewReader(layout[:len(layout)/2]), iotest.ErrReader(cut))
		if res := read(broken, Options{Size: int64(len(layout))}); res.err != cut {
			t.Errorf("error %v, want %v", res.err, cut)
		}
	}
	if res := read(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(archive))), Options{Size: -1}); !errors.Is(res.err, iotest.ErrTimeout) {
		t.Errorf("error %v", res.err)
	}
}

func TestStoppingEarlyLeavesNoGoroutine(t *testing.T) {
	leaktest.NoGoroutineLeft(t)
	archive := perMember(testRecords(500))
	for range 20 {
		r, err := NewReader(context.Background(), bytes.NewReader(archive), Options{Jobs: 4, Size: -1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
}
