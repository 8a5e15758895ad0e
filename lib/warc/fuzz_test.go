package warc

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// seeds are small: coverage differs from run to run where goroutines race, and
// then the fuzzing engine spends its time on making inputs smaller.
func seeds(f *testing.F) {
	records := [][]byte{testRecord("warcinfo", "", []byte("software: x\r\n")), testRecord("response", "http://a/", []byte("ab"))}
	f.Add(plain(records))
	f.Add(perMember(records))
	f.Add(gzipMember(plain(records)))
	f.Add(withEmptyMembers(records))
	f.Add(splitMembers(plain(records[:1]), 100))
	f.Add(append(perMember(records), "junk"...))
	f.Add([]byte("WARC/1.0\nContent-Length: 3\n\nabcWARC/1.0\nContent-Length: 99\n\nx"))
	f.Add([]byte("WARC/1.0\r\nContent-Length: 10\r\n\r\nabc\nWARC/1.0\r\nContent-Length: 1\r\n\r\nx"))
}

// Whatever the input is, spans lie in the archive and do not overlap but for
// shared ones, every block is as long as it says, counts agree, and neither the
// number of cores nor the way the bytes arrive changes anything.
func FuzzSpansAreOrderedAndReadingIsDeterministic(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, archive []byte) {
		size := int64(len(archive))
		res := read(bytes.NewReader(archive), Options{Jobs: 1, Size: size})
		last := int64(0)
		for _, rec := range res.records {
			if rec.Offset < 0 || rec.Length <= 0 || rec.Offset+rec.Length > size {
				t.Fatalf("span %d+%d of %d", rec.Offset, rec.Length, size)
			}
			if rec.Offset < last && !rec.Shared && res.records[0].first != nil {
				t.Fatalf("span %d+%d begins before %d", rec.Offset, rec.Length, last)
			}
			if rec.BlockLength != int64(len(rec.Block)) {
				t.Fatalf("block of %d bytes has %d", rec.BlockLength, len(rec.Block))
			}
			last = rec.Offset
		}
		if res.err == nil && (res.stats.Bytes != size || res.stats.Records != int64(len(res.records))) {
			t.Fatalf("stats %+v of %d bytes, %d records", res.stats, size, len(res.records))
		}
		again := read(iotest.HalfReader(bytes.NewReader(archive)), Options{Jobs: 3, Size: size})
		if diff := cmp.Diff(res.records, again.records, cmpopts.IgnoreUnexported(Record{})); diff != "" {
			t.Fatalf("-j1 -j3: %s", diff)
		}
		if (res.err == nil) != (again.err == nil) || len(res.damages) != len(again.damages) {
			t.Fatalf("-j1 %v %v, -j3 %v %v", res.err, res.damages, again.err, again.damages)
		}
	})
}

// Records in front of the input and behind it come out, whatever it is: reading
// finds its way again. Only input that swallows what follows (an open length, or
// the start of a member) may cost the record behind it.
func FuzzResyncKeepsTheRecordsAround(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, junk []byte) {
		first, last := perMember(testRecords(1)), perMember(testRecords(2)[1:])
		archive := append(append(append([]byte(nil), first...), junk...), last...)
		res := read(bytes.NewReader(archive), Options{Jobs: 2, Size: int64(len(archive))})
		if res.err != nil {
			t.Fatal(res.err)
		}
		if urls := res.urls(); len(urls) == 0 || urls[0] != "https://example.com/0" {
			t.Fatalf("records %q", urls)
		} else if urls[len(urls)-1] != "https://example.com/1" && !bytes.Contains(junk, gzipMagic[:2]) {
			t.Fatalf("records %q, damages %v", urls, res.damages)
		}
	})
}

func FuzzGzipHeaderConsumesNoMoreThanItself(f *testing.F) {
	f.Add(gzipMember([]byte("x")))
	f.Add([]byte("\x1f\x8b\x08\x1e\x00\x00\x00\x00\x00\xff\x02\x00abname\x00comment\x00\x00\x00rest"))
	f.Fuzz(func(t *testing.T, b []byte) {
		src := bytes.NewReader(b)
		if err := readGzipHeader(src, maxHeaderParts); err != nil {
			return
		}
		used := len(b) - src.Len()
		cut := bytes.NewReader(b[:used-1])
		if err := readGzipHeader(cut, maxHeaderParts); err != io.ErrUnexpectedEOF {
			t.Fatalf("a header of %d bytes, cut by one: %v", used, err)
		}
	})
}
