package hubtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

type entry struct {
	Type, Oid, Path string
	Size            int64
	LFS             *struct {
		Oid  string
		Size int64
	}
	LastCommit *struct{ ID, Title string }
}

func paths(entries []entry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Path)
	}
	return all
}

// Files whose names git sorts otherwise than a plain sort of paths does.
var seeded = map[string][]byte{
	"a": []byte("a"), "b.txt": []byte("b"), "b/x.txt": []byte("x"), "b-c": []byte("c"),
	"b/d/e.parquet": []byte("shard"), "c#/a%20b +?.parquet": []byte("odd"),
}

func TestOidsAreGits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is not installed")
		}
		t.Skip("SKIPPED, NOT TESTED: git is not installed")
	}
	c := start(t)
	c.hub.PutFiles(demo, seeded)
	work := t.TempDir()
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", work}, args...)...).Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	attributes, err := c.hub.Content(demo, "main", ".gitattributes")
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string, content []byte) {
		name := filepath.Join(work, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range seeded {
		if strings.HasSuffix(path, ".parquet") {
			content = fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", sum(content), len(content))
		}
		write(path, content)
	}
	git("add", ".") // before there are attributes: pointers are added as they are
	write(".gitattributes", attributes)
	git("add", ".gitattributes")
	tree := git("write-tree")

	var entries []entry
	c.want(200, &entries, "GET", "/api/datasets/me/demo/tree/main?recursive=true", nil)
	for _, e := range entries {
		if want := git("rev-parse", tree+":"+e.Path); e.Oid != want {
			t.Errorf("%s: oid %s, git says %s", e.Path, e.Oid, want)
		}
	}
	if len(entries) != 10 {
		t.Errorf("%d entries: %q", len(entries), paths(entries))
	}
}

func TestPagesHoldTheWholeTreeInEveryLinkForm(t *testing.T) {
	c := start(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.PageSize = 3 }))
	c.hub.PutFiles(demo, seeded)
	for _, form := range []hubtest.LinkForm{hubtest.LinkAbsolute, hubtest.LinkRelative} {
		c.hub.Set(func(s *hubtest.Settings) { s.NextLink = form })
		var all []entry
		target := "/api/datasets/me/demo/tree/main?recursive=true"
		for target != "" {
			var page []entry
			got := c.want(200, &page, "GET", target, nil)
			all = append(all, page...)
			target = next(got)
			if len(all) == 3 { // a push in mid-listing is not in it
				c.hub.Put(demo, "A-first.txt", []byte(form))
				c.hub.Remove(demo, "A-first.txt")
			}
		}
		if len(all) != 10 || !slices.IsSorted(paths(all)[:2]) {
			t.Errorf("%q: %q", form, paths(all))
		}
	}
	first := func(form hubtest.LinkForm) answer {
		c.hub.Set(func(s *hubtest.Settings) { s.NextLink = form })
		return c.want(200, nil, "GET", "/api/datasets/me/demo/tree/main?recursive=true", nil)
	}
	if got := next(first(hubtest.LinkForeign)); !strings.HasPrefix(got, c.hub.StorageURL()+"/api/datasets/me/demo/tree/main?") {
		t.Errorf("foreign: %s", got)
	}
	if got := next(first(hubtest.LinkRepeated)); got != c.hub.Endpoint()+"/api/datasets/me/demo/tree/main?recursive=true" {
		t.Errorf("repeated: %s", got)
	}
	several := first(hubtest.LinkSeveral).header["Link"]
	if all := strings.Join(several, "\n"); len(several) != 2 || strings.Count(all, `rel="next"`) != 1 || strings.Count(all, `rel="`) != 3 {
		t.Errorf("several: %q", several)
	}
}

func TestTreeTakesFoldersAlone(t *testing.T) {
	c := start(t)
	c.hub.PutFiles(demo, seeded)
	const tree = "/api/datasets/me/demo/tree/"
	var entries []entry
	c.want(200, &entries, "GET", tree+"main/b", nil)
	if got := paths(entries); !slices.Equal(got, []string{"b/d", "b/x.txt"}) {
		t.Errorf("b has %q", got)
	}
	for _, path := range []string{"b/d", "b%2Fd", "c%23"} {
		c.want(200, &entries, "GET", tree+"refs%2Fheads%2Fmain/"+path+"?expand=true", nil)
		if len(entries) != 1 || entries[0].LFS == nil || entries[0].LastCommit.Title != "seed" {
			t.Errorf("%s: %+v", path, entries)
		}
	}
	c.want(200, &entries, "GET", tree+"main?limit=2", nil)
	if len(entries) != 2 {
		t.Errorf("limit=2: %q", paths(entries))
	}
	for target, code := range map[string]string{
		"main/nope": "EntryNotFound", "main/a": "EntryNotFound", "main/": "", "zz": "RevisionNotFound",
		"refs%252Fheads%252Fmain": "RevisionNotFound", "refs/heads/main": "RevisionNotFound",
	} {
		got := c.do("GET", tree+target, nil)
		if got.header.Get("X-Error-Code") != code || (code != "") != (got.status == 404) {
			t.Errorf("%s: %d %s", target, got.status, got.header.Get("X-Error-Code"))
		}
	}
}

func TestPathsInfoLeavesOutWhatIsNotThere(t *testing.T) {
	c := start(t)
	c.hub.PutFiles(demo, seeded)
	const target = "/api/datasets/me/demo/paths-info/main"
	asked := []string{"b.txt", "b/d/e.parquet", "missing", "c#/a%20b +?.parquet", "b", "a"}
	var byJSON, byForm []entry
	c.want(200, &byJSON, "POST", target, map[string]any{"paths": asked})
	c.want(200, &byForm, "POST", target, "paths=b.txt&paths=b%2Fd%2Fe.parquet&paths=missing&paths=c%23%2Fa%2520b+%2B%3F.parquet&paths=b&paths=a&expand=false",
		"Content-Type: application/x-www-form-urlencoded")
	want := slices.DeleteFunc(slices.Clone(asked), func(s string) bool { return s == "missing" })
	if !slices.Equal(paths(byJSON), want) || !slices.Equal(paths(byForm), want) {
		t.Errorf("JSON %q, form %q", paths(byJSON), paths(byForm))
	}
	c.hub.Set(func(s *hubtest.Settings) { s.Shuffle = true })
	c.want(200, &byJSON, "POST", target, map[string]any{"paths": asked})
	slices.Sort(want)
	if slices.Equal(paths(byJSON), paths(byForm)) || !slices.Equal(slices.Sorted(slices.Values(paths(byJSON))), want) {
		t.Errorf("shuffled: %q", paths(byJSON))
	}
	c.want(413, nil, "POST", target, map[string]any{"paths": make([]string, 1001)})
}
