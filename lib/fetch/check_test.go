package fetch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestOnlyTheExpectedRecordIsWritten(t *testing.T) {
	a := pages(3)
	good := a.rows[1]
	good.Digest = digestOf(t, a, 1)
	with := func(change func(*Location)) Location {
		l := good
		change(&l)
		return l
	}
	tests := []struct {
		what string
		row  Location
		want string // in the error; "" for none
	}{
		{"as it is", good, ""},
		{"nothing known", Location{Filename: name, Offset: good.Offset, Length: good.Length}, ""},
		{"digest in lower case", with(func(l *Location) { l.Digest = strings.ToLower(l.Digest) }), ""},
		{"offset a byte early", with(func(l *Location) { l.Offset-- }), "not one whole record"},
		{"offset a byte late", with(func(l *Location) { l.Offset++ }), "not one whole record"},
		{"a byte short", with(func(l *Location) { l.Length-- }), "not one whole record"},
		{"a byte long", with(func(l *Location) { l.Length++ }), "not one whole record"},
		{"a byte early and long", with(func(l *Location) { l.Offset--; l.Length++ }), "not one whole record"},
		{"with its neighbour", with(func(l *Location) { l.Length += a.rows[2].Length }), "not one whole record: one of"},
		{"its neighbour", with(func(l *Location) { l.Offset, l.Length = a.rows[2].Offset, a.rows[2].Length }), "its WARC-Record-ID is"},
		{"another URL", with(func(l *Location) { l.URL += "x" }), `its URL is "https://example.org/1" and should be`},
		{"another type", with(func(l *Location) { l.Type = "request" }), "its WARC-Type is"},
		{"another digest", with(func(l *Location) { l.Digest = digestOf(t, a, 2) }), "its digest is"},
	}
	f := newFetcher(t, serve(t, a.data, honest).URL)
	for _, tt := range tests {
		for _, f.Format = range []Format{Records, Raw, Text} {
			got := f.do(t, tt.row)
			switch {
			case tt.want == "" && got.Records != 1:
				t.Errorf("%s: %v", tt.what, got.failures)
			case tt.want != "" && (got.out != "" || len(got.failures) != 1 || !strings.Contains(got.failures[0], tt.want)):
				t.Errorf("%s: %d bytes, %q, want %q", tt.what, len(got.out), got.failures, tt.want)
			}
		}
	}
}

// digestOf is the content_digest of a page.
func digestOf(t testing.TB, a *archived, i int) string {
	_, rest, ok := strings.Cut(lines(t, a.data)[i], `"warc-payload-digest":["sha1:`)
	if !ok {
		t.Fatal("no digest")
	}
	return rest[:32]
}

// The digest that writers compute is of one of three things; another is another page.
func TestDigestOfWhatTheWriterHashed(t *testing.T) {
	const chunks = "4\r\nabcd\r\n0\r\n\r\n"
	block := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
	for _, hashed := range []string{"abcd", chunks, block, "something else"} {
		digest := sum([]byte(hashed))
		for _, truncated := range []string{"", "WARC-Truncated: length\r\n"} {
			rec := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\n%sContent-Length: %d\r\n\r\n%s", truncated, len(block), block)
			err := checked([]byte(rec), Location{Digest: digest})
			if bad := hashed == "something else" && truncated == ""; bad != (err != nil) {
				t.Errorf("digest of %q, %q: %v", hashed, truncated, err)
			}
		}
	}
}

// checked checks stored bytes as the span of a location.
func checked(stored []byte, l Location) error {
	l.Filename, l.Length = "x.warc", int64(len(stored))
	s := newSpan(l, nil)
	s.data = stored
	_, err := s.check(context.Background(), smallBlock)
	return err
}

func TestMembersThatHoldSeveralRecords(t *testing.T) {
	request := bytes.Replace(response("http://a/1", []byte("GET /1 HTTP/1.1\r\n\r\n")), []byte("response"), []byte("request"), 1)
	one, two := response("http://a/1", page("", "one")), response("http://a/2", page("", "two"))
	m := member(request, []byte(blank), one, []byte(blank), two, []byte(blank))
	a := new(archived)
	a.add("", m, len(m))
	f := newFetcher(t, serve(t, a.data, honest).URL)
	at := Location{Filename: name, Length: int64(len(m))}
	tests := []struct {
		row  Location
		want string // the line, by number, or in the error
	}{
		{Location{URL: "http://a/2"}, "2"},
		{Location{URL: "http://a/1", Type: "response"}, "1"},
		{Location{URL: "http://a/1", Type: "request"}, "0"},
		{Location{RecordID: "urn:id:http://a/2"}, "2"},
		{Location{URL: "http://a/1"}, "nothing tells which is meant"},
		{Location{}, "nothing tells which is meant"},
		{Location{URL: "http://a/3"}, "none of the 3 records in the span"},
	}
	for _, tt := range tests {
		tt.row.Filename, tt.row.Length = at.Filename, at.Length
		got := f.do(t, tt.row)
		if len(tt.want) > 1 {
			if len(got.failures) != 1 || !strings.Contains(got.failures[0], tt.want) {
				t.Errorf("%+v: %q", tt.row, got.failures)
			}
			continue
		}
		if want := lines(t, m)[tt.want[0]-'0']; got.out != want {
			t.Errorf("%+v: %s, want %s: %q", tt.row, got.out, want, got.failures)
		}
	}
}

// A plain archive's spans end with the block. Raw records need blank lines to be one.
func TestPlainArchive(t *testing.T) {
	a := new(archived)
	for i := range 3 {
		rec := response(fmt.Sprint("http://a/", i), page("", fmt.Sprint("body ", i)))
		a.add(fmt.Sprint("http://a/", i), append(rec, blank...), len(rec))
	}
	f := newFetcher(t, serve(t, a.data, honest).URL)
	if got := f.do(t, a.rows...); got.out != strings.Join(lines(t, a.data), "") {
		t.Errorf("%s: %q", got.out, got.failures)
	}
	f.Format = Raw
	if got := f.do(t, a.rows...); got.out != string(a.data) {
		t.Errorf("%s: %q", got.out, got.failures)
	}
	a.rows[0].Length += int64(len(blank))
	if got := f.do(t, a.rows...); got.Failed != 1 {
		t.Errorf("blank lines count as a part of the record: %v", got.failures)
	}
}

// Frames are read with the dictionary of their archive, where it has one.
func TestZstdArchive(t *testing.T) {
	var samples [][]byte
	for i := range 100 {
		samples = append(samples, response(fmt.Sprint("http://sample/", i), page("", noise(uint64(i), 40))))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: samples[50], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	for _, options := range [][]zstd.EOption{nil, {zstd.WithEncoderDict(dict)}} {
		enc, err := zstd.NewWriter(nil, options...)
		if err != nil {
			t.Fatal(err)
		}
		a := new(archived)
		if options != nil {
			a.data = append([]byte{0x5d, 0x2a, 0x4d, 0x18, byte(len(dict)), byte(len(dict) >> 8), 0, 0}, dict...)
		}
		for i := range 3 {
			frame := enc.EncodeAll(append(response(fmt.Sprint("http://a/", i), page("", "body")), blank...), nil)
			a.add(fmt.Sprint("http://a/", i), frame, len(frame))
		}
		f := newFetcher(t, serve(t, a.data, honest).URL)
		if got := f.do(t, a.rows...); got.out != strings.Join(lines(t, a.data), "") {
			t.Errorf("dictionary %v: %s: %q", options != nil, got.out, got.failures)
		}
		f.Format = Raw
		got := f.do(t, a.rows...)
		if options == nil && got.out != string(a.data) || options != nil && got.Failed != 3 {
			t.Errorf("dictionary %v, raw: %d bytes, %q", options != nil, len(got.out), got.failures)
		}
	}
}

func TestLocalFiles(t *testing.T) {
	a := pages(3)
	folder := t.TempDir()
	file := filepath.Join(folder, filepath.FromSlash(name))
	os.MkdirAll(filepath.Dir(file), 0o777)
	if err := os.WriteFile(file, a.data, 0o666); err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, folder)
	if got := f.do(t, a.rows...); got.out != strings.Join(lines(t, a.data), "") {
		t.Errorf("below a folder: %q", got.failures)
	}
	for i := range a.rows {
		a.rows[i].Filename = file
	}
	if got := f.do(t, a.rows...); got.out != strings.Join(lines(t, a.data), "") {
		t.Errorf("by its path: %q", got.failures)
	}
}

// Where members do not end with records, a span may hold parts of others. What is
// written is right, or the record is named: never another one, or a part.
func TestMembersThatDoNotEndWithRecords(t *testing.T) {
	var plain []byte
	for i := range 12 {
		plain = append(append(plain, response(fmt.Sprint("http://a/", i), page("", strings.Repeat("text ", 50*i)))...), blank...)
	}
	for _, size := range []int{100, 700, 1500, 4000} {
		a := new(archived)
		for chunk := range slices.Chunk(plain, size) {
			a.data = append(a.data, member(chunk)...)
		}
		f := newFetcher(t, serve(t, a.data, honest).URL)
		written := 0
		for _, line := range lines(t, a.data) {
			row, err := ParseLocation([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			got := f.do(t, row)
			if written += int(got.Records); got.Records > 0 && got.out != line {
				t.Errorf("members of %d bytes: %s is not %s", size, got.out, line)
			}
		}
		if t.Logf("members of %d bytes: %d of 12 records", size, written); written == 0 {
			t.Error("no record")
		}
	}
}
