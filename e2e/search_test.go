package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// splitNews writes the news archive as n archives of a month into a folder like
// data.commoncrawl.org, with the month's manifest, and gives their names.
func splitNews(t *testing.T, folder string, n int) (names []string) {
	t.Helper()
	archive := readFile(t, newsArchive(t))
	all := newsTruth(t)
	const month = "crawl-data/CC-NEWS/2026/07"
	if err := os.MkdirAll(filepath.Join(folder, month), 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		rows := all[len(all)*i/n : len(all)*(i+1)/n]
		last := rows[len(rows)-1]
		part := slices.Concat(archive[:all[0].Offset], archive[rows[0].Offset:last.Offset+last.Length])
		names = append(names, fmt.Sprintf("%s/CC-NEWS-202607%02d000000-%05d.warc.gz", month, i+1, i))
		write(t, part, folder, names[i])
	}
	var manifest bytes.Buffer
	w := gzip.NewWriter(&manifest)
	fmt.Fprintln(w, strings.Join(names, "\n"))
	w.Close()
	write(t, manifest.Bytes(), folder, month, "warc.paths.gz")
	return names
}

func write(t *testing.T, content []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func sorted(text string) []string { return slices.Sorted(strings.Lines(text)) }

// searchEnv has the scripts on the path, and archives and index in dir.
func searchEnv(dir string) string {
	scripts, _ := filepath.Abs("../scripts")
	return "export PATH=" + scripts + ":$PATH CC_BASE=" + dir + "/archives CCRAWL_NEWS_REPO=./repo; "
}

// The index and the archives give the same rows.
func TestNewsSearch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := splitNews(t, dir+"/archives", 8)
	env := searchEnv(dir)
	must(t, dir, "mkdir -p repo")
	for i, name := range names {
		must(t, dir, env+fmt.Sprintf("mkdir -p repo/data/2026/07; warc-records %s | record-index | jsonl2parquet --require-end -o repo/data/2026/07/part-%d.parquet", name, i))
	}
	found := 0
	for _, pattern := range []string{"example.org", "com", "www.theguardian.com", "rbb24.de", "absent.example"} {
		fromIndex, talk, status := shell(t, dir, env+"news-search "+pattern+" --year 2026 --month 7")
		if !strings.Contains(talk, "2026/07: from the index: 8 of 8 archives are in it") {
			t.Errorf("%s: %s", pattern, talk)
		}
		scanned, talk, again := shell(t, dir, env+"news-search --no-index --months 2026/07 "+pattern)
		if !strings.Contains(talk, "2026/07: reading 8 archives") {
			t.Errorf("%s: %s", pattern, talk)
		}
		if diff := cmp.Diff(sorted(scanned), sorted(fromIndex)); diff != "" || status != again {
			t.Errorf("%s: status %d and %d: -archives +index\n%s", pattern, again, status, diff)
		}
		want := 1
		if fromIndex != "" {
			want = 0
		}
		if status != want {
			t.Errorf("%s: status %d: %s", pattern, status, talk)
		}
		found += strings.Count(fromIndex, "\n")
	}
	if found < 50 {
		t.Errorf("%d rows in all", found)
	}

	// With filters, in other forms, of several months.
	for _, options := range []string{"-o tsv com --status 200 --lang deu,fra", "com/ --url-regex 'a.*e' -o urls", "-x -- www.example.org"} {
		fromIndex, talk, status := shell(t, dir, env+"news-search -q --months 2026/07 "+options)
		scanned, _, again := shell(t, dir, env+"news-search -q --months 2026/07 --no-index "+options)
		if diff := cmp.Diff(sorted(scanned), sorted(fromIndex)); diff != "" || status != again || fromIndex == "" || talk != "" {
			t.Errorf("%s: status %d and %d, %q: -archives +index\n%s", options, again, status, talk, diff)
		}
	}
	if urls := must(t, dir, env+"news-search -q com -o urls --months 2026/07"); !strings.HasPrefix(urls, "http") || strings.Contains(urls, `"`) {
		t.Errorf("%.200s", urls)
	}
	if tsv, _, _ := shell(t, dir, env+"news-search -q com -o tsv --months 2026/07 | head -n 1"); strings.Count(tsv, "\t") != 3 {
		t.Errorf("%q", tsv)
	}

	// Half a month answers from its part, and says so.
	must(t, dir, "rm repo/data/2026/07/part-[4-7].parquet")
	half, talk, status := shell(t, dir, env+"news-search com --months 2026/07")
	if !strings.Contains(talk, "4 of 8 archives") || !strings.Contains(talk, "the other 4 archives were not searched") || status != 0 || half == "" {
		t.Errorf("half: status %d: %s", status, talk)
	}
	// A month that is not indexed is read; one that is nowhere is trouble.
	must(t, dir, "rm -r repo/data")
	scanned, talk, status := shell(t, dir, env+"news-search com --months 2026/07")
	if !strings.Contains(talk, "not in the index") || status != 0 || strings.Count(scanned, "\n") <= strings.Count(half, "\n") {
		t.Errorf("not indexed: status %d: %s", status, talk)
	}
	if _, talk, status = shell(t, dir, env+"news-search com --months 2025/01"); status != 2 || !strings.Contains(talk, "the list of archives cannot be read") {
		t.Errorf("no such month: status %d: %s", status, talk)
	}
	// It is named, and the others are searched, each once.
	out, talk, status := shell(t, dir, env+"news-search com --months 2025/01,2026/07 --months 2026/07")
	if status != 2 || out != scanned || !strings.Contains(talk, "2025/01: the list of archives cannot be read") {
		t.Errorf("one of two months: status %d: %s", status, talk)
	}
	// A bad archive is trouble, even if the others have rows.
	must(t, dir, "head -c 1000 archives/"+names[2]+" >cut && echo junk >>cut && cp cut archives/"+names[2]+" && rm archives/"+names[3])
	if out, talk, status := shell(t, dir, env+"news-search com --months 2026/07"); status != 2 || out == "" || !strings.Contains(talk, names[3]) {
		t.Errorf("missing archive: status %d: %s", status, talk)
	}
}

// A repository that cannot be read is an error, and no reason to read a month.
func TestNewsSearchWithoutItsIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	splitNews(t, dir+"/archives", 2)
	hub := hubtest.Start(t)
	hub.CreateRepo("me/private", hubtest.RepoOptions{Private: true})
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	env := searchEnv(dir) + "unset HF_TOKEN; export HF_HOME=" + dir + " HF_ENDPOINT=" + hub.Endpoint() + " CCRAWL_NEWS_REPO=me/private; "
	for name, script := range map[string]string{
		"forbidden": env + "news-search com --months 2026/07",
		"bad token": env + "export HF_TOKEN=hf_wrong; news-search com --months 2026/07",
		"no folder": env + "news-search com --months 2026/07 --repo ./absent",
	} {
		out, talk, status := shell(t, dir, script)
		if status != 2 || out != "" || !strings.Contains(talk, "the index cannot be read; --no-index does without") || strings.Contains(talk, "reading") {
			t.Errorf("%s: status %d: %q %s", name, status, out, talk)
		}
	}
	hub.Fail(hubtest.Status(hubtest.RouteTree, 404).Times(hubtest.Always))
	if _, talk, status := shell(t, dir, env+"export HF_TOKEN="+hub.Token()+"; news-search com --months 2026/07"); status != 2 {
		t.Errorf("404: status %d: %s", status, talk)
	}
}

func TestNewsSearchHelpAndUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := searchEnv(dir)
	if out := must(t, dir, env+"news-search --help"); !strings.HasPrefix(out, "Usage: news-search ") || !strings.Contains(out, "Exit status") {
		t.Errorf("%.100s", out)
	}
	if out := must(t, dir, env+"news-search -V"); !strings.HasPrefix(out, "news-search ") {
		t.Errorf("%q", out)
	}
	for arguments, says := range map[string]string{
		"":                                 "no PATTERN",
		"com":                              "say which month",
		"com --year 2026":                  "say which month",
		"com --months 2026-07":             "months are written 2026/07",
		"com --months 2026/13":             "months are written 2026/07",
		"com --months 2026/07 --year 2026": "--months, or --year and --month",
		"com org --months 2026/07":         "one PATTERN",
		"'*.com' --months 2026/07":         "is a pattern: give the domain",
		"com --months 2026/07 -o xml":      "it is jsonl, tsv or urls",
		"com --months 2026/07 --since x":   "neither a day",
		"com --months 2026/07 --repo news": `--repo: "news": not a repository`,
		"com --months 2026/07 --lang en":   `--lang: "en": codes are of three letters: say eng`,
		"--months 2026/07 -- com -x":       "one PATTERN, not com and -x",
		"com --frob":                       "unknown option --frob",
		"com --months":                     "--months needs a value",
	} {
		out, talk, status := shell(t, dir, env+"news-search "+arguments)
		if status != 2 || out != "" || !strings.Contains(talk, says) || !strings.Contains(talk, "try 'news-search --help'") {
			t.Errorf("%s: status %d: %s", arguments, status, talk)
		}
	}
	if _, talk, status := shell(t, dir, env+"PATH=$(dirname $(command -v news-search)):/usr/bin:/bin; news-search com --months 2026/07"); status != 2 || !strings.Contains(talk, "hf-ls is missing") {
		t.Errorf("status %d: %s", status, talk)
	}
}
