package fetch

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/sharedtest"
)

const newsArchive = "CC-NEWS-20260701022501-08467"

// news is the corpus archive, what warc-records writes of it, and the places of its
// responses with their URLs and digests, as the corpus tells them.
func news(t *testing.T) (data, records []byte, rows []Location) {
	data, err := os.ReadFile(sharedtest.Path(t, "corpus", "news", newsArchive+".warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	truth, err := os.ReadFile(sharedtest.Path(t, "corpus", "news", newsArchive+".truth.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	archive := record.ArchiveName(newsArchive + ".warc.gz")
	var out bytes.Buffer
	out.Grow(8 * len(data))
	w := jsonl.NewWriter(&out)
	split := record.Splitter{Jobs: 2, Filename: archive, MaxBody: record.DefaultMaxBody, Size: int64(len(data))}
	if _, err := split.Run(t.Context(), bytes.NewReader(data), w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	truth = bytes.ReplaceAll(truth, []byte(`{"warc_record_offset"`), []byte(`{"warc_filename":"`+archive+`","warc_record_offset"`))
	return data, out.Bytes(), locations(t, truth)
}

func locations(t *testing.T, lines []byte) (rows []Location) {
	for row, err := range Locations(bytes.NewReader(lines)) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestNewsArchive(t *testing.T) {
	data, records, rows := news(t)
	if len(rows) != 384 || rows[0].Digest == "" {
		t.Fatalf("%d rows", len(rows))
	}
	s := serve(t, data, honest)
	f := newFetcher(t, s.URL)
	var want strings.Builder
	for line := range bytes.Lines(records) {
		if bytes.HasPrefix(line, []byte(`{"type":"response"`)) {
			want.Write(line)
		}
	}
	if got := f.do(t, rows...); got.out != want.String() {
		t.Errorf("%d records are not those of warc-records: %q", got.Records, got.failures)
	}
	t.Logf("%d rows: %d requests, %d bytes of %d", len(rows), s.requests(), f.Files.Stats().Bytes, len(data))
	if s.requests() > 8 {
		t.Errorf("%d requests for one archive in order", s.requests())
	}

	f.Format = TextLines
	for i, line := range strings.SplitAfter(f.do(t, rows...).out, "\n")[:len(rows)] {
		var got struct{ URL, Text string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.URL != rows[i].URL || got.Text == "" {
			t.Errorf("%s has no text: %.300s %v", rows[i].URL, line, err)
		}
	}

	f.Format = Raw
	if got := f.do(t, locations(t, records)...); got.out != string(data) {
		t.Errorf("%d bytes in %d records are not the archive: %q", len(got.out), got.Records, got.failures)
	}
}
