package main

import (
	"bufio"
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/scripttest"
	"github.com/open-index/ccnews/lib/shard"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"shard-stats": main, "mkshard": mkshard})
}

func TestScripts(t *testing.T) { scripttest.Run(t) }

// mkshard makes the shard that its argument names of the rows on stdin.
func mkshard() {
	b := shard.NewBuilder(0)
	var end *jsonl.End
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var err error
		if end, _, err = jsonl.Control(in.Bytes()); err == nil && end == nil {
			var row ccindex.Row
			if row, err = ccindex.ParseRow(in.Bytes()); err == nil {
				err = b.Add(&row)
			}
		}
		check(err)
	}
	f, err := os.Create(os.Args[1])
	check(err)
	_, err = b.Write(context.Background(), f, end, nil)
	check(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
