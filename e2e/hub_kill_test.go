package e2e

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// killAfter starts a command, kills it after a while, and says whether it was hit.
func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
	if state := cmd.ProcessState; !state.Success() && !state.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("%s: %v", cmd, state)
	}
	return !cmd.ProcessState.Success()
}

// duration is how long a command takes.
func duration(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	began := time.Now()
	output(t, cmd)
	return time.Since(began)
}

// answered waits until the hub has done all that it was asked for: it goes on when
// the client is gone.
func answered(t *testing.T, h *hubtest.Hub) {
	t.Helper()
	for seen, tries := -1, 0; ; tries++ {
		requests := h.Requests()
		open := slices.ContainsFunc(requests, func(r hubtest.Request) bool { return r.Status == 0 })
		if !open && len(requests) == seen {
			return
		}
		if tries == 500 {
			t.Fatal("the hub does not come to an end")
		}
		seen = len(requests)
		time.Sleep(10 * time.Millisecond)
	}
}

const (
	killBatch   = 15 // files a commit
	killCommits = 3  // of 40 files
)

func putMixed(h *hubtest.Hub, dir string) *exec.Cmd {
	return hubCommand(h, dir, "hf-put", "-q", "--repo", repo, "--batch", fmt.Sprint(killBatch), "-r", "files=data")
}

// Whenever hf-put is killed, the next run makes the same tree of it, makes no
// empty commit, and sends no byte again of what the hub has.
func TestPutGoesOnAfterKills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeMixed(t, filepath.Join(dir, "files"), 1)
	start := func(t *testing.T) *hubtest.Hub {
		h := hubtest.Start(t, hubtest.WithSettings(smallParts))
		h.CreateRepo(repo, hubtest.RepoOptions{})
		return h
	}
	h := start(t)
	output(t, putMixed(h, dir))
	want, objects, total := h.Files(repo, "main"), h.Objects(), h.StorageBytes()
	if len(want) != 41 || len(objects) != 20 || len(h.Commits(repo, "main")) != 1+killCommits {
		t.Fatalf("%d files, %d objects, %d commits", len(want), len(objects), len(h.Commits(repo, "main")))
	}

	took := duration(t, putMixed(start(t), dir)) // the first one was slower

	random := rand.New(rand.NewPCG(4, 100))
	hit, again := 0, int64(0)
	landed := map[int]int{} // kills by the commits that had landed
	rounds := tenth(t, 100)
	for round := 0; hit < rounds && round < 4*rounds; round++ {
		after := time.Duration(random.Float64() * float64(took))
		t.Run(fmt.Sprintf("%d after %v", round, after.Round(time.Millisecond)), func(t *testing.T) {
			h := start(t)
			killed := killAfter(t, putMixed(h, dir), after)
			answered(t, h)
			if killed {
				hit++
				landed[len(h.Commits(repo, "main"))-1]++
			}
			again += finish(t, h, dir, objects)
			if got := h.Files(repo, "main"); !maps.Equal(got, want) {
				t.Errorf("the tree has %d files, or others: %v", len(got), got)
			}
		})
	}
	t.Logf("%d kills hit, with commits landed before: %v; an upload has %d bytes in %v, reruns had %d", hit, landed, total, took, again)
}

// finish runs a killed hf-put again and returns how many bytes the storage got.
func finish(t *testing.T, h *hubtest.Hub, dir string, objects map[string]int64) int64 {
	t.Helper()
	missing := int64(0)
	stored := h.Objects()
	for sum, size := range objects {
		if _, ok := stored[sum]; !ok {
			missing += size
		}
	}
	landed := len(h.Commits(repo, "main")) - 1
	h.Forget()
	output(t, putMixed(h, dir))
	if sent := h.StorageBytes(); sent != missing {
		t.Errorf("%d bytes were sent, and %d were missing", sent, missing)
	}
	if n := len(h.Requests(hubtest.RouteCommit)); n != killCommits-landed {
		t.Errorf("%d commits were sent after %d of %d had landed", n, landed, killCommits)
	}
	if commits := h.Commits(repo, "main"); len(commits) != 1+killCommits {
		t.Errorf("%d commits: %v", len(commits), commits)
	}
	if h.TokenLeaked() {
		t.Error("the token came to the storage")
	}
	return missing
}

// tree is what a folder repository has, by hf-ls and, which must agree with it, by
// its files.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	listed := map[string]string{}
	for line := range strings.Lines(must(t, dir, "hf-ls --repo ./repo")) {
		listed[strings.Trim(field(line, "path"), `"`)] = strings.Trim(field(line, "sha256"), `"`)
	}
	seen := sums(t, filepath.Join(dir, "repo"))
	if !maps.Equal(listed, seen) {
		t.Fatalf("hf-ls lists %v, and there is %v", listed, seen)
	}
	return listed
}

// A kill of hf-put leaves a local folder in the old or the new state, for whatever
// command comes next.
func TestPutIntoAFolderIsAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	states := make([]map[string]string, 2)
	for i := range states {
		name := filepath.Join(dir, fmt.Sprint(i))
		writeMixed(t, name, uint64(10+i))
		if err := os.WriteFile(filepath.Join(name, fmt.Sprint("only-", i)), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		states[i] = sums(t, name)
	}
	put := func(i int) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, "hf-put"), "-q", "--repo", "./repo", "--create", "-r", fmt.Sprint(i), "--delete", fmt.Sprint("only-", 1-i))
		cmd.Dir = dir
		return cmd
	}
	output(t, put(0))
	output(t, put(1))
	output(t, put(0))
	took := duration(t, put(1))

	random := rand.New(rand.NewPCG(4, 101))
	hit, old := 0, 0
	rounds := tenth(t, 100)
	for round := 0; hit < rounds && round < 4*rounds; round++ {
		next := round % 2
		killed := killAfter(t, put(next), time.Duration(random.Float64()*1.1*float64(took)))
		switch got := tree(t, dir); {
		case killed && maps.Equal(got, states[1-next]):
			old++
		case !maps.Equal(got, states[next]):
			t.Fatalf("round %d: killed %v, a mixture: %v", round, killed, got)
		}
		if killed {
			hit++
		}
		output(t, put(next))
		if got := tree(t, dir); !maps.Equal(got, states[next]) {
			t.Fatalf("round %d: the next run leaves %v", round, got)
		}
	}
	t.Logf("%d kills hit, %d before the commit; one takes %v", hit, old, took)
}

// sums are the SHA-256 of the files of a folder, without what belongs to tools.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := must(t, dir, `find . -name .hub -prune -o -type f -print0 | xargs -0 sha256sum`)
	found := map[string]string{}
	for line := range strings.Lines(out) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ./")
		if !ok {
			t.Fatal(errors.New(line))
		}
		found[name] = sum
	}
	return found
}
