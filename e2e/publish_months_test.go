package e2e

import (
	"strings"
	"testing"
)

// Months are taken once each, from all --months; one that cannot be done is named and
// stops no other.
func TestPublishMonths(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	june, july := smallMonth(t, folder, "2026/06", 1), smallMonth(t, folder, "2026/07", 1)
	writeBelow(t, folder, "crawl-data/CC-NEWS/2026/05/warc.paths.gz", []byte("not gzip"))
	m, h := newMirror(t, folder), startHub(t)
	p := newPublisher(t, m, h)
	months := []string{"--months", "2026/09,2026/06", "--months=2026/05,2026/07,2026/06", "--months", "2026/07"}
	names := strings.Join(append(june, july...), "\n") + "\n"
	if listed, talk, status := p.pipe("", append([]string{"--list"}, months...)...); listed != names || status != 1 {
		t.Errorf("--list: status %d: %s%s", status, listed, talk)
	}
	talk, status := p.run(append([]string{"-n"}, months...)...)
	if status != 1 || strings.Count(talk, "1 to make") != 2 {
		t.Errorf("-n: status %d: %s", status, talk)
	}
	talk, status = p.run(months...)
	if status != 1 || strings.Count(talk, "1 of 1 shards are in me/news") != 2 || strings.Contains(talk, "complete: 1 shards") {
		t.Errorf("status %d: %s", status, talk)
	}
	matches(t, talk, "2026/09: there is no such month: http.*/2026/09/warc.paths.gz answers 404")
	matches(t, talk, "2026/05: the list of archives is damaged")
	for _, name := range append(june, july...) {
		if _, ok := h.Files(repo, "main")[shardOf(name)]; !ok {
			t.Errorf("no shard of %s", name)
		}
	}

	// What passes is tried again later.
	m.fail("crawl-data/CC-NEWS/2026/06/warc.paths.gz", answers(503, always))
	talk, status = p.run("--months", "2026/06,2026/07")
	if status != 75 {
		t.Errorf("status %d", status)
	}
	matches(t, talk, "2026/06: the list of archives cannot be read: .* answers 503: try later")
	matches(t, talk, "2026/07: complete: 1 shards")

	// So with lines of --one.
	var lines string
	for _, name := range append(june, july...) {
		line, talk, status := p.pipe("", "--one", name)
		if status != 0 {
			t.Fatalf("status %d: %s", status, talk)
		}
		lines += line
	}
	if _, talk, status = p.pipe(lines, "--commit"); status != 75 {
		t.Errorf("--commit: status %d", status)
	}
	matches(t, talk, "2026/06: its shards are not committed")
	matches(t, talk, "2026/07: 1 of 1 shards are in me/news")
	leftovers(t, p)
}
