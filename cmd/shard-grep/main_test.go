package main

import (
	"bufio"
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/shard"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"shard-grep": main, "mkshard": mkshard})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true})
}

// mkshard makes the shard that its argument names of the rows on stdin.
func mkshard() {
	b := shard.NewBuilder(0)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		row, err := ccindex.ParseRow(in.Bytes())
		if err == nil {
			err = b.Add(&row)
		}
		check(err)
	}
	f, err := os.Create(os.Args[1])
	check(err)
	_, err = b.Write(context.Background(), f, nil, nil)
	check(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
