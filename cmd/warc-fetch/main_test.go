package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/lang"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/scripttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"warc-fetch": main, "sample": sample})
}

func TestScripts(t *testing.T) { scripttest.Run(t) }

// sample puts the sample archive below the folder base, as Common Crawl has its own,
// its records into records.jsonl and its index rows into rows.jsonl.
func sample() {
	_, here, _, _ := runtime.Caller(0)
	const archive = "CC-NEWS-20260701000000-00001.warc.gz"
	data, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../testdata", archive))
	check(err)
	name := record.ArchiveName(archive)
	check(os.MkdirAll(filepath.Join("base", filepath.Dir(name)), 0o777))
	check(os.WriteFile(filepath.Join("base", name), data, 0o666))

	var records, rows bytes.Buffer
	out := jsonl.NewWriter(&records)
	split := record.Splitter{Jobs: 1, Filename: name, MaxBody: record.DefaultMaxBody, Size: int64(len(data))}
	_, err = split.Run(context.Background(), bytes.NewReader(data), out)
	check(err)
	check(out.Flush())
	for line := range bytes.Lines(records.Bytes()) {
		r, err := record.Parse(line, record.MaxBody)
		check(err)
		if !ccindex.HasRow(r) {
			continue
		}
		row, err := (&ccindex.Builder{Languages: lang.Classifier{}}).Row(r)
		check(err)
		rows.Write(append(row.AppendJSON(nil), '\n'))
	}
	check(os.WriteFile("records.jsonl", records.Bytes(), 0o666))
	check(os.WriteFile("rows.jsonl", rows.Bytes(), 0o666))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
