package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

const repo = "me/news"

// hubCommand is a command that talks to h.
func hubCommand(h *hubtest.Hub, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(bin, name), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HF_ENDPOINT="+h.Endpoint(), "HF_TOKEN="+h.Token())
	return cmd
}

// output runs a command that has to succeed.
func output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, &errOut)
	}
	return string(out)
}

// peakOf is output, and the most memory that the command had, in bytes. The
// system's Maxrss would not do: it begins with that of the process that forked.
func peakOf(t testing.TB, cmd *exec.Cmd) (out string, peak int64) {
	t.Helper()
	var text, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%s: %v: %s", cmd, err, &errOut)
			}
			return text.String(), peak
		case <-time.After(2 * time.Millisecond):
			peak = max(peak, highWater(cmd.Process.Pid))
		}
	}
}

// highWater is the most memory that a running process had so far, in bytes.
func highWater(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // none if it has ended
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, _, _ := strings.Cut(rest, "kB")
	n, _ := strconv.ParseInt(strings.TrimSpace(kib), 10, 64)
	return n << 10
}

// mixed are sizes of 40 files in bytes: of a kind that git keeps, that goes to the
// storage in one piece, and in several.
func mixed() map[string]int {
	sizes := map[string]int{}
	for i := range 40 {
		switch i % 4 {
		case 0, 1:
			sizes[fmt.Sprintf("%02d/note.txt", i)] = 100 + 70*i
		case 2:
			sizes[fmt.Sprintf("%02d/one.parquet", i)] = 20_000 + 1000*i
		case 3:
			sizes[fmt.Sprintf("%02d/parts.parquet", i)] = 300_000 + 5000*i
		}
	}
	return sizes
}

// smallParts has the hub take large files in parts of 100 kB, a little slowly.
func smallParts(s *hubtest.Settings) {
	s.MultipartFrom, s.PartSize = 200_000, 100_000
	s.Latency = 2 * time.Millisecond
}

// writeMixed writes the mixed files into a folder, with text or bytes that seed tells.
func writeMixed(t *testing.T, dir string, seed uint64) {
	t.Helper()
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), 77})
	for path, size := range mixed() {
		content := make([]byte, size)
		random.Read(content)
		if strings.HasSuffix(path, ".txt") {
			for i, b := range content {
				content[i] = 'a' + b%26
			}
		}
		name := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, content, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// many puts n small files into one folder of a new hub.
func many(t *testing.T, n int) *hubtest.Hub {
	h := hubtest.Start(t)
	files := map[string][]byte{}
	for i := range n {
		files[fmt.Sprintf("data/2026/07/CC-NEWS-20260701%06d-%05d.parquet", i, i)] = fmt.Appendf(nil, "PAR1 %d PAR1", i)
	}
	h.PutFiles(repo, files)
	return h
}

// A listing costs a request a thousand files, and memory does not grow with it.
func TestListingTwelveThousandFiles(t *testing.T) {
	dir := t.TempDir()
	list := func(n int) int64 {
		h := many(t, n)
		out, peak := peakOf(t, hubCommand(h, dir, "hf-ls", "--repo", repo, "2026/07"))
		pages := len(h.Requests(hubtest.RouteTree))
		if got := strings.Count(out, "\n"); got != n || pages != n/1000 {
			t.Errorf("%d files of %d in %d pages", got, n, pages)
		}
		t.Logf("%d files: %d pages, %d requests, %.1f MiB", n, pages, len(h.Requests()), float64(peak)/(1<<20))
		return peak
	}
	if few, all := list(1000), list(12_000); all > few+6<<20 {
		t.Errorf("%d KiB for 1000 files and %d KiB for 12000", few>>10, all>>10)
	}
}

// The names of a month are looked up in one request.
func TestLookupOfAMonthIsOneRequest(t *testing.T) {
	h, dir := many(t, 353), t.TempDir()
	names := output(t, hubCommand(h, dir, "hf-ls", "--repo", repo, "--paths", "2026/07"))
	h.Forget()
	cmd := hubCommand(h, dir, "hf-ls", "--repo", repo, "--stdin", "--paths")
	cmd.Stdin = strings.NewReader(names)
	if found := output(t, cmd); found != names || strings.Count(found, "\n") != 353 {
		t.Errorf("found %d files of 353", strings.Count(found, "\n"))
	}
	if n := len(h.Requests(hubtest.RoutePathsInfo)); n != 1 || len(h.Requests(hubtest.RouteTree)) > 0 {
		t.Errorf("%d requests with names: %v", n, h.Requests())
	}
	t.Logf("%d requests in all", len(h.Requests()))
}
