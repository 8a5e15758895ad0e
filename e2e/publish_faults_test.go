package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// A month in which archives are damaged, cut, empty, without a response, or not
// there: what can be read is published, the others are named and counted.
func TestPublishUnfitArchives(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 8)
	m, h := newMirror(t, folder), startHub(t)
	whole := readFile(t, folder, names[0])
	harmed := slices.Clone(whole)
	copy(harmed[len(harmed)-3000:], "damage")
	writeBelow(t, folder, names[0], harmed)
	writeBelow(t, folder, names[1], nil)
	writeBelow(t, folder, names[2], whole[:newsTruth(t)[0].Offset]) // the head, no response
	m.fail(names[3], answers(404, always))
	m.fail(names[4], answers(403, always))
	m.fail(names[5], cutAfter(m, 2000, always))
	m.fail(names[6], answers(503, 1)) // passes
	p := newPublisher(t, m, h)
	talk, status := p.run("--months", "2026/07", "--jobs", "4")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for i, why := range map[int]string{
		1: "unfit: http.*: the input is empty", 2: "unfit: there is no response in it", 3: "unfit: http.*404 Not Found",
		4: "unfit: http.*given up after 3 tries in .*: 403 Forbidden", 5: "unfit: http.*given up after 3 tries in .*EOF",
	} {
		matches(t, talk, "news-publish: "+names[i]+": "+why)
	}
	matches(t, talk, "news-publish: "+names[0]+": 1 damaged places")
	matches(t, talk, "2026/07: 3 of 8 shards are in me/news; made: 3, unfit: 5, left for later: 0")
	row := ledgerRow(t, h, "2026-07")
	if row["files"] != "3" || row["total_files"] != "8" || row["unfit"] != "5" || row["damaged"] != "1" || row["complete"] != "false" {
		t.Errorf("%v", row)
	}

	// Nothing has changed, so the next run commits nothing, and says the same.
	head := h.Head(repo, "main")
	if talk, status = p.run("--months", "2026/07", "--jobs", "4"); status != 1 || h.Head(repo, "main") != head {
		t.Errorf("status %d, %d commits: %s", status, len(h.Commits(repo, "main")), talk)
	}
	// One is mended, and its shard is made.
	writeBelow(t, folder, names[1], whole)
	p.run("--months", "2026/07", "--jobs", "4")
	if row := ledgerRow(t, h, "2026-07"); row["files"] != "4" || row["unfit"] != "4" {
		t.Errorf("%v", row)
	}
}

// An archive that ends inside a record is published, and said to be so.
func TestPublishArchiveThatEndsEarly(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 2)
	for _, name := range names {
		whole := readFile(t, folder, name)
		writeBelow(t, folder, name, whole[:len(whole)-1000])
	}
	p := newPublisher(t, newMirror(t, folder), startHub(t))
	says := func(name string) string {
		return "news-publish: " + name + ": 1 damaged places: it ends inside a record, and what follows is missing. " +
			"If its copy was not finished: hf-put --repo me/news --delete " + shardOf(name) + ", and the same command once it is"
	}
	line, talk, status := p.pipe("", "--one", names[0])
	if status != 0 || !strings.Contains(line, `"damaged":1,`) {
		t.Errorf("status %d: %s", status, line)
	}
	matches(t, talk, says(names[0]))
	talk = p.must("--months", "2026/07")
	matches(t, talk, says(names[0]))
	matches(t, talk, says(names[1]))
	if row := ledgerRow(t, p.hub, "2026-07"); row["damaged"] != "2" || row["complete"] != "true" {
		t.Errorf("%v", row)
	}
}

// matches wants a line of talk to match a regular expression.
func matches(t *testing.T, talk, re string) {
	t.Helper()
	cmd := exec.Command("grep", "-qE", "--", re)
	cmd.Stdin = strings.NewReader(talk)
	if cmd.Run() != nil {
		t.Errorf("nothing like %q in %s", re, talk)
	}
}

// What stops a run says so before anything is built, and with which status.
func TestPublishMessages(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 3)
	writeBelow(t, folder, "crawl-data/CC-NEWS/2026/05/warc.paths.gz", []byte("not gzip"))
	small := t.TempDir()
	write(t, []byte("#!/bin/sh\necho Avail; echo 1000000\n"), small, "df")
	bare := t.TempDir()
	must(t, bare, "for t in bash readlink sed sort gzip nproc mkfifo df xargs curl cat rm mktemp; do ln -s $(command -v $t) $t; done")
	if err := os.Chmod(filepath.Join(small, "df"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		env    func(p *publisher) []string
		break_ func(*hubtest.Hub, *mirror)
		args   []string
		status int
		talk   string
	}{
		{name: "no token", env: func(*publisher) []string { return []string{"HF_TOKEN="} }, status: 1,
			talk: `there is no token: run "hf auth login" or set HF_TOKEN`},
		{name: "month not there", args: []string{"--months", "2026/09"}, status: 1,
			talk: "2026/09: there is no such month: http.*/crawl-data/CC-NEWS/2026/09/warc.paths.gz answers 404"},
		{name: "month not there in a folder", args: []string{"--months", "2026/09"}, status: 1,
			env:  func(*publisher) []string { return []string{"CC_BASE=" + folder} },
			talk: "2026/09: there is no such month: .*/warc.paths.gz does not exist"},
		{name: "manifest damaged", args: []string{"--months", "2026/05"}, status: 1, talk: "2026/05: the list of archives is damaged"},
		{name: "manifest unreachable", status: 75, talk: "2026/07: the list of archives cannot be read: .*: try later",
			env: func(*publisher) []string { return []string{"CC_BASE=http://127.0.0.1:1/"} }},
		{name: "manifest fails", status: 75, talk: "2026/07: the list of archives cannot be read: .* answers 503: try later",
			break_: func(_ *hubtest.Hub, m *mirror) { m.fail(july+"/warc.paths.gz", answers(503, always)) }},
		{name: "repository missing", args: []string{"--repo", "me/none"}, status: 1, talk: "no such repository, or no access to it"},
		{name: "folder missing", args: []string{"--repo", "./none"}, status: 1, talk: "the folder does not exist: .*make it with mkdir"},
		{name: "listing fails", status: 75, talk: "2026/07: the repository cannot be read",
			break_: func(h *hubtest.Hub, _ *mirror) {
				h.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteTree}, Status: 429, Header: map[string]string{"Retry-After": "900"}, Message: "too many"})
			}},
		{name: "no room", status: 1, talk: "MiB of disk are needed and 0 MiB are free: make room",
			env: func(p *publisher) []string { return []string{"PATH=" + small + ":" + bin + ":" + os.Getenv("PATH")} }},
		{name: "missing tool", status: 1, talk: "warc-records is missing: install it, or put it into PATH",
			env: func(*publisher) []string { return []string{"PATH=" + bare} }},
		{name: "no months", args: []string{"--months", ""}, status: 2, talk: "--months is needed"},
		{name: "bad month", args: []string{"--months", "2026-07"}, status: 2, talk: "--months 2026-07: months are written 2026/07,2026/08"},
		{name: "no repository's name", args: []string{"--repo", "news"}, status: 2, talk: `--repo: "news": not a repository: it must be namespace/name, or a folder as ./folder`},
		{name: "an argument", args: []string{"--", "--dry-run"}, status: 2, talk: "no argument --dry-run: months are named by --months"},
		{name: "one dry", args: []string{"--one", names[0], "-n"}, status: 2, talk: "--one and --dry-run do not go together"},
		{name: "dry commit", args: []string{"--dry-run", "--commit"}, status: 2, talk: "--dry-run and --commit do not go together"},
		{name: "list and commit", args: []string{"--list", "--commit"}, status: 2, talk: "--list and --commit do not go together"},
		{name: "dry list", args: []string{"-n", "--list"}, status: 2, talk: "--dry-run and --list do not go together"},
		{name: "two of one", args: []string{"--one", names[0], "--one", names[1]}, status: 2, talk: "a run makes one shard"},
		{name: "end of options", args: []string{"--dry-run", "--"}, talk: "3 to make"},
		{name: "unknown option", args: []string{"--nope"}, status: 2, talk: "unknown option --nope"},
		{name: "dry run", args: []string{"--dry-run"}, talk: "2026/07: 3 archives, 0 shards in me/news, 0 wait in staging, 3 to make"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, h := newMirror(t, folder), startHub(t)
			p := newPublisher(t, m, h)
			if test.env != nil {
				p.env = test.env(p)
			}
			if test.break_ != nil {
				test.break_(h, m)
			}
			if !slices.Contains(test.args, "--months") {
				test.args = append([]string{"--months", "2026/07"}, test.args...)
			}
			talk, status := p.run(test.args...)
			if status != test.status {
				t.Errorf("status %d: %s", status, talk)
			}
			matches(t, talk, test.talk)
			if begun := m.forget(); begun[names[0]] > 0 || len(h.Commits(repo, "main")) > 1 {
				t.Errorf("%v, %d commits", begun, len(h.Commits(repo, "main")))
			}
			leftovers(t, p)
		})
	}
}

// The quota of commits is 75 and says when it goes on; what was finished by then is
// not made again. A manifest that grew is no complete month any more.
func TestPublishQuotaAndGrowth(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 4)
	m, h := newMirror(t, folder), startHub(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.CommitQuota = 1 }))
	p := newPublisher(t, m, h)
	options := []string{"--months", "2026/07", "--commit-every", "2", "--jobs", "2"}
	talk, status := p.run(options...)
	if status != 75 {
		t.Errorf("status %d", status)
	}
	matches(t, talk, "try again at [0-9:]* UTC")
	matches(t, talk, "2026/07: not committed yet; finished shards wait in .*/staging: run the same command again later")
	m.forget()
	h.Set(func(s *hubtest.Settings) { s.CommitQuota = 0 })
	p.must(options...)
	if begun := m.forget(); begun[names[0]]+begun[names[1]]+begun[names[2]] > 0 {
		t.Errorf("made again: %v", begun)
	}
	writeManifest(t, folder, "2026/07", append(names, smallMonth(t, t.TempDir(), "2026/07", 5)[4]))
	smallMonth(t, folder, "2026/07", 5)
	if listed, _, _ := p.pipe("", "--list", "--months", "2026/07"); listed != july+"/CC-NEWS-20260701000004-00004.warc.gz\n" {
		t.Errorf("--list: %s", listed)
	}
	matches(t, p.must(options...), "2026/07: 5 of 5 shards are in me/news; made: 1,")
	if row := ledgerRow(t, h, "2026-07"); row["total_files"] != "5" || row["complete"] != "true" {
		t.Errorf("%v", row)
	}
}

// --tries is for the hub, too: for its listings as for its commits.
func TestPublishTries(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 1)
	for route, says := range map[hubtest.Route]string{
		hubtest.RouteInfo:   "2026/07: the repository cannot be read",
		hubtest.RouteTree:   "2026/07: the repository cannot be read",
		hubtest.RouteBatch:  "2026/07: nothing can be committed to me/news",
		hubtest.RouteCommit: "2026/07: not committed yet",
	} {
		for _, tries := range []int{1, 2} {
			h := startHub(t)
			h.Fail(hubtest.Status(route, 503).Times(hubtest.Always))
			p := newPublisher(t, newMirror(t, folder), h)
			talk, status := p.run("--months", "2026/07", "--tries", fmt.Sprint(tries))
			if status != 75 {
				t.Errorf("%v: status %d", route, status)
			}
			matches(t, talk, says)
			asked := 0
			for _, r := range h.Requests() {
				if r.Route == route {
					asked++
				}
			}
			if asked != tries {
				t.Errorf("%v: asked %d times with --tries %d: %s", route, asked, tries, talk)
			}
		}
	}
}

// --recount reads all shards again, --rebuild makes those again that are old. Both
// mend what somebody else has broken.
func TestPublishRecountAndRebuild(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", 3)
	m, h := newMirror(t, folder), startHub(t)
	p := newPublisher(t, m, h)
	p.must("--months", "2026/07")
	want := h.Files(repo, "main")
	wrong := strings.Replace(content(t, h, "stats.csv"), "2026-07,3,3,6,", "2026-07,3,3,7,", 1)
	stats := content(t, h, "stats/2026/07.jsonl")
	h.PutFiles(repo, map[string][]byte{
		"languages.csv":       []byte(strings.Replace(content(t, h, "languages.csv"), ",1\n", ",2\n", 1)),
		"stats.csv":           []byte(wrong),
		"stats/2026/07.jsonl": []byte(strings.ReplaceAll(stats, `"damaged":0`, `"damaged":5`)),
	})
	p.must("--months", "2026/07", "--recount")
	if got := h.Files(repo, "main"); got["stats.csv"] != want["stats.csv"] || got["languages.csv"] != want["languages.csv"] {
		t.Errorf("%s", content(t, h, "stats.csv"))
	}

	old := strings.Replace(content(t, h, "stats/2026/07.jsonl"), fmt.Sprintf(`"index_version":%d`, ccindex.IndexVersion), `"index_version":0`, 1)
	h.Put(repo, "stats/2026/07.jsonl", []byte(old))
	m.forget()
	matches(t, p.must("--months", "2026/07", "--rebuild"), "made: 1,")
	if begun := m.forget(); begun[names[0]] != 1 || begun[names[1]] != 0 {
		t.Errorf("%v", begun)
	}
	if got := h.Files(repo, "main"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}
