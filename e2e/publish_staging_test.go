package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// Archives of the same name can be others elsewhere: their shards do not share a
// staging folder.
func TestPublishStagingIsOfOneBase(t *testing.T) {
	t.Parallel()
	here, there := t.TempDir(), t.TempDir()
	names := smallMonth(t, here, "2026/07", 2)
	smallMonth(t, there, "2026/07", 2)
	swapped := readFile(t, there, names[0])
	writeBelow(t, there, names[0], readFile(t, there, names[1]))
	writeBelow(t, there, names[1], swapped)
	h := startHub(t)
	p, q := newPublisher(t, newMirror(t, here), h), newPublisher(t, newMirror(t, there), h)
	q.dir = p.dir
	staged := filepath.Join(p.staging(), shardOf(names[0]))

	// A shard that cannot be uploaded stays.
	h.Fail(hubtest.Status(hubtest.RouteBatch, 503).Times(3))
	if _, talk, status := p.pipe("", "--one", names[0]); status != 75 {
		t.Fatalf("status %d: %s", status, talk)
	}
	before, shard := h.Head(repo, "main"), string(readFile(t, staged))
	for _, args := range [][]string{{"--months", "2026/07"}, {"--months", "2026/07", "-n"}, {"--one", names[1]}} {
		want := 1
		if args[0] == "--one" {
			want = 3 // 1 is an unfit archive
		}
		out, talk, status := q.pipe("", args...)
		if status != want || out != "" || h.Head(repo, "main") != before || string(readFile(t, staged)) != shard {
			t.Errorf("%v: status %d: %s%s", args, status, out, talk)
		}
		matches(t, talk, "staging: shards of the archives of "+p.mirror.url[:len(p.mirror.url)-1]+" are staged there, and CC_BASE says "+
			q.mirror.url[:len(q.mirror.url)-1]+": take another --staging")
	}
	// The lines of --one are of shards that the store has, whatever is staged.
	line, talk, status := q.pipe("", "--one", names[0], "--staging", "other")
	if status != 0 {
		t.Fatalf("status %d: %s", status, talk)
	}
	if _, talk, status = q.pipe(line, "--commit"); status != 0 || content(t, h, shardOf(names[0])) == shard {
		t.Errorf("status %d: %s", status, talk)
	}
	// Its own base goes on, and leaves the folder to the other.
	write(t, []byte(shard), staged)
	p.must("--months", "2026/07")
	matches(t, q.must("--months", "2026/07", "--recount"), "made: 0")

	// A folder of a time when nothing said so holds shards of the default.
	if err := os.Remove(filepath.Join(p.staging(), ".base")); err != nil {
		t.Fatal(err)
	}
	writeBelow(t, p.staging(), shardOf(names[0]), []byte(shard))
	talk, status = p.run("--months", "2026/07")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	matches(t, talk, "shards of the archives of https://data.commoncrawl.org are staged there")
}
