package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What --list names, --one makes and --commit commits, is what a run of all would
// have made. What the store has lost by then is named, and made again by the next.
func TestPublishByOtherEngines(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 3)
	m := newMirror(t, folder)
	one := newPublisher(t, m, startHub(t))
	one.must("--months", "2026/07")
	want := one.hub.Files(repo, "main")

	h := startHub(t)
	p := newPublisher(t, m, h)
	listed, _, status := p.pipe("", "--list", "--months", "2026/07")
	if status != 0 || listed != strings.Join(names, "\n")+"\n" {
		t.Fatalf("status %d: %s", status, listed)
	}
	var all string
	for _, name := range names {
		line, talk, status := p.pipe("", "--one", name)
		if status != 0 || !strings.HasPrefix(line, `{"path":"`+shardOf(name)+`",`) {
			t.Fatalf("status %d: %s%s", status, line, talk)
		}
		all += line
	}
	if len(h.Commits(repo, "main")) != 1 {
		t.Errorf("%v", h.Commits(repo, "main"))
	}
	h.Lose(want[shardOf(names[1])].SHA256)
	_, talk, status := p.pipe(all, "--commit", "--commit-every", "2")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	matches(t, talk, "news-publish: "+names[1]+": the store has lost its shard: make it again")
	listed, _, _ = p.pipe("", "--list", "--months", "2026/07")
	if listed != names[1]+"\n" {
		t.Errorf("--list: %s: %s", listed, talk)
	}
	line, _, _ := p.pipe("", "--one", names[1])
	if _, talk, status = p.pipe(line, "--commit"); status != 0 || !maps.Equal(h.Files(repo, "main"), want) {
		t.Errorf("status %d: %s: %v, want %v", status, talk, h.Files(repo, "main"), want)
	}
	head := h.Head(repo, "main")
	if _, talk, status = p.pipe(all, "--commit"); status != 0 || h.Head(repo, "main") != head {
		t.Errorf("all again: status %d: %s", status, talk)
	}
	leftovers(t, p)

	m.fail(names[0], answers(404, always))
	if line, talk, status = p.pipe("", "--one", names[0]); status != 1 || line != "" {
		t.Errorf("status %d: %s%s", status, line, talk)
	}
	if _, talk, status = p.pipe("nonsense\n", "--commit"); status != 1 || !strings.Contains(talk, "not a line of --one: nonsense") {
		t.Errorf("status %d: %s", status, talk)
	}
}

// fakeSSH runs what parallel sends to a host here, where the host "a" is out of reach
// and "c" answers something else. It takes what ssh's options there are before the name, and sets SHELL, as
// a login does: parallel runs commands with that.
const fakeSSH = `#!/bin/bash
while [[ $1 == -* ]]; do case $1 in -[loSp]) shift 2 ;; *) shift ;; esac; done
host=$1; shift
if [[ $1 == -- ]]; then shift; fi
[[ $host != a ]] || exit 255
[[ $host != c ]] || { echo '{"path":"data/2026/07/x.parquet"}' && exit; }
cd "$FAKE_HOME/$host" && SHELL=/bin/bash exec bash -c "$*"
`

// Of two machines one cannot be reached: the other does its work.
func TestPublishOnTwoHosts(t *testing.T) {
	t.Parallel()
	findTool(t, "GNU parallel", "parallel")
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 4)
	m, h := newMirror(t, folder), startHub(t)
	m.fail(names[3], answers(404, always))
	p := newPublisher(t, m, h)
	ssh := filepath.Join(p.dir, "home", "ssh")
	write(t, []byte(fakeSSH), ssh)
	if err := os.Chmod(ssh, 0o777); err != nil {
		t.Fatal(err)
	}
	must(t, p.dir, "mkdir home/a home/b home/.parallel; touch home/.parallel/will-cite")
	p.env = []string{"PARALLEL_SSH=" + ssh, "FAKE_HOME=" + p.dir + "/home"}
	talk, status := p.run("--months", "2026/07", "--sshlogin", "a,b", "--jobs", "2")
	if status != 1 {
		t.Errorf("status %d: %s", status, talk)
	}
	matches(t, talk, "2026/07: 3 of 4 shards are in me/news; made: 3, unfit: 1, left for later: 0")
	matches(t, talk, fmt.Sprintf("news-publish: %s: unfit:", names[3]))
	if row := ledgerRow(t, h, "2026-07"); row["files"] != "3" || row["unfit"] != "1" {
		t.Errorf("%v", row)
	}

	talk, status = p.run("--months", "2026/07", "--sshlogin", "a", "--jobs", "2")
	if status != 1 {
		t.Errorf("status %d: %s", status, talk)
	}
	matches(t, talk, "2026/07: 1 archives: no machine could make their shards")

	head := h.Head(repo, "main")
	talk, status = p.run("--months", "2026/07", "--sshlogin", "c", "--jobs", "2")
	if status != 1 || h.Head(repo, "main") != head {
		t.Errorf("status %d: %s", status, talk)
	}
	if !strings.HasSuffix(talk, "\nnews-publish: not a line of --one: {\"path\":\"data/2026/07/x.parquet\"}\n") {
		t.Errorf("it went on: %s", talk)
	}
}
