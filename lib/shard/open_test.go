package shard

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/table"
)

// ccRow is a row of Common Crawl's URL index with its types, and another
// column before ours.
type ccRow struct {
	Extra                   []string `parquet:"extra,list"`
	URLSurtkey              string   `parquet:"url_surtkey"`
	URL                     string   `parquet:"url"`
	URLHostName             string   `parquet:"url_host_name"`
	URLHostTLD              *string  `parquet:"url_host_tld,optional,dict"`
	URLHostRegisteredDomain *string  `parquet:"url_host_registered_domain,optional,dict"`
	URLProtocol             string   `parquet:"url_protocol,dict"`
	FetchTime               int64    `parquet:"fetch_time,timestamp"`
	FetchStatus             int16    `parquet:"fetch_status"`
	FetchRedirect           *string  `parquet:"fetch_redirect,optional"`
	ContentDigest           *string  `parquet:"content_digest,optional"`
	ContentMIMEType         *string  `parquet:"content_mime_type,optional"`
	ContentMIMEDetected     *string  `parquet:"content_mime_detected,optional"`
	ContentCharset          *string  `parquet:"content_charset,optional"`
	ContentLanguages        *string  `parquet:"content_languages,optional"`
	ContentTruncated        *string  `parquet:"content_truncated,optional"`
	WARCFilename            string   `parquet:"warc_filename,dict"`
	WARCRecordOffset        int32    `parquet:"warc_record_offset"`
	WARCRecordLength        int32    `parquet:"warc_record_length"`
}

func ccRowOf(r *ccindex.Row) ccRow {
	return ccRow{
		[]string{"a", "b"}, r.URLSurtkey, r.URL, *r.URLHostName, r.URLHostTLD, r.URLHostRegisteredDomain, *r.URLProtocol,
		r.FetchTime, int16(r.FetchStatus), r.FetchRedirect, r.ContentDigest, &r.ContentMIMEType, r.ContentMIMEDetected,
		r.ContentCharset, r.ContentLanguages, r.ContentTruncated, r.WARCFilename, int32(r.WARCRecordOffset), int32(r.WARCRecordLength),
	}
}

// ccShard is a file as cc-index has them: version 1 pages, gzip, 18 columns.
func ccShard(t testing.TB, rows []ccindex.Row) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[ccRow](&out, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip), parquet.MaxRowsPerRowGroup(700))
	for i := range rows {
		if _, err := w.Write([]ccRow{ccRowOf(&rows[i])}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestShardOfCommonCrawl(t *testing.T) {
	rows := newsRows(1500, 3)
	got := all(t, open(t, ccShard(t, rows)))
	for i := range rows {
		want := rows[i] // what is not in those 18 columns is not known
		want.ContentLanguageConfidence, want.ContentLanguageDeclared, want.ContentLength, want.WARCRecordID = nil, nil, -1, nil
		if diff := gocmp.Diff(want, got[i]); diff != "" {
			t.Fatal(diff)
		}
	}
}

// foreignRow has "" where others have null, and times in microseconds.
type foreignRow struct {
	ContentLanguages          string  `parquet:"content_languages"`
	ContentTruncated          string  `parquet:"content_truncated"`
	WARCRecordID              string  `parquet:"warc_record_id"`
	ContentLanguageConfidence float32 `parquet:"content_language_confidence"`
	ContentLanguageDeclared   string  `parquet:"content_language_declared"`
	ContentLength             int64   `parquet:"content_length"`
	URLSurtkey                string  `parquet:"url_surtkey"`
	URL                       string  `parquet:"url"`
	URLHostName               string  `parquet:"url_host_name"`
	URLHostTLD                string  `parquet:"url_host_tld"`
	URLHostRegisteredDomain   string  `parquet:"url_host_registered_domain"`
	URLProtocol               string  `parquet:"url_protocol"`
	FetchTime                 int64   `parquet:"fetch_time,timestamp(microsecond:local)"`
	FetchStatus               int64   `parquet:"fetch_status"`
	FetchRedirect             string  `parquet:"fetch_redirect"`
	ContentDigest             string  `parquet:"content_digest"`
	ContentMIMEType           string  `parquet:"content_mime_type"`
	ContentMIMEDetected       string  `parquet:"content_mime_detected"`
	ContentCharset            string  `parquet:"content_charset"`
	WARCFilename              string  `parquet:"warc_filename"`
	WARCRecordOffset          int64   `parquet:"warc_record_offset"`
	WARCRecordLength          int64   `parquet:"warc_record_length"`
}

func foreignShard(t testing.TB, rows []ccindex.Row) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[foreignRow](&out)
	for _, r := range rows {
		f := foreignRow{
			text(r.ContentLanguages), text(r.ContentTruncated), text(r.WARCRecordID), 0.5, text(r.ContentLanguageDeclared), r.ContentLength,
			r.URLSurtkey, r.URL, text(r.URLHostName), text(r.URLHostTLD), text(r.URLHostRegisteredDomain), text(r.URLProtocol),
			r.FetchTime * 1000, int64(r.FetchStatus), text(r.FetchRedirect), text(r.ContentDigest), r.ContentMIMEType,
			text(r.ContentMIMEDetected), text(r.ContentCharset), r.WARCFilename, r.WARCRecordOffset, r.WARCRecordLength,
		}
		if _, err := w.Write([]foreignRow{f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestForeignShard(t *testing.T) {
	rows := newsRows(500, 4)
	got := all(t, open(t, foreignShard(t, rows)))
	for i := range rows {
		want := rows[i]
		want.ContentLanguageConfidence = ref(0.5)
		if diff := gocmp.Diff(want, got[i]); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestShardsOfDuckDB reads what DuckDB 1.5 made of a shard of ours:
//
//	COPY (SELECT * FROM 'small.parquet') TO 'duckdb-v1.parquet' (FORMAT parquet)
//	COPY (SELECT * FROM 'small.parquet') TO 'duckdb-v2.parquet' (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd)
func TestShardsOfDuckDB(t *testing.T) {
	want, err := os.ReadFile("testdata/duckdb.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"testdata/duckdb-v1.parquet", "testdata/duckdb-v2.parquet"} {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, row := range all(t, open(t, file)) {
			got = append(row.AppendJSON(got), '\n')
		}
		if diff := gocmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFilesThatAreNoShard(t *testing.T) {
	rows := newsRows(10, 1)
	good := build(t, rows, 0)
	lying := NewBuilder(0)
	lying.tally.Rows = 7
	var liar buffer
	lying.Write(t.Context(), &liar, nil, nil)
	for what, test := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":       {nil, "x.parquet: not a Parquet file: it has 0 bytes"},
		"text":          {[]byte(strings.Repeat("not Parquet ", 10)), "x.parquet: not a whole Parquet file: it does not end in PAR1"},
		"cut":           {good[:len(good)-1], "x.parquet: not a whole Parquet file: it does not end in PAR1"},
		"another table": {other(t, map[string]table.Kind{"a": table.Text}), "x.parquet: not an index: it has no column url_surtkey, url, "},
		"another type":  {other(t, everyColumn(table.Text)), "x.parquet: column fetch_time has another type than in an index"},
		"no time":       {other(t, everyColumn(table.Int64)), "x.parquet: column fetch_time is no timestamp"},
		"another count": {liar.Bytes(), "x.parquet: has 0 rows, but says it has 7"},
	} {
		_, err := Open(bytes.NewReader(test.file), int64(len(test.file)), "x.parquet")
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", what, err, test.want)
		}
	}
}

// everyColumn has all columns of an index, the time as the kind given.
func everyColumn(time table.Kind) map[string]table.Kind {
	kinds := map[string]table.Kind{}
	for _, c := range layout.Columns {
		kinds[c.Name] = c.Kind
	}
	kinds["fetch_time"] = time
	return kinds
}

// other is an empty table.
func other(t testing.TB, kinds map[string]table.Kind) []byte {
	t.Helper()
	var columns []table.Column
	for name, kind := range kinds {
		columns = append(columns, table.Column{Name: name, Kind: kind, Optional: true})
	}
	slices.SortFunc(columns, func(a, b table.Column) int { return cmp.Compare(a.Name, b.Name) })
	var out buffer
	if err := table.NewWriter(&out, table.Layout{Columns: columns, GroupRows: 10, PageBytes: 1000}).Close(nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readAll opens a file and reads all that is in it.
func readAll(file []byte) (rows []ccindex.Row, err error) {
	s, err := Open(bytes.NewReader(file), int64(len(file)), "x.parquet")
	if err != nil {
		return nil, err
	}
	for row, err := range s.Rows() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	for _, err := range s.Find(Host(Pattern{Host: "www.bbc.co.uk", Exact: true}), ccindex.SelectAll()) {
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// TestFlippedBits reads damaged shards: the rows are right, all of them or those
// before an error. 6,000 flips under TORTURE, else a tenth. Flips in statistics, page indexes and filters are not noticed; only
// those in filters could cost a row, of a search for a host alone.
func TestFlippedBits(t *testing.T) {
	rows := newsRows(100, 1)
	rnd := rand.New(rand.NewPCG(1, 1))
	flips := 200
	if os.Getenv("TORTURE") != "" {
		flips = 2000
	}
	for name, file := range map[string][]byte{"ours": build(t, rows, 0), "cc-index": ccShard(t, rows), "foreign": foreignShard(t, rows)} {
		noticed, want := 0, all(t, open(t, file))
		for range flips {
			bit := rnd.IntN(8 * len(file))
			damaged := bytes.Clone(file)
			damaged[bit/8] ^= 1 << (bit % 8)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := readAll(damaged)
			runtime.ReadMemStats(&after)
			switch {
			case err != nil && !strings.HasPrefix(err.Error(), "x.parquet: "):
				t.Errorf("%s: bit %d: %v", name, bit, err)
			case err == nil && !gocmp.Equal(got, want):
				t.Errorf("%s: bit %d: other rows and no error", name, bit)
			case len(got) > len(want) || len(got) > 0 && !gocmp.Equal(got, want[:len(got)]):
				t.Errorf("%s: bit %d: other rows before %v", name, bit, err)
			case err != nil:
				noticed++
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 150<<20 {
				t.Errorf("%s: bit %d: %d bytes allocated", name, bit, used)
			}
		}
		t.Logf("%s: %d bytes, %d of %d flips noticed", name, len(file), noticed, flips)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	file := build(t, newsRows(5000, 1), 0)
	copy(file[len(file)/5:], make([]byte, 2000))
	_, err := readAll(file)
	where := regexp.MustCompile(`^x\.parquet: row group 0: column url: page before byte [0-9]+: checksum does not match$`)
	if err == nil || !where.MatchString(err.Error()) {
		t.Error(err)
	}
}

func FuzzOpenNeverPanics(f *testing.F) {
	rows := newsRows(5, 1)
	f.Add(build(f, rows, 0))
	f.Add(ccShard(f, rows))
	f.Add(foreignShard(f, rows))
	f.Fuzz(func(t *testing.T, file []byte) { readAll(file) })
}

func BenchmarkRows(b *testing.B) {
	rows := newsRows(30000, 1)
	file := build(b, rows, 0)
	b.ReportAllocs()
	for b.Loop() {
		all(b, open(b, file))
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
