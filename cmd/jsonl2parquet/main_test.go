package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/scripttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"jsonl2parquet": main, "show": show})
}

func TestScripts(t *testing.T) {
	scripttest.Run(t)
}

func TestUsageHasEveryFlag(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(command).Flags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(usage, " --"+f.Name) {
			t.Errorf("usage.txt does not have --%s", f.Name)
		}
	})
	for _, name := range flagNames {
		if flags.Lookup(name) == nil {
			t.Errorf("flagNames has %s, which is no flag", name)
		}
	}
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
	layout(f)
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

// layout prints what the first row group is sorted by and has filters on.
func layout(f *parquet.File) {
	if len(f.RowGroups()) == 0 {
		return
	}
	first := f.RowGroups()[0]
	for _, by := range first.SortingColumns() {
		fmt.Println("sorted by", by)
	}
	for i, chunk := range first.ColumnChunks() {
		if chunk.BloomFilter() != nil {
			fmt.Println("filter on", f.Root().Columns()[i].Name())
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
