package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Of a news-publish that is killed without what it has started, nothing goes on, and
// the next one does all.
func TestPublishKilledAloneLeavesNobody(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 3)
	for name, args := range map[string][]string{
		"run": {"--months", "2026/07", "--jobs", "2"},
		"one": {"--one", names[0]},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPublisher(t, newMirror(t, folder), startHub(t))
			began, ended := make(chan bool, 10), make(chan bool, 10)
			for _, name := range names {
				p.mirror.fail(name, func(w http.ResponseWriter, r *http.Request) bool {
					w.WriteHeader(http.StatusOK)
					http.NewResponseController(w).Flush()
					began <- true
					<-r.Context().Done()
					ended <- true
					return true
				})
			}
			cmd := p.command(args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			readers := 1
			if name == "run" {
				readers = 2
			}
			for range readers {
				within(t, began, "an archive is read")
			}
			cmd.Process.Kill()
			cmd.Wait()
			for range readers {
				within(t, ended, "an archive is not read any more")
			}
			for tries := 0; ; tries++ {
				left, err := os.ReadDir(filepath.Join(p.dir, "tmp"))
				if err == nil && len(left) == 0 {
					break
				}
				if tries == 500 {
					t.Fatalf("left: %v (%v)", left, err)
				}
				time.Sleep(20 * time.Millisecond)
			}
			if len(began) > 0 {
				t.Error("another archive was begun")
			}

			for _, name := range names {
				p.mirror.fail(name, nil)
			}
			p.must("--months", "2026/07", "--jobs", "2")
			missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := p.hub.Files(repo, "main")[shardOf(name)]; return ok })
			if len(missing) > 0 {
				t.Errorf("no shards of %s", strings.Join(missing, ", "))
			}
			leftovers(t, p)
		})
	}
}

func within(t *testing.T, c <-chan bool, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatalf("waited for it in vain: %s", what)
	}
}
