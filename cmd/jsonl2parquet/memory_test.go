//go:build !race

// The race detector takes several times the memory of what it watches.

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/parquetread"
	"github.com/open-index/ccnews/lib/table"
)

// memoryRows is a tenth of what TORTURE=1 has, and still more than memory holds.
func memoryRows() int64 {
	if os.Getenv("TORTURE") != "" {
		return 20_000_000
	}
	return 2_000_000
}

// maxResident is what the process may take for input of any length.
const maxResident = 400 << 20

// TestMemory is report 7 of testdata/script/reports.txtar, arrow-tools#59: the
// memory of the process does not grow with its input, sorted or not, and every
// row arrives.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 10 seconds")
	}
	for name, args := range map[string][]string{
		"in order": {"--row-group-rows", "50000"},
		"sorted":   {"--sort", "host,-seen", "--bloom", "host"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := memoryRows()
			path := filepath.Join(t.TempDir(), "x.parquet")
			cmd := exec.Command("jsonl2parquet", append(args, "-q", "-o", path)...)
			cmd.Stderr = os.Stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			generate(stdin, rows)
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			resident := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("%d rows at %.0f rows/s, %d MiB resident", rows, float64(rows)/time.Since(start).Seconds(), resident>>20)
			if resident > maxResident {
				t.Errorf("%d MiB resident", resident>>20)
			}
			checkRows(t, path, rows, name == "sorted")
		})
	}
}

// TestNestedMemory has objects of 1,900 keys in lists, where each "{}" makes
// 1,900 nulls.
func TestNestedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 seconds")
	}
	const keys, most = 1900, 200 << 20
	first := `{"a":[{"k0":0`
	for i := range keys - 1 {
		first += fmt.Sprintf(`,"k%d":%d`, i+1, i)
	}
	first += "}]}"
	row := func(n int) string { return `{"a":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}` }
	for _, test := range []struct {
		name    string
		rows    []string
		refused string
	}{
		{"above the limit", slices.Repeat([]string{row(2000)}, 280), `stdin: line 2 \(byte \d+\): key "a": with it the row has more than 262144 values`},
		{"below the limit", slices.Repeat([]string{row(table.MaxRowValues / keys)}, 80), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command("jsonl2parquet", "--nested", "--infer", "1", "-q", "-o", filepath.Join(t.TempDir(), "x.parquet"))
			cmd.Stdin = strings.NewReader(first + "\n" + strings.Join(test.rows, "\n") + "\n")
			out, err := cmd.CombinedOutput()
			if (err != nil) != (test.refused != "") || !regexp.MustCompile(test.refused).Match(out) {
				t.Errorf("%v: %s", err, out)
			}
			resident := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("%d MiB resident, %v", resident>>20, cmd.ProcessState.UserTime())
			if resident > most {
				t.Errorf("%d MiB resident", resident>>20)
			}
		})
	}
}

// generate writes rows of four columns, n counting them.
func generate(w io.WriteCloser, rows int64) {
	rnd := rand.New(rand.NewPCG(7, 0))
	out := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for n := range rows {
		line = append(line[:0], `{"host":"host`...)
		line = strconv.AppendInt(line, rnd.Int64N(50_000), 10)
		line = append(line, `.example.org","seen":`...)
		line = strconv.AppendInt(line, rnd.Int64N(1000), 10)
		line = append(line, `,"score":`...)
		line = strconv.AppendFloat(line, rnd.Float64(), 'g', 6, 64)
		line = append(line, `,"n":`...)
		line = strconv.AppendInt(line, n, 10)
		out.Write(append(line, "}\n"...))
	}
	out.Flush() // an error is the command's, which says why
	w.Close()
}

// checkRows reads the file: every n is there, and if the file is sorted, host
// ascends, seen descends in it and n, the order of the input, ascends in that.
func checkRows(t *testing.T, path string, rows int64, sorted bool) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, _ := file.Stat()
	f, err := parquetread.Open(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var host string
	var seen, n, sum int64
	seenRows := make([]bool, rows)
	for row := range readRows(t, f) {
		inOrder := row.host > host || row.host == host && (row.seen < seen || row.seen == seen && row.n > n)
		if sum > 0 && sorted && !inOrder || seenRows[row.n] {
			t.Fatalf("%v after {%s %d %d}", row, host, seen, n)
		}
		seenRows[row.n] = true
		host, seen, n, sum = row.host, row.seen, row.n, sum+1
	}
	if sum != rows {
		t.Errorf("%d rows, want %d", sum, rows)
	}
}

type generated struct {
	host    string
	seen, n int64
}

// readRows reads the columns that generate's rows are checked by.
func readRows(t *testing.T, f *parquetread.File) func(func(generated) bool) {
	var cursors []*parquetread.Cursor
	for _, name := range []string{"host", "seen", "n"} {
		column, ok := f.Column(name)
		if !ok {
			t.Fatalf("no column %s", name)
		}
		cursors = append(cursors, f.Cursor(column))
	}
	return func(yield func(generated) bool) {
		for group := range f.Groups() {
			for _, c := range cursors {
				c.Open(group)
			}
			for range f.GroupRows(group) {
				var row generated
				host, err1 := cursors[0].Next()
				seen, err2 := cursors[1].Next()
				n, err3 := cursors[2].Next()
				if err1 != nil || err2 != nil || err3 != nil {
					t.Fatal(err1, err2, err3)
				}
				if row = (generated{string(host.Bytes), seen.Int, n.Int}); !yield(row) {
					return
				}
			}
		}
	}
}
