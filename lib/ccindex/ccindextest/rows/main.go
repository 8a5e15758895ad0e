// Command rows prints the row stream of an archive that there is not, with rows like
// those of a real one, for scripts that need shards of full size:
//
//	go run ./lib/ccindex/ccindextest/rows --seed 7 | jsonl2parquet --require-end -o 7.parquet
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/ccindex/ccindextest"
	"github.com/open-index/ccnews/lib/jsonl"
)

func main() {
	n := pflag.IntP("rows", "n", 30_000, "how many rows")
	seed := pflag.Uint64("seed", 1, "the same seed gives the same rows, another one other sites")
	pflag.Parse()
	if err := print(*n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

func print(n int, seed uint64) error {
	out := bufio.NewWriter(os.Stdout)
	var line []byte
	count := int64(n)
	end := jsonl.End{WARCFilename: ccindextest.Archive, Records: count, Responses: count, Members: count, Rows: &count}
	for _, row := range ccindextest.News(n, seed) {
		line = append(row.AppendJSON(line[:0]), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
		end.Bytes = row.WARCRecordOffset + row.WARCRecordLength
	}
	if _, err := out.Write(append(jsonl.AppendEnd(line[:0], end), '\n')); err != nil {
		return err
	}
	return out.Flush()
}
