package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// epoch is the clock of ledgers in these tests, SOURCE_DATE_EPOCH.
const epoch = "1782900000"

// publisher is a machine that runs news-publish: with archives that mirror has, a
// hub, and folders of its own.
type publisher struct {
	t      *testing.T
	mirror *mirror
	hub    *hubtest.Hub
	dir    string // holds staging/ and tmp/
	env    []string
}

func newPublisher(t *testing.T, m *mirror, h *hubtest.Hub) *publisher {
	p := &publisher{t: t, mirror: m, hub: h, dir: t.TempDir()}
	for _, folder := range []string{"tmp", "home"} {
		if err := os.Mkdir(filepath.Join(p.dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *publisher) staging() string { return filepath.Join(p.dir, "staging") }

// command is a run of news-publish, tried less often than its users would.
func (p *publisher) command(args ...string) *exec.Cmd {
	script, err := filepath.Abs("../scripts/news-publish")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(script, append([]string{"--staging", "staging", "--tries", "3"}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(),
		"PATH="+bin+":"+filepath.Dir(script)+":"+os.Getenv("PATH"), "HOME="+p.dir+"/home", "TMPDIR="+p.dir+"/tmp",
		"CC_BASE="+p.mirror.url, "SOURCE_DATE_EPOCH="+epoch, "CCRAWL_NEWS_REPO="+repo)
	if p.hub != nil {
		cmd.Env = append(cmd.Env, "HF_ENDPOINT="+p.hub.Endpoint(), "HF_TOKEN="+p.hub.Token())
	}
	cmd.Env = append(cmd.Env, p.env...)
	return cmd
}

// run runs news-publish and gives what it said and its exit status.
func (p *publisher) run(args ...string) (talk string, status int) {
	p.t.Helper()
	out, talk, status := p.pipe("", args...)
	if out != "" {
		p.t.Errorf("%q on stdout", out)
	}
	return talk, status
}

func (p *publisher) pipe(stdin string, args ...string) (out, talk string, status int) {
	p.t.Helper()
	cmd := p.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// must runs news-publish, which has to succeed.
func (p *publisher) must(args ...string) (talk string) {
	p.t.Helper()
	talk, status := p.run(args...)
	if status != 0 {
		p.t.Fatalf("news-publish %v: status %d: %s", args, status, talk)
	}
	return talk
}

// mirror is a server like data.commoncrawl.org.
type mirror struct {
	url, folder string

	mu     sync.Mutex
	asked  int
	begun  map[string]int // requests for all of a file, by its name
	faults map[string]func(http.ResponseWriter, *http.Request) bool
}

// newMirror serves a folder. A fault that is set for a name answers in its stead,
// or returns false.
func newMirror(t *testing.T, folder string) *mirror {
	m := &mirror{folder: folder, begun: map[string]int{}, faults: map[string]func(http.ResponseWriter, *http.Request) bool{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL + "/"
	return m
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	m.mu.Lock()
	m.asked++
	if r.Header.Get("Range") == "" {
		m.begun[name]++
	}
	fault := m.faults[name]
	m.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	w.Header().Set("ETag", `"the-same"`) // a strong one, so that a cut stream can go on
	http.ServeFile(w, r, filepath.Join(m.folder, name))
}

// fail sets the fault of an archive.
func (m *mirror) fail(name string, fault func(http.ResponseWriter, *http.Request) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults[name] = fault
}

// forget gives the names that were asked for, and how often, and forgets them.
func (m *mirror) forget() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := m.begun
	m.begun = map[string]int{}
	return begun
}

// answers is a fault that answers n times with a status.
func answers(code, n int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if n--; n < 0 {
			return false
		}
		w.WriteHeader(code)
		return true
	}
}

// always is more than any test asks.
const always = 1 << 30

// cutAfter is a fault that breaks the first n answers off after some bytes.
func cutAfter(m *mirror, bytes, n int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if n--; n < 0 {
			return false
		}
		content, err := os.ReadFile(filepath.Join(m.folder, r.URL.Path))
		if err != nil {
			panic(err)
		}
		w.Header().Set("ETag", `"the-same"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:min(bytes, len(content)-1)])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

const july = "crawl-data/CC-NEWS/2026/07"

// smallMonth writes n archives of two pages each, which are others in each.
func smallMonth(t *testing.T, folder, month string, n int) (names []string) {
	t.Helper()
	archive, all := readFile(t, newsArchive(t)), newsTruth(t)
	head := archive[:all[0].Offset]
	all = slices.DeleteFunc(all, func(r truth) bool { return r.Length > 20_000 })
	for i := range n {
		a, b := all[2*i%len(all)], all[(2*i+1)%len(all)]
		names = append(names, fmt.Sprintf("crawl-data/CC-NEWS/%s/CC-NEWS-%s01%06d-%05d.warc.gz", month, strings.ReplaceAll(month, "/", ""), i, i))
		writeBelow(t, folder, names[i], slices.Concat(head, archive[a.Offset:a.Offset+a.Length], archive[b.Offset:b.Offset+b.Length]))
	}
	writeManifest(t, folder, month, names)
	return names
}

func writeBelow(t *testing.T, folder, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, path.Dir(name)), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, content, folder, name)
}

func writeManifest(t *testing.T, folder, month string, names []string) {
	t.Helper()
	var manifest bytes.Buffer
	w := gzip.NewWriter(&manifest)
	fmt.Fprintln(w, strings.Join(names, "\n"))
	w.Close()
	writeBelow(t, folder, "crawl-data/CC-NEWS/"+month+"/warc.paths.gz", manifest.Bytes())
}

// shardOf is where the shard of an archive is in the repository.
func shardOf(archive string) string {
	key := strings.TrimSuffix(strings.TrimPrefix(archive, "crawl-data/CC-NEWS/"), ".warc.gz")
	return "data/" + key + ".parquet"
}

// startHub starts a hub with an empty repository.
func startHub(t *testing.T, options ...hubtest.Option) *hubtest.Hub {
	h := hubtest.Start(t, options...)
	h.CreateRepo(repo, hubtest.RepoOptions{})
	return h
}

func content(t *testing.T, h *hubtest.Hub, path string) string {
	t.Helper()
	b, err := h.Content(repo, "main", path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// ledgerRow is the row of a month in stats.csv, by column.
func ledgerRow(t *testing.T, h *hubtest.Hub, month string) map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(content(t, h, "stats.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		if row["month"] == month {
			return row
		}
	}
	t.Fatalf("no row %s in %v", month, records)
	return nil
}

// watchDisk looks at the folders of a publisher until stop is called, and gives the
// most shards that there were at a time, finished or not. Whatever is no shard must
// be small.
func (p *publisher) watchDisk() (stop func() int) {
	done, most := make(chan struct{}), make(chan int)
	go func() {
		peak := 0
		for {
			shards := 0
			filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return nil // it is gone already
				}
				if strings.Contains(name, ".parquet") {
					shards++
				} else if info, err := d.Info(); err == nil && info.Size() > 100_000 {
					p.t.Errorf("%s has %d bytes", name, info.Size())
				}
				return nil
			})
			peak = max(peak, shards)
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() int { close(done); return <-most }
}

// A month of 24 archives, and the same again.
func TestPublishMonth(t *testing.T) {
	folder := t.TempDir()
	names := splitNews(t, folder, 24)
	m, h := newMirror(t, folder), startHub(t)
	p := newPublisher(t, m, h)
	const jobs, batch = 2, 7
	stop := p.watchDisk()
	talk := p.must("--months", "2026/07", "--jobs", fmt.Sprint(jobs), "--commit-every", fmt.Sprint(batch))
	if peak := stop(); peak > jobs+batch || peak < batch {
		t.Errorf("%d shards on the disk with %d jobs and batches of %d", peak, jobs, batch)
	} else {
		t.Logf("at most %d shards on the disk", peak)
	}
	if !strings.Contains(talk, "2026/07: 24 of 24 shards are in me/news; made: 24, unfit: 0, left for later: 0") {
		t.Errorf("%s", talk)
	}
	if commits := h.Commits(repo, "main"); len(commits) != 1+4 {
		t.Errorf("%d commits: %v", len(commits), commits)
	}
	for name, n := range m.forget() {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	checkMonth(t, h, folder, names)
	leftovers(t, p)

	h.Forget()
	talk = p.must("--months", "2026/07")
	asked := len(h.Requests()) + len(m.forget())
	if asked > 3 || len(h.Commits(repo, "main")) != 1+4 || !strings.Contains(talk, "2026/07: complete: 24 shards") {
		t.Errorf("%d requests, %d commits: %s", asked, len(h.Commits(repo, "main")), talk)
	}
	t.Logf("a complete month costs %d requests", asked)
}

// leftovers are files that a run that ended well has left.
func leftovers(t *testing.T, p *publisher) {
	t.Helper()
	filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && name != filepath.Join(p.staging(), ".base") {
			t.Errorf("%s was left (%v)", name, err)
		}
		return nil
	})
}

// checkMonth compares a month in the repository with what an independent reader
// says of its archives, the pipe's rows, and the files.
func checkMonth(t *testing.T, h *hubtest.Hub, folder string, names []string) {
	t.Helper()
	files, lines := h.Files(repo, "main"), strings.SplitAfter(content(t, h, "stats/2026/07.jsonl"), "\n")
	if len(lines) != len(names)+1 {
		t.Fatalf("%d lines of stats", len(lines)-1)
	}
	all := newsTruth(t)
	var bytesRead, parquetBytes int64
	want := map[string]string{
		"month": "2026-07", "files": "24", "total_files": "24", "articles": fmt.Sprint(len(all)), "damaged": "0", "unfit": "0",
		"complete": "true", "first_committed": "2026-07-01T10:00:00Z", "last_committed": "2026-07-01T10:00:00Z",
	}
	for i, name := range names {
		file := files[shardOf(name)]
		var line struct {
			Path, SHA256 string
			Bytes, Rows  int64
			ParquetBytes int64  `json:"parquet_bytes"`
			WARCFilename string `json:"warc_filename"`
		}
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		rows := len(all)*(i+1)/len(names) - len(all)*i/len(names)
		if line.Path != file.Path || line.SHA256 != file.SHA256 || line.ParquetBytes != file.Size ||
			line.Rows != int64(rows) || line.Bytes != info.Size() || line.WARCFilename != name {
			t.Errorf("%s has %d rows: %+v, %+v", name, rows, line, file)
		}
		bytesRead += info.Size()
		parquetBytes += file.Size
	}
	want["bytes_read"], want["parquet_bytes"] = fmt.Sprint(bytesRead), fmt.Sprint(parquetBytes)
	rows := must(t, folder, "for f in "+july+"/CC*; do warc-records --no-end $f | record-index; done")
	want["status_2xx"] = fmt.Sprint(strings.Count(rows, `"fetch_status":2`))
	want["html"] = fmt.Sprint(strings.Count(rows, `"content_mime_detected":"text/html"`) + strings.Count(rows, `"content_mime_detected":"application/xhtml+xml"`))
	if got := ledgerRow(t, h, "2026-07"); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	german := strings.Count(rows, `"content_languages":"deu`)
	if text := content(t, h, "languages.csv"); german == 0 || !strings.Contains(text, fmt.Sprintf("2026-07,deu,%d\n", german)) {
		t.Errorf("%d German pages: %s", german, text)
	}
	if card := content(t, h, "README.md"); !strings.Contains(card, "config_name: 2026-07") && !strings.Contains(card, `config_name: "2026-07"`) {
		t.Errorf("the card: %s", card)
	}
}
