package hubtest_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

func TestCommitIsAllOrNothing(t *testing.T) {
	c := start(t)
	c.hub.PutFiles(demo, map[string][]byte{"a.txt": []byte("a"), "d/b.txt": []byte("b"), "d/c.txt": []byte("c")})
	before, head := c.hub.Files(demo, "main"), c.hub.Head(demo, "main")
	good := fileLine("new.txt", []byte("new"))
	for name, test := range map[string]struct {
		status int
		lines  []string
	}{
		"unknown object":   {400, []string{header("x"), good, lfsLine("x.parquet", []byte("never uploaded"))}},
		"missing file":     {404, []string{header("x"), good, line("deletedFile", map[string]any{"path": "nope"})}},
		"folder as a file": {404, []string{header("x"), good, line("deletedFile", map[string]any{"path": "d"})}},
		"stale parent":     {412, []string{line("header", map[string]any{"summary": "x", "parentCommit": strings.Repeat("0", 40)}), good}},
		"no header":        {400, []string{good}},
		"late header":      {400, []string{good, header("x")}},
		"two headers":      {400, []string{header("x"), header("x"), good}},
		"no summary":       {400, []string{header(""), good}},
		"unknown key":      {400, []string{header("x"), good, line("copyFile", map[string]any{"path": "y"})}},
		"no base64":        {400, []string{header("x"), good, line("file", map[string]any{"path": "y", "content": "*", "encoding": "base64"})}},
		"file as a folder": {400, []string{header("x"), good, fileLine("a.txt/below", nil)}},
		"folder as target": {400, []string{header("x"), good, fileLine("d", nil)}},
		"upwards":          {400, []string{header("x"), good, fileLine("d/../e", nil)}},
		"rooted":           {400, []string{header("x"), good, fileLine("/e", nil)}},
		"no JSON":          {400, []string{header("x"), good, "{"}},
	} {
		t.Run(name, func(t *testing.T) { c.commit(test.status, "main", test.lines...) })
	}
	c.want(400, nil, "POST", "/api/datasets/me/demo/commit/main", header("x"), "Content-Type: application/json")
	c.commit(400, head, header("x"), good)
	c.commit(404, "nobranch", header("x"), good)
	if after := c.hub.Files(demo, "main"); !maps.Equal(before, after) || c.hub.Head(demo, "main") != head {
		t.Errorf("something of it was done: %v", after)
	}
}

func TestCommitChanges(t *testing.T) {
	c := start(t)
	c.hub.PutFiles(demo, map[string][]byte{"a.txt": []byte("a"), "d/b.txt": []byte("b"), "e/c.txt": []byte("c")})
	head := c.hub.Head(demo, "main")
	shard := []byte("an object in a file that no pattern is about")
	c.upload(shard)
	got := c.commit(200, "main", line("header", map[string]any{"summary": "s", "description": "d", "parentCommit": head[:12]}),
		line("file", map[string]any{"path": "a.txt", "content": "ünï", "encoding": "utf-8"}),
		line("deletedFile", map[string]any{"path": "d/b.txt"}), line("deletedFolder", map[string]any{"path": "e/"}),
		line("lfsFile", map[string]any{"path": "odd name [1]", "algo": "sha256", "oid": sum(shard)}))
	want := []string{".gitattributes", "a.txt", "odd name [1]"}
	files := c.hub.Files(demo, "main")
	if paths := slices.Sorted(maps.Keys(files)); !slices.Equal(paths, want) {
		t.Errorf("files are %q", paths)
	}
	if f := files["odd name [1]"]; f.Size != int64(len(shard)) || f.SHA256 != sum(shard) {
		t.Errorf("without a size: %+v", f)
	}
	attributes, _ := c.hub.Content(demo, "main", ".gitattributes")
	if !strings.HasSuffix(string(attributes), "\nodd[[:space:]]name[[:space:]]\\[1] filter=lfs diff=lfs merge=lfs -text\n") {
		t.Errorf(".gitattributes: %s", attributes)
	}
	c.commit(200, "main", header("the same"), line("lfsFile", map[string]any{"path": "odd name [1]", "algo": "sha256", "oid": sum(shard)}))
	if again, _ := c.hub.Content(demo, "main", ".gitattributes"); string(again) != string(attributes) {
		t.Errorf(".gitattributes again: %s", again)
	}
	log := c.hub.Commits(demo, "main")
	if len(log) != 4 || log[1].Title != "s" || log[1].Message != "d" || log[1].Author != "me" || !strings.Contains(string(got.body), log[1].ID) {
		t.Errorf("history %+v, answer %s", log, got.body)
	}
	if old := c.hub.Files(demo, head); len(old) != 4 {
		t.Errorf("the old revision has changed: %v", old)
	}
}

func TestIdsAreTheSameInEveryRun(t *testing.T) {
	history := func() []hubtest.Commit {
		c := start(t)
		c.hub.PutFiles(demo, seeded)
		c.commit(200, "main", header("more"), fileLine("z.txt", []byte("z")))
		return c.hub.Commits(demo, "main")
	}
	if one, two := history(), history(); !slices.Equal(one, two) {
		t.Errorf("%v is not %v", one, two)
	}
}

func TestConcurrentCommitsAllLand(t *testing.T) {
	c := start(t)
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() { c.commit(200, "main", header("x"), fileLine(string(rune('a'+i)), []byte{byte(i)})) })
	}
	group.Wait()
	if n, m := len(c.hub.Files(demo, "main")), len(c.hub.Commits(demo, "main")); n != 21 || m != 21 {
		t.Errorf("%d files of %d commits", n, m)
	}
}

func TestPullRequests(t *testing.T) {
	c := start(t, hubtest.WithAccount(hubtest.Account{Name: "guest", Token: "hf_pr", Role: hubtest.RolePR}))
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	c.token = "hf_pr"
	file := fileLine("a.txt", []byte("a"))
	c.commit(403, "main", header("x"), file)
	if got := c.commit(200, "main?create_pr=1", header("x"), file); !strings.Contains(string(got.body), "/discussions/1") {
		t.Errorf("%s", got.body)
	}
	var made struct{ Num int }
	c.want(200, &made, "POST", "/api/datasets/me/demo/discussions", map[string]any{"title": "t", "description": "", "pullRequest": true})
	c.commit(200, "refs%2Fpr%2F2", header("y"), file)
	if made.Num != 2 || len(c.hub.Files(demo, "refs/pr/1")) != 2 || len(c.hub.Files(demo, "refs/pr/2")) != 2 || len(c.hub.Files(demo, "main")) != 1 {
		t.Errorf("pull request %d, main has %v", made.Num, c.hub.Files(demo, "main"))
	}
	var refs map[string][]struct{ Ref string }
	c.want(200, &refs, "GET", "/api/datasets/me/demo/refs?include_prs=1", nil)
	if len(refs["pullRequests"]) != 2 || len(refs["branches"]) != 1 {
		t.Errorf("refs: %v", refs)
	}
}

func TestBranchesTagsAndHistory(t *testing.T) {
	c := start(t)
	first := c.hub.Put(demo, "a.txt", []byte("1"))
	c.hub.Put(demo, "a.txt", []byte("2"))
	c.want(200, nil, "POST", "/api/datasets/me/demo/branch/old%2Fone", map[string]any{"startingPoint": first})
	c.want(409, nil, "POST", "/api/datasets/me/demo/branch/old%2Fone", map[string]any{})
	c.want(200, nil, "POST", "/api/datasets/me/demo/tag/"+first[:7], map[string]any{"tag": "v1"})
	for _, rev := range []string{"old/one", "v1", first, first[:8], "refs/heads/old/one"} {
		if content, err := c.hub.Content(demo, rev, "a.txt"); string(content) != "1" {
			t.Errorf("%s: %q, %v", rev, content, err)
		}
	}
	var log []struct{ ID, Title string }
	page := c.want(200, &log, "GET", "/api/datasets/me/demo/commits/main?limit=2", nil)
	if len(log) != 2 || log[1].ID != first {
		t.Errorf("log: %v", log)
	}
	last := c.want(200, &log, "GET", next(page), nil)
	if len(log) != 1 || log[0].Title != "initial commit" || next(last) != "" {
		t.Errorf("its second page: %v", log)
	}
	c.want(200, nil, "DELETE", "/api/datasets/me/demo/branch/old%2Fone", nil)
	c.want(404, nil, "GET", "/api/datasets/me/demo/revision/old%2Fone", nil)
}

func TestStaleReadsAndCommitQuota(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	c := start(t, hubtest.WithClock(func() time.Time { return now }),
		hubtest.WithSettings(func(s *hubtest.Settings) { s.StaleReads, s.CommitQuota = 2, 2 }))
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	old := c.hub.Head(demo, "main")
	sha := func() string {
		var info struct{ Sha string }
		c.want(200, &info, "GET", "/api/datasets/me/demo/revision/main?expand[]=sha", nil)
		return info.Sha
	}
	c.commit(200, "main", header("x"), fileLine("a", nil))
	if got := []string{sha(), sha(), sha()}; got[0] != old || got[1] != old || got[2] != c.hub.Head(demo, "main") {
		t.Errorf("heads read: %v", got)
	}
	c.commit(200, "main", header("x"), fileLine("b", nil))
	refused := c.commit(429, "main", header("x"), fileLine("c", nil))
	if refused.header.Get("RateLimit") != `"api";r=949;t=271` || !strings.Contains(string(refused.body), "(2 per hour)") {
		t.Errorf("%v %s", refused.header, refused.body)
	}
	now = now.Add(time.Hour)
	c.commit(200, "main", header("x"), fileLine("c", nil))
}
