package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"jsonl2parquet": main, "show": show})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true})
}

// show prints a Parquet file as parquet-go's own reader sees it: the schema,
// the footer's keys, the rows.
func show() {
	b, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	f, err := parquet.OpenFile(strings.NewReader(string(b)), int64(len(b)))
	if err != nil {
		panic(err)
	}
	fmt.Println(f.NumRows(), "rows in", len(f.RowGroups()), "groups by", f.Metadata().CreatedBy)
	for _, c := range f.Root().Columns() {
		need := "required"
		if c.Optional() {
			need = "optional"
		}
		fmt.Println("column", c.Name(), need, c.Type())
	}
	for _, kv := range f.Metadata().KeyValueMetadata {
		fmt.Println("meta", kv.Key, kv.Value)
	}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		buf := make([]parquet.Row, 100)
		for n := 1; n > 0; {
			n, _ = rows.ReadRows(buf)
			for _, row := range buf[:n] {
				fmt.Println("row", strings.Join(slices.Collect(cells(row)), " | "))
			}
		}
	}
}

func cells(row parquet.Row) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range row {
			if !yield(fmt.Sprint(v)) {
				return
			}
		}
	}
}
