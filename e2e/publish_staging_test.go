package e2e

import (
	"os"
	"path/filepath"
	"strings"
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

// A line or a shard under another's name is refused, and so is what is not the whole
// of its archive. The lines beside it are committed.
func TestPublishRefusesSwappedShards(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 3)
	m, h := newMirror(t, folder), startHub(t)
	p := newPublisher(t, m, h)
	var lines []string
	for _, name := range names {
		line, talk, status := p.pipe("", "--one", name)
		if status != 0 {
			t.Fatalf("status %d: %s", status, talk)
		}
		lines = append(lines, line)
	}
	swapped := strings.Replace(lines[0], shardOf(names[0]), shardOf(names[1]), 1)
	part := strings.Replace(lines[2], `"complete":true`, `"complete":false`, 1)
	_, talk, status := p.pipe(swapped+lines[0]+part, "--commit")
	if status != 1 || strings.Contains(talk, "does not end") || strings.Count(talk, "news-publish: data/") != 2 {
		t.Errorf("status %d: %s", status, talk)
	}
	matches(t, talk, "news-publish: "+shardOf(names[1])+": its line does not say that it is the whole of "+names[1])
	matches(t, talk, "2026/07: 1 of 3 shards are in me/news")

	// In the staging folder.
	shard, err := h.Content(repo, "main", shardOf(names[0]))
	if err != nil {
		t.Fatal(err)
	}
	writeBelow(t, p.staging(), shardOf(names[1]), shard)
	matches(t, p.must("--months", "2026/07"), names[1]+": its staged shard is damaged, old, or not its own: it is made again")
	want := h.Files(repo, "main")

	// In the repository.
	h.Put(repo, shardOf(names[1]), shard)
	if talk, status = p.run("--months", "2026/07", "--recount"); status != 1 {
		t.Errorf("status %d", status)
	}
	matches(t, talk, "2026/07: "+shardOf(names[1])+" is the shard of another archive: --rebuild makes it again")
	matches(t, p.must("--months", "2026/07", "--rebuild"), "made: 1,")
	if got := h.Files(repo, "main"); got[shardOf(names[1])] != want[shardOf(names[1])] {
		t.Errorf("%v, want %v", got, want)
	}
	leftovers(t, p)
}

// A shard of a part of its archive is one until --rebuild, and its month is not
// complete.
func TestPublishRebuildsParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 2)
	m, h := newMirror(t, folder), startHub(t)
	p := newPublisher(t, m, h)
	p.must("--months", "2026/07")
	want := h.Files(repo, "main")
	must(t, p.dir, "warc-records --no-end --filename "+names[0]+" "+folder+"/"+names[0]+" | record-index | jsonl2parquet -o "+folder+"/part")
	h.Put(repo, shardOf(names[0]), readFile(t, folder, "part"))
	p.must("--months", "2026/07", "--recount")
	if row := ledgerRow(t, h, "2026-07"); row["files"] != "2" || row["complete"] != "false" {
		t.Errorf("%v", row)
	}
	m.forget()
	matches(t, p.must("--months", "2026/07", "--rebuild"), "made: 1,")
	if begun := m.forget(); begun[names[0]] != 1 || begun[names[1]] != 0 {
		t.Errorf("%v", begun)
	}
	row := ledgerRow(t, h, "2026-07")
	if got := h.Files(repo, "main"); got[shardOf(names[0])] != want[shardOf(names[0])] || row["complete"] != "true" {
		t.Errorf("%v, want %v: %v", got, want, row)
	}
	leftovers(t, p)
}
