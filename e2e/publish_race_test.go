package e2e

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// together runs news-publish on two machines at the same time.
func together(t *testing.T, a, b *publisher, forA, forB []string) {
	t.Helper()
	var both sync.WaitGroup
	for p, args := range map[*publisher][]string{a: forA, b: forB} {
		both.Go(func() {
			if talk, status := p.run(args...); status != 0 {
				t.Errorf("%v: status %d: %s", args, status, talk)
			} else if strings.Contains(talk, "counting again") {
				t.Logf("%v: %s", args, talk)
			}
		})
	}
	both.Wait()
}

// Two machines, on the same month or on two, leave what one leaves.
func TestPublishersAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 4)
	smallMonth(t, folder, "2026/06", 2)
	options := func(months string) []string {
		return []string{"--months", months, "--commit-every", "2", "--jobs", "1"}
	}
	one := newPublisher(t, newMirror(t, folder), startHub(t))
	one.must(options("2026/07")...)
	july := one.hub.Files(repo, "main")
	one.must(options("2026/06")...)
	both := one.hub.Files(repo, "main")

	for _, test := range []struct {
		name, a, b string
		want       map[string]hubtest.File
	}{
		{"same month", "2026/07", "2026/07", july},
		{"two months", "2026/07", "2026/06", both},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, h := newMirror(t, folder), startHub(t)
			a, b := newPublisher(t, m, h), newPublisher(t, m, h)
			together(t, a, b, options(test.a), options(test.b))
			if got := h.Files(repo, "main"); !maps.Equal(got, test.want) {
				t.Errorf("%v, want %v; %s", got, test.want, content(t, h, "stats.csv"))
			}
			leftovers(t, a)
			leftovers(t, b)
		})
	}
}

// Whoever loses the race for the head counts again on the new one: a push by
// somebody else between any two requests of a commit takes nothing from either.
func TestPublishSurvivesOtherPushes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 2)
	h := startHub(t)
	p := newPublisher(t, newMirror(t, folder), h)
	pushes := 0
	h.Before(hubtest.RouteCommit, func() {
		if pushes++; pushes < 3 {
			h.Put(repo, fmt.Sprintf("other-%d", pushes), []byte("x"))
		}
	})
	talk := p.must("--months", "2026/07")
	if got := strings.Count(talk, "2026/07: somebody else has committed: counting again"); got != 2 {
		t.Errorf("%d: %s", got, talk)
	}
	files := h.Files(repo, "main")
	for _, path := range []string{"other-1", "other-2", "data/2026/07/CC-NEWS-20260701000001-00001.parquet"} {
		if _, ok := files[path]; !ok {
			t.Errorf("no %s", path)
		}
	}
}

// A folder is a repository too, for two at once as well.
func TestPublishIntoAFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 4)
	m := newMirror(t, folder)
	repo := t.TempDir() + "/repo"
	must(t, folder, "mkdir "+repo)
	a, b := newPublisher(t, m, nil), newPublisher(t, m, nil)
	options := []string{"--months", "2026/07", "--commit-every", "2", "--jobs", "1", "--repo", repo}
	together(t, a, b, options, options)
	if row := string(readFile(t, repo, "stats.csv")); !strings.Contains(row, "\n2026-07,4,4,8,") {
		t.Errorf("stats.csv: %s", row)
	}
	if out := must(t, repo, "hf-ls 2026/07 --repo . | shard-stats -q | LC_ALL=C sort | cmp - stats/2026/07.jsonl"); out != "" {
		t.Errorf("stats/2026/07.jsonl differs: %s", out)
	}
	talk := a.must("--months", "2026/07", "--repo", repo)
	if !strings.Contains(talk, "complete: 4 shards") {
		t.Error(talk)
	}
}

// A commit costs the same few requests however much the repository holds.
func TestCommitIntoALargeRepository(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 6)
	m, h := newMirror(t, folder), startHub(t)
	p := newPublisher(t, m, h)
	matches(t, p.must("--months", "2026/07", "--files", "2"), "2026/07: 2 of 6 shards are in me/news; made: 2, unfit: 0, left for later: 4")
	others := map[string][]byte{}
	for i := range 40_000 {
		others[fmt.Sprintf("data/%d/%02d/CC-NEWS-%06d.parquet", 2017+i/4800, 1+i/400%12, i)] = fmt.Appendf(nil, "PAR1 %d PAR1", i)
	}
	h.PutFiles(repo, others)
	h.Forget()
	p.must("--months", "2026/07", "--commit-every", "2", "--jobs", "1")
	var costs []int
	cost, finding := 0, 2 // the head and the month's listing are what tells what is missing
	for _, r := range h.Requests() {
		switch r.Route {
		case hubtest.RouteBatch, hubtest.RoutePutObject, hubtest.RouteVerify: // uploads
			continue
		}
		if finding > 0 {
			finding--
			continue
		}
		if cost++; r.Route == hubtest.RouteCommit {
			costs, cost = append(costs, cost), 0
		}
	}
	if len(costs) != 2 || costs[0] > 10 || costs[1] > 10 || cost > 0 {
		t.Errorf("commits cost %v requests, and then %d came", costs, cost)
	}
	t.Logf("commits cost %v requests", costs)
	if row := ledgerRow(t, h, "2026-07"); row["files"] != "6" || row["complete"] != "true" {
		t.Errorf("%v", row)
	}
}
