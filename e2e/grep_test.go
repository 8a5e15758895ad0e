package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/ccindex/ccindextest"
	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// newsShard is a shard with n rows like those of a real archive.
func newsShard(t *testing.T, n int, seed uint64) []byte {
	t.Helper()
	var rows []byte
	for _, row := range ccindextest.News(n, seed) {
		rows = append(row.AppendJSON(rows), '\n')
	}
	cmd := exec.Command(filepath.Join(bin, "jsonl2parquet"), "-q")
	cmd.Stdin = bytes.NewReader(rows)
	return []byte(output(t, cmd))
}

// shardName is the path of the i-th shard of a month.
func shardName(i int) string {
	return fmt.Sprintf("data/2026/07/CC-NEWS-20260701%06d-%05d.parquet", i, i)
}

// monthOf is a hub with n shards of a month, of three different contents.
func monthOf(t *testing.T, n, rows int) *hubtest.Hub {
	t.Helper()
	var contents [3][]byte
	for i := range contents {
		contents[i] = newsShard(t, rows, uint64(i+1))
	}
	files := map[string][]byte{}
	for i := range n {
		files[shardName(i)] = contents[i%len(contents)]
	}
	h := hubtest.Start(t)
	h.PutFiles(repo, files)
	return h
}

// grepLine is a shell line in which a hub's month is listed and searched.
func grepLine(h *hubtest.Hub, rest string) string {
	return "export HF_ENDPOINT=" + h.Endpoint() + " HF_TOKEN=" + h.Token() + "; hf-ls --repo " + repo + " 2026/07 | shard-grep " + rest
}

// opened are the shards that the hub was asked for, and how many requests the
// storage had.
func opened(h *hubtest.Hub) (shards, storage int) {
	names := map[string]bool{}
	for _, r := range h.Requests(hubtest.RouteResolve) {
		names[r.URL] = true
	}
	return len(names), len(h.StorageRequests())
}

// A reader that has enough ends the search, and no more is read than by the shards
// that were in flight.
func TestSearchEndsWithItsReader(t *testing.T) {
	const inFlight = 16
	h, dir := monthOf(t, 80, 4000), t.TempDir()
	for rest, want := range map[string]struct{ rows, status int }{
		"com | head -n 1":             {1, 141},
		"--unordered com | head -n 1": {1, 141},
		"-m 5 com":                    {5, 0},
		"-m 5 com | cat":              {5, 0},
		"-m 5 --unordered -j 16 com":  {5, 0},
		"-q com":                      {0, 0},
	} {
		h.Forget()
		start := time.Now()
		out, talk, status := shell(t, dir, grepLine(h, rest))
		took := time.Since(start)
		shards, storage := opened(h)
		if strings.Count(out, "\n") != want.rows || status != want.status {
			t.Errorf("%s: %d lines, status %d: %s", rest, strings.Count(out, "\n"), status, talk)
		}
		// Of each the end, and a row group: no more rows find room to wait.
		if shards == 0 || shards > inFlight || storage > 2*inFlight {
			t.Errorf("%s: %d shards of 80 were opened, with %d storage requests", rest, shards, storage)
		}
		t.Logf("%s: %v, %d shards, %d storage requests", rest, took.Round(time.Millisecond), shards, storage)
		if took > 10*time.Second { // ten times what it should take
			t.Errorf("%s: it took %v", rest, took)
		}
	}
}

// A listing that stalls is not waited for when enough was found.
func TestSearchDoesNotWaitForAStalledListing(t *testing.T) {
	dir := t.TempDir()
	write(t, newsShard(t, 2000, 1), dir, "x.parquet")
	for _, option := range []string{"-m1", "-q"} {
		cmd := exec.Command(filepath.Join(bin, "shard-grep"), option, "com")
		cmd.Dir = dir
		listing, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(listing, "x.parquet")
		watchdog := time.AfterFunc(10*time.Second, func() {
			t.Errorf("%s: it waits for the end of its list", option)
			listing.Close()
		})
		output(t, cmd)
		watchdog.Stop()
	}
}

// Two runs print the same bytes, and so does one shard at a time.
func TestSearchPrintsTheSameAgain(t *testing.T) {
	t.Parallel()
	h, dir := monthOf(t, 24, 4000), t.TempDir()
	h.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteDownload, Chance: 0.3, Times: hubtest.Always}, Do: hubtest.Slow, Wait: 20 * time.Millisecond})
	first := must(t, dir, grepLine(h, "com"))
	if strings.Count(first, "\n") < 6_000 {
		t.Errorf("%d rows", strings.Count(first, "\n"))
	}
	for _, options := range []string{"", "-j 1 ", "-j 40 "} {
		if again := must(t, dir, grepLine(h, options+"com")); again != first {
			t.Errorf("%scom: %d bytes, and %d before", options, len(again), len(first))
		}
	}
}

// A bad shard is named and is trouble, and costs no rows of the others.
func TestOneBadShardOf40(t *testing.T) {
	t.Parallel()
	const bad = 20
	h, dir := monthOf(t, 40, 2000), t.TempDir()
	want := must(t, dir, strings.Replace(grepLine(h, "bbc.co.uk"), "| ", "| grep -v -e -00020.parquet | ", 1))
	refused := func(status int) func() {
		return func() {
			on := hubtest.Match{Route: hubtest.RouteResolve, URL: filepath.Base(shardName(bad)), Times: hubtest.Always}
			h.Fail(hubtest.Fault{On: on, Status: status})
		}
	}
	for _, test := range []struct {
		name  string
		spoil func()
	}{
		{"404", refused(404)},
		{"403", refused(403)},
		{"500", refused(500)},
		{"no Parquet", func() { h.Put(repo, shardName(bad), bytes.Repeat([]byte("junk"), 50_000)) }},
		{"cut off", func() { h.Put(repo, shardName(bad), newsShard(t, 2000, 9)[:100_000]) }},
		{"empty", func() { h.Put(repo, shardName(bad), nil) }},
	} {
		test.spoil()
		out, talk, status := shell(t, dir, grepLine(h, "--tries 2 bbc.co.uk"))
		if out != want || status != 2 {
			t.Errorf("%s: status %d, %d bytes of %d: %s", test.name, status, len(out), len(want), talk)
		}
		if !strings.Contains(talk, filepath.Base(shardName(bad))) || !strings.Contains(talk, "failed: 1") {
			t.Errorf("%s: %s", test.name, talk)
		}
		h.Heal()
	}
	t.Logf("%d rows of the other 39", strings.Count(want, "\n"))
}

// Memory depends neither on how much is found nor on how many shards there are.
func TestSearchMemory(t *testing.T) {
	const most = 200 << 20
	shards := max(20, tenth(t, 100))
	h, dir := monthOf(t, shards, 30_000), t.TempDir()
	write(t, []byte(output(t, hubCommand(h, dir, "hf-ls", "--repo", repo, "2026/07"))), dir, "listing")
	write(t, []byte("com\norg\nnet\nde\nfr\nuk\nes\nbr\nit\nru\nin\ntr\npl\n"), dir, "all")
	for options, rows := range map[string]int{"com": 0, "-f all": 30_000 * shards} {
		cmd := hubCommand(h, dir, "shard-grep")
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "exec " + cmd.Path + " -j16 --stats json " + options + " <listing >/dev/null 2>summary"}
		_, peak := peakOf(t, cmd)
		var summary struct{ Rows int }
		if err := json.Unmarshal(readFile(t, dir, "summary"), &summary); err != nil {
			t.Fatal(err)
		}
		if summary.Rows == 0 || rows > 0 && summary.Rows != rows {
			t.Errorf("%s: %d rows, want %d", options, summary.Rows, rows)
		}
		if peak == 0 || peak > most {
			t.Errorf("%s: %d MiB", options, peak>>20)
		}
		t.Logf("%s: %d rows of %d shards, %.1f MiB", options, summary.Rows, shards, float64(peak)/(1<<20))
	}
}
