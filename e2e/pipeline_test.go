package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/sharedtest"
)

// truth is what an independent reader says of a row.
type truth struct {
	Offset    int64   `json:"warc_record_offset"`
	Length    int64   `json:"warc_record_length"`
	URL       string  `json:"url"`
	Time      string  `json:"fetch_time"`
	Digest    *string `json:"content_digest"`
	Bytes     int64   `json:"content_length"`
	Truncated *string `json:"content_truncated"`
}

func newsTruth(t *testing.T) []truth {
	var all []truth
	for line := range bytes.Lines(readFile(t, sharedtest.Path(t, "corpus", "news", newsName+".truth.jsonl"))) {
		var row truth
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

// The line at the top of the README, word for word but for the server.
func TestTheMainPipeline(t *testing.T) {
	dir, url := t.TempDir(), serve(t)
	curl := "curl -s " + url + "/crawl-data/CC-NEWS/2026/07/" + newsName + ".warc.gz | "
	must(t, dir, curl+"warc-records | record-index | jsonl2parquet > x.parquet")

	var got []truth
	rows := lines(t, must(t, dir, curl+"warc-records | record-index"))
	for _, line := range rows {
		row, err := ccindex.ParseRow([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, truth{
			Offset: row.WARCRecordOffset, Length: row.WARCRecordLength, URL: row.URL,
			Time: string(jsonl.AppendTime(nil, row.FetchTime)), Digest: row.ContentDigest,
			Bytes: row.ContentLength, Truncated: row.ContentTruncated,
		})
	}
	if diff := cmp.Diff(newsTruth(t), got); diff != "" {
		t.Errorf("-truth +got\n%s", diff)
	}
	if len(got) != 384 {
		t.Errorf("%d rows", len(got))
	}

	// The same bytes again, on one core and on many, from a file and from a URL.
	shard := readFile(t, dir, "x.parquet")
	for _, again := range []string{
		curl + "warc-records | record-index | jsonl2parquet",
		curl + "warc-records -j1 | record-index -j1 | jsonl2parquet",
		curl + "warc-records -j8 | record-index -j8 | jsonl2parquet",
		"warc-records -j8 '" + newsArchive(t) + "' | record-index | jsonl2parquet",
		"warc-records --max-body 1M < '" + newsArchive(t) + "' | record-index | jsonl2parquet",
	} {
		if out := must(t, dir, again); out != string(shard) {
			t.Errorf("%s: %d bytes differ from the %d of the first run", again, len(out), len(shard))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.jsonl"), []byte(must(t, dir, curl+"warc-records | record-index")), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := must(t, dir, "jsonl2parquet --require-end -o y.parquet < rows.jsonl && cmp x.parquet y.parquet && ls"); out != "rows.jsonl\nx.parquet\ny.parquet\n" {
		t.Errorf("the folder holds %s", out)
	}
}

// A body prefix of ccindex.BodyPrefix is enough: whole bodies give the same rows.
func TestBodyPrefixChangesNoRow(t *testing.T) {
	whole := must(t, ".", "warc-records --max-body 40M '"+newsArchive(t)+"' | record-index")
	prefix := must(t, ".", "warc-records --max-body 1M '"+newsArchive(t)+"' | record-index")
	if whole != prefix {
		t.Error("rows differ")
	}
	_, errOut, status := shell(t, ".", "warc-records --max-body 600K '"+newsArchive(t)+"' | record-index > /dev/null")
	if status != 1 || !bytes.Contains([]byte(errOut), []byte("body is missing or was cut too early")) {
		t.Errorf("a shorter prefix: status %d, %s", status, errOut)
	}
}

func TestRowsPipeIntoShardGrep(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "warc-records '"+newsArchive(t)+"' | record-index | tee rows.jsonl | jsonl2parquet -o x.parquet")
	for _, host := range []string{"example.org", "www.example.org", "rbb24.de"} {
		found := must(t, dir, "shard-grep -q "+host+" x.parquet; shard-grep "+host+" x.parquet")
		want := must(t, dir, "head -n -1 rows.jsonl | jq -c 'select((.url_host_name == \""+host+"\") or ((.url_host_name // \"\") | endswith(\"."+host+"\")))'")
		if sortLines(found) != sortLines(want) || found == "" {
			t.Errorf("%s: %d lines, want %d", host, len(lines(t, found)), len(lines(t, want)))
		}
	}
	if out, _, status := shell(t, dir, "shard-grep ample.org x.parquet"); status != 1 || out != "" {
		t.Errorf("a host that is none: status %d, %q", status, out)
	}
}
