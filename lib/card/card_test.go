package card

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/ledger"
	"github.com/open-index/ccnews/lib/schema"
	"github.com/open-index/ccnews/lib/shard"
)

// noon is when the ledgers of the tests are written.
var noon = time.Date(2026, 7, 27, 12, 0, 0, 0, time.UTC)

// books is a ledger with a shard of a day and a language for each path.
func books(t *testing.T, kind *ledger.Kind, e ledger.Entry, paths ...string) *ledger.Ledger {
	t.Helper()
	l, fold := ledger.New(kind), ledger.NewFold(kind)
	for i, p := range paths {
		rows := int64(1000 * (i + 1))
		code, size := []string{"eng", "heb", "nor", ""}[i%4], 300*rows
		line := &ledger.Line{Path: p, ParquetBytes: 100 * rows, RowGroups: 1, Columns: 22, Rows: rows}
		if kind == ledger.News {
			line.Index = &shard.Index{Bytes: &size, Complete: true, ByLanguage: map[string]int64{code: rows}, ByDay: map[string]int64{"2026-07-01": rows}}
		}
		if err := fold.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	e.Now = noon
	l.Update(fold, e)
	return l
}

func render(t *testing.T, repo string, l *ledger.Ledger) string {
	t.Helper()
	name, err := hub.ParseName(repo)
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&Card{Repo: name, Ledger: l}).Render()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var newsPaths = []string{"data/2026/06/a.parquet", "data/2026/07/b.parquet", "data/2026/07/c.parquet", "data/2026/05/d.parquet"}

func TestNews(t *testing.T) {
	text := render(t, "me/news", books(t, ledger.News, ledger.Entry{
		Totals: map[string]int64{"2026-05": 1, "2026-07": 1200}, Unfit: map[string]int64{"2026-07": 3},
	}, newsPaths...))
	for _, want := range []string{
		"---\npretty_name: \"Common Crawl news index\"\nlicense: odc-by\nlanguage:\n- \"en\"\n- \"he\"\n- \"no\"\nsize_categories:\n- \"10K<n<100K\"\n",
		"**10,000 articles** from 4 archives, 3.0 MB of web pages, in 1.0 MB of Parquet.\nLast updated 27 July 2026, 12:00:00 UTC.\n",
		"![Articles per day, 2026-07](charts/2026-07.svg)",
		"| status | in progress: 1,195 to go |\n| files | 2 of 1,200 |\n| coverage | 0.2 % |\n| read | 1.5 MB |\n| written | 500.0 kB |\n",
		"| 2026-07 | 5,000 | 2 / 1,200 | 1.5 MB | 0 | 3 | 500.0 kB | ████████████████████ |\n" +
			"| 2026-06 | 1,000 | 1 | 300.0 kB | 0 | 0 | 100.0 kB | ████ |\n" +
			"| 2026-05 | 4,000 | 1 / 1 ✓ | 1.2 MB | 0 | 0 | 400.0 kB | ████████████████ |\n",
		"| NULL | no language: not a page, or too little text | 4,000 | 40.0 % | ████████████████████ |\n" +
			"| `nor` | Norwegian | 3,000 | 30.0 % | ███████████████ |\n| `heb` | Hebrew | 2,000 | 20.0 % | ██████████ |\n" +
			"| `eng` | English | 1,000 | 10.0 % | █████ |\n",
		"FROM 'hf://datasets/me/news/data/2026/07/*.parquet'",
		`load_dataset("me/news", "2026-07", split="train", streaming=True)`,
		`hf_hub_download("me/news", "stats.csv", repo_type="dataset")`,
		"hf-ls --repo me/news 2026/07 | shard-grep",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not in the card: %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// The cards list the columns that the files have, in their order and with their types.
func TestColumns(t *testing.T) {
	types := map[string]string{"STRING": "string", "TIMESTAMP(MILLIS,true)": "timestamp, UTC", "INTEGER(16,true)": "int16"}
	listed := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (string|timestamp, UTC|int16|int32|int64|double) \\|")
	declared := regexp.MustCompile(`(?m)^  (?:required|optional) (\w+) (\w+)(?: \((.*)\))?;$`)
	for name, l := range map[string]*ledger.Ledger{
		"news":     books(t, ledger.News, ledger.Entry{}, newsPaths...),
		"cc-index": books(t, ledger.URLs, ledger.Entry{}, "data/CC-MAIN-2026-25/part-00000.parquet"),
	} {
		var got, want [][2]string
		for _, m := range listed.FindAllStringSubmatch(render(t, "me/x", l), -1) {
			got = append(got, [2]string{m[1], m[2]})
		}
		text, ok := schema.Named(name)
		if !ok {
			t.Fatal(name)
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			kind := m[1]
			if m[3] != "" {
				kind = types[m[3]]
			}
			want = append(want, [2]string{m[2], kind})
		}
		if diff := cmp.Diff(want, got); diff != "" || want[0][0] != ccindex.Columns[0] {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Every example uses the repository that was named, and nothing names another.
func TestExamplesUseTheRepo(t *testing.T) {
	for _, kind := range []*ledger.Kind{ledger.News, ledger.URLs} {
		paths := newsPaths
		if kind == ledger.URLs {
			paths = []string{"data/CC-MAIN-2026-25/part-00000.parquet"}
		}
		l := books(t, kind, ledger.Entry{}, paths...)
		text := render(t, "some.one/else@pr", l)
		if strings.Contains(text, "ccrawl") {
			t.Errorf("%s: it names a repository of its own", kind.Name)
		}
		for _, url := range regexp.MustCompile(`hf://[^']*`).FindAllString(text, -1) {
			if !strings.HasPrefix(url, "hf://datasets/some.one/else@pr/") {
				t.Errorf("%s: %s", kind.Name, url)
			}
		}
		if n := strings.Count(text, `revision="pr"`); n != 3 {
			t.Errorf("%s: the revision is named %d times", kind.Name, n)
		}
		local := render(t, "/home/me/repo", l)
		if strings.Contains(local, "/home") || strings.Contains(local, "hf://") || strings.Contains(local, "hf_hub") {
			t.Errorf("%s: a local folder's card:\n%s", kind.Name, local)
		}
	}
}

// Every subset's files are in the repository, as far as Go's globs can say.
func TestEveryGlobMatches(t *testing.T) {
	text := render(t, "me/news", books(t, ledger.News, ledger.Entry{}, newsPaths...))
	globs := regexp.MustCompile(`(?m)^    path: "(.*)"$`).FindAllStringSubmatch(text, -1)
	for _, glob := range globs {
		matches := 0
		for _, p := range newsPaths {
			if ok, err := path.Match(glob[1], p); ok && err == nil {
				matches++
			}
		}
		if want := map[bool]int{true: 4, false: 1}[glob[1] == "data/*/*/*.parquet"]; matches < want {
			t.Errorf("%s matches %d files", glob[1], matches)
		}
	}
	if len(globs) != 4 {
		t.Errorf("%d globs", len(globs))
	}
}

func TestNothingToTell(t *testing.T) {
	if _, err := (&Card{Ledger: ledger.New(ledger.News)}).Render(); err == nil {
		t.Error("a card of nothing")
	}
}

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		totals, unfit map[string]int64
		want          string
	}{
		{nil, nil, "| status | in progress |\n| files | 2 |\n| coverage | not known |"},
		{map[string]int64{"2026-07": 2}, nil, "| status | complete |\n| files | 2 of 2 |\n| coverage | 100.0 % |"},
		{map[string]int64{"2026-07": 1}, nil, "| status | complete |\n| files | 2 of 1 |\n| coverage | 100.0 % |"},
		{map[string]int64{"2026-07": 3}, map[string]int64{"2026-07": 1}, "| status | done; of 1 there can be no file |\n| files | 2 of 3 |"},
	} {
		text := render(t, "me/news", books(t, ledger.News, ledger.Entry{Totals: tt.totals, Unfit: tt.unfit}, newsPaths...))
		if !strings.Contains(text, tt.want) {
			t.Errorf("%v: want %s", tt.totals, tt.want)
		}
	}
}

func TestStatusOfParts(t *testing.T) {
	l := books(t, ledger.News, ledger.Entry{Totals: map[string]int64{"2026-07": 2}}, newsPaths...)
	l.Row("2026-07").Complete, l.Row("2026-07").Partial = false, true
	if text := render(t, "me/news", l); !strings.Contains(text, "| status | in progress: files of parts of archives are to be made again |") {
		t.Errorf("%s", text)
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		number(0): "0", number(999): "999", number(1000): "1,000", number(-123456): "-123,456", number(1234567): "1,234,567",
		size(999): "999 B", size(1000): "1.0 kB", size(999_949): "999.9 kB", size(999_950): "1.0 MB", size(1234567890123): "1.2 TB",
		percent(1, 3): "33.3 %", percent(99999, 100000): "99.9 %", percent(5, 5): "100.0 %", percent(0, 0): "–",
		bar(1, 1, 3): "███", bar(1, 1000, 3): "▏", bar(0, 9, 3): "", bar(1, 2, 3): "█▌", bar(3, 4, 2): "█▌",
		duration(0): "–", duration(time.Second): "less than 1 min", duration(49*time.Hour + 5*time.Minute): "2 d 1 h 5 min",
		rate(7, 0): "–", rate(15, 2*time.Hour): "7.5",
		sizeCategory(0): "n<1K", sizeCategory(999): "n<1K", sizeCategory(1000): "1K<n<10K", sizeCategory(2_500_000_000): "1B<n<10B",
		sizeCategory(999_999_999_999): "100B<n<1T", sizeCategory(1_000_000_000_000): "n>1T",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCharts(t *testing.T) {
	days := map[string]int64{"2026-07-01": 10, "2026-07-31": 437, "2026-06-30": 2, "2026-08-01": 1, "2025-01-01": 7}
	crawls := books(t, ledger.URLs, ledger.Entry{}, "data/CC-MAIN-2026-25/part-00000.parquet", "data/CC-MAIN-2026-21/part-00000.parquet")
	for name, tt := range map[string]struct {
		svg   []byte
		bars  int
		wants []string
	}{
		"days": {Days("2026-07", days), 33, []string{
			"Articles per day, July 2026 (UTC); 7 of other days are not shown", "2026-06-30: 2", "2026-07-31: 437", "2026-07-15: 0", ">500<",
		}},
		"no days": {Days("2026-02", nil), 28, []string{"Articles per day, February 2026 (UTC)<"}},
		"crawls":  {Crawls(crawls), 2, []string{"CC-MAIN-2026-21: 2,000", "CC-MAIN-2026-25: 1,000", ">2026-25<"}},
	} {
		text := string(tt.svg)
		for _, want := range tt.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in it", name, want)
			}
		}
		if bars, err := countBars(text); err != nil || bars != tt.bars {
			t.Errorf("%s: %d bars, want %d; %v", name, bars, tt.bars, err)
		}
	}
}

// countBars reads the SVG as XML; bars are the rectangles inside of the picture.
func countBars(svg string) (bars int, err error) {
	in := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := in.Token()
		if err == io.EOF {
			return bars, nil
		}
		if err != nil {
			return bars, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "rect" {
			continue
		}
		place := map[string]float64{}
		for _, a := range start.Attr {
			var v float64
			if _, err := fmt.Sscan(a.Value, &v); err == nil {
				place[a.Name.Local] = v
			}
		}
		if place["width"] == chartWidth {
			continue // the background
		}
		bars++
		if place["x"] < plotLeft || place["x"]+place["width"] > plotRight || place["y"] < plotTop || place["y"]+place["height"] > plotBottom+0.1 {
			return bars, fmt.Errorf("a bar at %v", place)
		}
	}
}
