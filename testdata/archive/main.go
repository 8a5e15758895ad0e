// Archive writes the sample archive of the tests, the examples and the demo to
// stdout, with the same bytes every time:
//
//	go run ./testdata/archive > testdata/CC-NEWS-20260701000000-00001.warc.gz
//
// It is shaped as Common Crawl's news archives are: a warcinfo record, then a
// request and a response per page, one gzip member each. The pages are our own:
// the articles in pages/ were written for this project, and what they report
// never happened. odd.go adds what else a reader has to get right.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

const archiveName = "CC-NEWS-20260701000000-00001.warc.gz"

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := write(&archive{out: out})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

func write(a *archive) error {
	opened := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	pages, err := readPages()
	if err != nil {
		return err
	}
	a.info(opened)
	for i, exchange := range append(pages, odd(pages)...) {
		// A crawler fetches from many hosts at once: dates mostly rise, and some are equal.
		a.exchange(exchange, i, opened.Add(time.Duration(i*7/3)*time.Second))
	}
	return a.err
}
