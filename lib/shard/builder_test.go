package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/jsonl"
)

// buffer is a file in memory.
type buffer struct{ bytes.Buffer }

func (b *buffer) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(b.Bytes()).ReadAt(p, off)
}

// build makes a shard of rows, sorted in about memory bytes.
func build(t testing.TB, rows []ccindex.Row, memory int) []byte {
	t.Helper()
	b := NewBuilder(memory)
	defer b.Close()
	for i := range rows {
		if err := b.Add(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	var out buffer
	n := int64(len(rows))
	if _, err := b.Write(context.Background(), &out, &jsonl.End{WARCFilename: archive, Bytes: 1e9, Rows: &n}, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t testing.TB, file []byte) *Shard {
	t.Helper()
	s, err := Open(bytes.NewReader(file), int64(len(file)), "test.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all reads a whole shard.
func all(t testing.TB, s *Shard) []ccindex.Row {
	t.Helper()
	var rows []ccindex.Row
	for row, err := range s.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestColumnsAreThoseOfRows(t *testing.T) {
	var names []string
	for _, c := range layout.Columns {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff(ccindex.Columns[:], names); diff != "" {
		t.Error(diff)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 2000, 100_000} {
		if testing.Short() && n > 2000 {
			continue
		}
		rows := newsRows(n, 1)
		want := map[int64]*ccindex.Row{}
		for i := range rows {
			want[rows[i].WARCRecordOffset] = &rows[i]
		}
		got := all(t, open(t, build(t, rows, 0)))
		if len(got) != n {
			t.Fatalf("%d rows, want %d", len(got), n)
		}
		for i := range got {
			if i > 0 && got[i].URLSurtkey < got[i-1].URLSurtkey {
				t.Fatalf("%q after %q", got[i].URLSurtkey, got[i-1].URLSurtkey)
			}
			if w := want[got[i].WARCRecordOffset]; n <= 2000 && !cmp.Equal(*w, got[i]) {
				t.Fatal(cmp.Diff(*w, got[i]))
			}
		}
	}
}

func TestRowsWithoutAnythingOptional(t *testing.T) {
	rows := []ccindex.Row{{URLSurtkey: "a)/", URL: "http://a/", ContentMIMEType: "unk", WARCFilename: archive, FetchStatus: -1}}
	rows = append(rows, rows[0], ccindex.Row{URLHostName: ref(""), FetchRedirect: ref(""), ContentLanguageConfidence: ref(0.0)})
	got := all(t, open(t, build(t, rows, 0)))
	if diff := cmp.Diff([]ccindex.Row{rows[2], rows[0], rows[1]}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSameRowsSameBytes(t *testing.T) {
	rows := newsRows(10000, 2)
	want := build(t, rows, 0)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if !bytes.Equal(build(t, rows, 0), want) {
		t.Error("shuffled rows give other bytes")
	}
	if !bytes.Equal(build(t, rows, 1<<20), want) {
		t.Error("spilled rows give other bytes")
	}
}

func TestOrder(t *testing.T) {
	row := func(key string, time, offset int64, url string) ccindex.Row {
		return ccindex.Row{URLSurtkey: key, FetchTime: time, WARCRecordOffset: offset, URL: url}
	}
	rows := []ccindex.Row{
		row("b", 2, 1, "6"), row("b", 1, 9, "4"), row("b", 1, 9, "5"), row("b", 1, 8, "3"),
		row("a\x00", 0, 0, "2"), row("a", -5, 7, "1"), row("b!", -9, 0, "7"), row("", 5, 5, "0"),
	}
	for _, memory := range []int{0, 1} {
		urls := ""
		for _, r := range all(t, open(t, build(t, rows, memory))) {
			urls += r.URL
		}
		if urls != "01234567" {
			t.Errorf("order %s", urls)
		}
	}
}

// TestLayout checks with another reader that the file is as doc/shard.md says.
func TestLayout(t *testing.T) {
	file := build(t, newsRows(30000, 1), 0)
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	data := int64(0) // where the last page ends
	for i, group := range f.Metadata().RowGroups {
		if want := min(3072, 30000-int64(i)*3072); group.NumRows != want {
			t.Errorf("row group %d has %d rows, want %d", i, group.NumRows, want)
		}
		var by []string
		for _, c := range group.SortingColumns {
			by = append(by, ccindex.Columns[c.ColumnIdx])
		}
		if diff := cmp.Diff(layout.SortedBy, by); diff != "" {
			t.Error(diff)
		}
		for _, c := range group.Columns {
			if c.MetaData.Codec != format.Zstd {
				t.Errorf("%s is compressed with %s", c.MetaData.PathInSchema, c.MetaData.Codec)
			}
			data = max(data, c.MetaData.DataPageOffset+c.MetaData.TotalCompressedSize)
		}
	}
	for i, group := range f.Metadata().RowGroups {
		for _, c := range group.Columns {
			name, at := c.MetaData.PathInSchema[0], c.MetaData.BloomFilterOffset
			if want := name == "url_host_name" || name == "url_host_registered_domain"; (at > 0) != want || want && at < data {
				t.Errorf("row group %d: filter of %s at %d, data end at %d", i, name, at, data)
			}
		}
	}
	if tail := int64(len(file)) - data; tail > 64<<10 {
		t.Errorf("filters, indexes and footer take %d bytes", tail)
	}
	t.Logf("%d bytes, of which %d are the tail", len(file), int64(len(file))-data)
}

func TestIndex(t *testing.T) {
	rows := newsRows(3, 5)
	for i := range rows { // as few and simple as can be read in a test
		rows[i].ContentMIMEDetected, rows[i].ContentLanguages, rows[i].FetchStatus = ref("text/html"), ref("eng,hin"), 200
	}
	rows[1].ContentMIMEDetected, rows[1].ContentLanguages, rows[1].FetchStatus = nil, nil, -1
	rows[0].FetchTime, rows[1].FetchTime, rows[2].FetchTime = 1782871501000, 1782863999250, 1782950400000
	end := &jsonl.End{WARCFilename: archive, Bytes: 100, Members: 5, Records: 5, Responses: 4, Damaged: 1}
	counts := `"by_day":{"2026-06-30":1,"2026-07-01":1,"2026-07-02":1},"by_language":{"":1,"eng":2},"by_mime":{"":1,"text/html":2},"by_status":{"-1":1,"200":2}`
	times := `"first_fetch":"2026-06-30T23:59:59.250Z","index_version":` + fmt.Sprint(ccindex.IndexVersion) + `,"last_fetch":"2026-07-02T00:00:00Z"`
	registries := `,"registries":["co.uk","com","fr"]`
	name := `,"surt_regular":true,"warc_filename":"` + archive + `"}`
	whole := `{` + counts + `,"bytes":100,"complete":true,"damaged":1,` + times + `,"members":5,"records":5` + registries + `,"responses":4,"rows":3` + name
	filtered := *end
	filtered.Filtered = true
	for _, test := range []struct {
		what string
		end  *jsonl.End
		want string
	}{
		{"whole", end, whole},
		{"filtered", &filtered, strings.Replace(whole, `"complete":true`, `"complete":false`, 1)},
		{"cut", nil, `{` + counts + `,"complete":false,` + times + registries + `,"rows":3` + name},
	} {
		tally := newTally()
		for i := range rows {
			tally.add(&rows[i])
		}
		if diff := cmp.Diff(test.want, tally.index(test.end).encode()); diff != "" {
			t.Errorf("%s: %s", test.what, diff)
		}
	}
	empty := newTally().index(nil).encode()
	if want := `{"by_day":{},"by_language":{},"by_mime":{},"by_status":{},"complete":false,"index_version":` + fmt.Sprint(ccindex.IndexVersion) + `,"registries":[],"rows":0,"surt_regular":true}`; empty != want {
		t.Errorf("no rows: %s", empty)
	}
	rows[1].WARCFilename = "another"
	tally := newTally()
	for i := range rows {
		tally.add(&rows[i])
	}
	if x := tally.index(nil); x.WARCFilename != "" {
		t.Errorf("rows of two archives are said to be of %s", x.WARCFilename)
	}
}

func TestRegularKeys(t *testing.T) {
	for _, test := range []struct {
		key, host string
		want      bool
	}{
		{"uk,co,bbc)/news", "bbc.co.uk", true},
		{"uk,co,bbc)/news", "www.bbc.co.uk", true},
		{"uk,co,bbc)/news", "www2.bbc.co.uk", true},
		{"uk,co,bbc:8080)/", "bbc.co.uk", true},
		{"uk,co,bbc,news)/", "news.bbc.co.uk", true},
		{"uk,co,bbc,news)/", "bbc.co.uk", false},
		{"uk,co,bbc)/", "news.bbc.co.uk", false},
		{"uk,co,bbcd)/", "bbc.co.uk", false},
		{"com)/", "www.com", true},
		{"4,3,2,1)/", "1.2.3.4", true},
		{"http://bbc.co.uk:x/", "bbc.co.uk", false},
		{"uk,co,bbc", "bbc.co.uk", false},
		{"com,google)/", "", true},
	} {
		row := ccindex.Row{URLSurtkey: test.key}
		if test.host != "" {
			row.URLHostName = &test.host
		}
		if got := isRegular(&row); got != test.want {
			t.Errorf("%s of %s is regular: %v", test.key, test.host, got)
		}
	}
}

func TestWriteFails(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("SKIPPED, NOT TESTED: no full disk: %v", err)
	}
	rows := newsRows(100, 1)
	b := NewBuilder(0)
	for i := range rows {
		b.Add(&rows[i])
	}
	if _, err := b.Write(t.Context(), full, nil, nil); err == nil {
		t.Error("a full disk gives no error")
	}
	b = NewBuilder(0)
	for i := range rows {
		b.Add(&rows[i])
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Write(ended, new(buffer), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func BenchmarkBuild(b *testing.B) {
	rows := newsRows(30000, 1)
	b.ReportAllocs()
	for b.Loop() {
		build(b, rows, 0)
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
