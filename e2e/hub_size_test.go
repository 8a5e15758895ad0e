package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// sparse makes a file of size bytes with something in every megabyte.
func sparse(t testing.TB, dir string, size int64) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "big.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for off := int64(0); off < size; off += 1 << 20 {
		if _, err := fmt.Fprint(io.NewOffsetWriter(f, off), "PAR1 ", off); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// maxPut is what hf-put and hf-get may take, however large a file is, in bytes.
const maxPut = 100 << 20

// 2 GiB go to the hub, into a folder and out of it without being held in memory.
func TestTwoGiBFile(t *testing.T) {
	size := int64(2 << 30)
	if os.Getenv("TORTURE") == "" {
		size /= 10
	}
	dir := t.TempDir()
	name := sparse(t, dir, size)
	h := hubtest.Start(t, hubtest.Discard())
	h.CreateRepo(repo, hubtest.RepoOptions{})
	run := func(name string, args ...string) {
		cmd := hubCommand(h, dir, name, args...)
		_, peak := peakOf(t, cmd)
		t.Logf("%s: %d MiB of data, %.1f MiB of memory", filepath.Base(cmd.Path), size>>20, float64(peak)/(1<<20))
		if peak == 0 || peak > maxPut {
			t.Errorf("%s: %d MiB", cmd, peak>>20)
		}
	}
	run("hf-put", "-q", "--repo", repo, name)
	if got := h.Files(repo, "main")["big.parquet"].Size; got != size || h.StorageBytes() != size {
		t.Errorf("%d bytes are in the repository and %d were sent, want %d", got, h.StorageBytes(), size)
	}
	run("hf-put", "-q", "--repo", "./repo", "--create", name)
	run("hf-get", "-q", "--repo", "./repo", "-o", "back.parquet", "big.parquet")
	must(t, dir, "cmp big.parquet back.parquet")
}

// BenchmarkPut has hf-put store 512 MiB in a folder and in a hub that shares the
// processors with it, beside cp of the same file, which sums and syncs nothing:
//
//	go test -run '^$' -bench Put ./e2e
func BenchmarkPut(b *testing.B) {
	const size = 512 << 20
	dir := b.TempDir()
	name := sparse(b, dir, size)
	h := hubtest.Start(b, hubtest.Discard())
	bench := func(what string, command func() *exec.Cmd) {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				output(b, command())
			}
		})
	}
	bench("cp", func() *exec.Cmd {
		return exec.Command("cp", "--sparse=never", "--reflink=never", name, filepath.Join(dir, "copy"))
	})
	bench("folder", func() *exec.Cmd {
		folder := filepath.Join(dir, "repo")
		os.RemoveAll(folder)
		return hubCommand(h, dir, "hf-put", "-q", "--repo", folder, "--create", name)
	})
	repos := 0
	bench("hub", func() *exec.Cmd {
		repos++
		for sum := range h.Objects() {
			h.Lose(sum)
		}
		return hubCommand(h, dir, "hf-put", "-q", "--repo", fmt.Sprint("me/bench-", repos), "--create", name)
	})
}
