package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folders have any names; who listens or not makes no difference.
func TestPublishFromOddPlaces(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 2)
	p := newPublisher(t, newMirror(t, folder), nil)
	const place = "R&D \\1 $(x) 'q' [a]*?{b}#é"
	for _, name := range []string{"tmp", "repo", "staging"} {
		if err := os.MkdirAll(filepath.Join(p.dir, place, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(p.dir, place, name) }
	p.env = []string{"TMPDIR=" + at("tmp"), "CCRAWL_NEWS_REPO=" + at("repo")}
	cmd := p.command("--months", "2026/07", "--staging", at("staging"))
	cmd.Path, cmd.Args = "/bin/bash", append([]string{"bash", "-c", `exec "$@" 2>&-`, "bash"}, cmd.Args...)
	if err := cmd.Run(); err != nil {
		t.Errorf("%v", err)
	}
	talk, status := p.run("--months", "2026/07", "--staging", at("staging"))
	if status != 0 {
		t.Errorf("status %d: %s", status, talk)
	}
	matches(t, talk, "2026/07: complete: 2 shards")
	if left, _ := filepath.Glob(filepath.Join(at("tmp")) + "/*"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// What lies where the lock should, and is none, is named; it is not waited for.
func TestPublishDoesNotWaitForWhatIsNoLock(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 1)
	p := newPublisher(t, newMirror(t, folder), nil)
	must(t, p.dir, "mkdir news; mkdir -p file/ folder/.lock; echo 1 >file/.lock")
	p.env = []string{"CCRAWL_NEWS_REPO=./news"}
	for _, staging := range []string{"file", "folder"} {
		talk, status := p.run("--months", "2026/07", "--staging", staging)
		if status != 1 || !strings.Contains(talk, fmt.Sprintf("%s/.lock is no lock of ours: ", staging)) {
			t.Errorf("%s: status %d: %s", staging, status, talk)
		}
		if _, err := os.Stat(filepath.Join(p.dir, staging, ".lock")); err != nil {
			t.Error(err)
		}
	}
}
