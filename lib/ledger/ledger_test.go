package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/open-index/ccnews/lib/shard"
)

var (
	june = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	july = time.Date(2026, 7, 2, 3, 4, 5, 0, time.UTC)
)

// news is the line of a shard with eng and other rows, of which one is a 404.
func news(path string, eng, other int64) *Line {
	rows, damaged, size := eng+other, int64(1), int64(1000)
	return &Line{
		Path: path, SHA256: strings.Repeat("0a", 32), ParquetBytes: 10 * rows, RowGroups: 1, Columns: 22, Rows: rows,
		Index: &shard.Index{
			Bytes: &size, Complete: true, Damaged: &damaged, Rows: rows,
			ByDay:      map[string]int64{"2026-07-01": eng, "2026-07-02": other},
			ByLanguage: map[string]int64{"eng": eng, "": other},
			ByMIME:     map[string]int64{"text/html": 1, "application/xhtml+xml": 1, "": rows - 2},
			ByStatus:   map[string]int64{"200": rows - 2, "204": 1, "404": 1},
		},
	}
}

func fold(t *testing.T, kind *Kind, lines ...*Line) *Fold {
	t.Helper()
	f := NewFold(kind)
	for _, l := range lines {
		if err := f.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestUpdate(t *testing.T) {
	l := New(News)
	l.Update(fold(t, News, news("data/2026/06/a.parquet", 7, 3)), Entry{Now: june, Totals: map[string]int64{"2026-06": 1}})
	l.Update(fold(t, News, news("data/2026/07/a.parquet", 10, 5), news("data/2026/07/b.parquet", 20, 5)),
		Entry{Now: july, Totals: map[string]int64{"2026-07": 4}, Unfit: map[string]int64{"2026-07": 1}})
	want := `month,files,total_files,articles,bytes_read,parquet_bytes,status_2xx,html,damaged,unfit,complete,first_committed,last_committed
2026-07,2,4,40,2000,400,38,4,2,1,false,2026-07-02T03:04:05Z,2026-07-02T03:04:05Z
2026-06,1,1,10,1000,100,9,2,1,0,true,2026-06-30T12:00:00Z,2026-06-30T12:00:00Z
`
	if diff := cmp.Diff(want, string(l.AppendStats(nil))); diff != "" {
		t.Error(diff)
	}
	want = "month,language,rows\n2026-07,eng,30\n2026-07,,10\n2026-06,eng,7\n2026-06,,3\n"
	if diff := cmp.Diff(want, string(l.AppendLanguages(nil))); diff != "" {
		t.Error(diff)
	}
}

// What was counted once can be counted again at any time, in any order of the lines,
// and the tables stay as they are.
func TestUpdateAgainChangesNothing(t *testing.T) {
	lines := []*Line{news("data/2026/07/a.parquet", 10, 5), news("data/2026/06/b.parquet", 20, 5), news("data/2026/07/c.parquet", 4, 2)}
	l := New(News)
	l.Update(fold(t, News, lines...), Entry{Now: june, Totals: map[string]int64{"2026-07": 3}, Unfit: map[string]int64{"2026-07": 1}})
	before := save(t, l)
	for range 20 {
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		again, err := Open(News, before)
		if err != nil {
			t.Fatal(err)
		}
		again.Update(fold(t, News, lines...), Entry{Now: july})
		if diff := cmp.Diff(string(l.AppendStats(nil))+string(l.AppendLanguages(nil)),
			string(again.AppendStats(nil))+string(again.AppendLanguages(nil))); diff != "" {
			t.Fatal(diff)
		}
	}
}

func save(t *testing.T, l *Ledger) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, StatsFile, string(l.AppendStats(nil)))
	write(t, dir, LanguagesFile, string(l.AppendLanguages(nil)))
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// last_committed moves with the shards, and with nothing else.
func TestTimesAreThoseOfTheShards(t *testing.T) {
	shards := func(n int64) *Fold { return fold(t, News, news("data/2026/07/a.parquet", 10, n)) }
	l := New(News)
	l.Update(shards(5), Entry{Now: june})
	times := func() [2]time.Time { return [2]time.Time{l.Rows[0].FirstCommitted, l.Rows[0].LastCommitted} }

	l.Update(shards(5), Entry{Now: july, Totals: map[string]int64{"2026-07": 1}})
	if got := times(); got != [2]time.Time{june, june} || !l.Rows[0].Complete {
		t.Errorf("the manifest became known: %v, complete %v", got, l.Rows[0].Complete)
	}
	l.Update(fold(t, News), Entry{Now: july, Totals: map[string]int64{"2026-07": 2}})
	if got := times(); got != [2]time.Time{june, june} || l.Rows[0].Complete {
		t.Errorf("the manifest grew: %v, complete %v", got, l.Rows[0].Complete)
	}
	l.Update(shards(6), Entry{Now: july})
	if got := times(); got != [2]time.Time{june, july} {
		t.Errorf("a shard changed: %v", got)
	}
	other := news("data/2026/07/a.parquet", 10, 6)
	other.ByLanguage = map[string]int64{"fra": 10, "": 6}
	l.Update(fold(t, News, other), Entry{Now: july.Add(time.Hour)})
	if got := times(); got != [2]time.Time{june, july.Add(time.Hour)} {
		t.Errorf("only the languages changed: %v", got)
	}
}

func TestAnArchiveThatGotAShardIsNotUnfit(t *testing.T) {
	l := New(News)
	entry := Entry{Now: june, Totals: map[string]int64{"2026-07": 2}, Unfit: map[string]int64{"2026-07": 1}}
	l.Update(fold(t, News, news("data/2026/07/a.parquet", 10, 5)), entry)
	if r := l.Rows[0]; r.Unfit != 1 || r.Missing() != 0 || r.Complete {
		t.Errorf("%+v", r)
	}
	l.Update(fold(t, News, news("data/2026/07/a.parquet", 10, 5), news("data/2026/07/b.parquet", 10, 5)), Entry{Now: july})
	if r := l.Rows[0]; r.Unfit != 0 || !r.Complete {
		t.Errorf("%+v", r)
	}
}

// A shard of a part of its archive leaves its month incomplete, in the table too,
// until it is made again.
func TestPartOfAnArchiveIsNotComplete(t *testing.T) {
	part := news("data/2026/07/a.parquet", 10, 5)
	part.Complete = false
	total := Entry{Now: june, Totals: map[string]int64{"2026-07": 1}}
	l := New(News)
	l.Update(fold(t, News, part), total)
	l, err := Open(News, save(t, l))
	if err != nil {
		t.Fatal(err)
	}
	if l.Update(fold(t, News), total); l.Rows[0].Complete || !l.Rows[0].Partial {
		t.Errorf("%+v", l.Rows[0])
	}
	if l.Update(fold(t, News, news("data/2026/07/a.parquet", 10, 5)), total); !l.Rows[0].Complete || l.Rows[0].Partial {
		t.Errorf("%+v", l.Rows[0])
	}
}

func TestCrawls(t *testing.T) {
	part := func(crawl string, n int64) *Line {
		return &Line{Path: "data/" + crawl + "/part-00000.parquet", ParquetBytes: 7, RowGroups: 1, Columns: 18, Rows: n}
	}
	l := New(URLs)
	l.Update(fold(t, URLs, part("CC-MAIN-2026-25", 100), part("CC-MAIN-2009-2010", 1)), Entry{Now: june, Totals: map[string]int64{"CC-MAIN-2026-25": 300}})
	l.Update(fold(t, URLs, part("CC-MAIN-2026-25", 100)), Entry{Now: july})
	want := `crawl,files,total_files,rows,parquet_bytes,unfit,complete,first_committed,last_committed
CC-MAIN-2026-25,1,300,100,7,0,false,2026-06-30T12:00:00Z,2026-06-30T12:00:00Z
CC-MAIN-2009-2010,1,,1,7,0,false,2026-06-30T12:00:00Z,2026-06-30T12:00:00Z
`
	if diff := cmp.Diff(want, string(l.AppendStats(nil))); diff != "" {
		t.Error(diff)
	}
	dir := t.TempDir()
	write(t, dir, StatsFile, want)
	if again, err := Open(URLs, dir); err != nil || string(again.AppendStats(nil)) != want {
		t.Errorf("%v, %s", err, again.AppendStats(nil))
	}
}

func TestAddRefuses(t *testing.T) {
	foreign := news("data/2026/07/c.parquet", 5, 5)
	foreign.Index = nil
	f := fold(t, News, news("data/2026/07/a.parquet", 5, 5))
	for want, l := range map[string]*Line{
		"data/2026/07/a.parquet is there twice":                   news("data/2026/07/a.parquet", 5, 5),
		"a.parquet: not the path of a shard":                      news("a.parquet", 5, 5),
		"data/2026/13/a.parquet: not the path of a shard":         news("data/2026/13/a.parquet", 5, 5),
		"data/CC-MAIN-2026-25/a.parquet: not the path of a shard": news("data/CC-MAIN-2026-25/a.parquet", 5, 5),
		"it has no counts":                                        foreign,
	} {
		if err := f.Add(l); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if n := f.Periods()["2026-07"].Files; n != 1 {
		t.Errorf("%d shards were counted", n)
	}
}

const stats = `month,files,total_files,articles,bytes_read,parquet_bytes,status_2xx,html,damaged,unfit,complete,first_committed,last_committed
2026-07,2,4,40,2000,400,38,4,2,1,false,2026-07-02T03:04:05Z,2026-07-02T03:04:05Z
2026-06,1,,10,1000,100,9,2,1,0,false,2026-06-30T12:00:00Z,2026-06-30T12:00:00Z
`
const languages = "month,language,rows\n2026-07,eng,30\n2026-07,,10\n2026-06,eng,7\n2026-06,,3\n"

// Columns are found by their names, and those of other makers stay with their months.
func TestOtherColumnsAreKept(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(stats), "\n") {
		cells := strings.Split(line, ",")
		slices.Reverse(cells)
		fmt.Fprintf(&text, "%s,%s\n", strings.Join(cells, ","), []string{"note", `"a, b"`, "c"}[i])
	}
	write(t, dir, StatsFile, text.String())
	write(t, dir, LanguagesFile, languages)
	l, err := Open(News, dir)
	if err != nil {
		t.Fatal(err)
	}
	l.Update(fold(t, News, news("data/2026/08/a.parquet", 10, 5)), Entry{Now: july})
	want := strings.Split(stats, "\n")
	want = []string{
		want[0] + ",note",
		"2026-08,1,,15,1000,150,14,2,1,0,false,2026-07-02T03:04:05Z,2026-07-02T03:04:05Z,",
		want[1] + `,"a, b"`, want[2] + ",c", "",
	}
	if diff := cmp.Diff(want, strings.Split(string(l.AppendStats(nil)), "\n")); diff != "" {
		t.Error(diff)
	}
}

// A table that is damaged is never a table with fewer months.
func TestDamagedTables(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(stats, old, new, 1) }
	for _, tt := range []struct{ stats, languages, want string }{
		{"", languages, "stats.csv: line 1: no header"},
		{stats[:len(stats)-1], languages, "stats.csv: line 3: it does not end: the file is cut"},
		{stats[:len(stats)-10], languages, "stats.csv: line 3: it does not end"},
		{replace(",4,40", ",40"), languages, "stats.csv: record on line 2: wrong number of fields"},
		{replace("month,files,", "months,files,"), languages, "stats.csv: line 1: no column month"},
		{replace("articles", "rows"), languages, "stats.csv: line 1: no column articles"},
		{replace("files", "html"), languages, "stats.csv: line 1: no column files"},
		{replace("unfit", "html"), languages, "stats.csv: line 1: column html is there twice"},
		{replace(",400,", ",-400,"), languages, `stats.csv: line 2: column parquet_bytes: "-400": want a number`},
		{replace(",400,", ",4e2,"), languages, `stats.csv: line 2: column parquet_bytes: "4e2": want a number`},
		{replace(",400,", ",99999999999999999999,"), languages, "stats.csv: line 2: column parquet_bytes"},
		{replace("1,false", "1,no"), languages, "stats.csv: line 2: column complete"},
		{replace("03:04:05Z", "03:04:05.5Z"), languages, "stats.csv: line 2: column first_committed"},
		{replace("03:04:05Z\n", "03:04:0\n"), languages, "stats.csv: line 2: column last_committed"},
		{replace("2026-06", "2026-07"), languages, "stats.csv: line 3: 2026-07 is there twice"},
		{replace("2026-06", "2026/06"), languages, `stats.csv: line 3: "2026/06" is not a month`},
		{replace("2026-06", "\xff"), languages, "stats.csv: not valid UTF-8"},
		{replace("2026-06", `"2026-06`), languages, "stats.csv: "},
		{stats[:strings.LastIndex(stats, "2026-06,")], languages, "languages.csv: 2026-06: stats.csv has no such month"},
		{stats, languages[:strings.LastIndex(languages, "2026-06,,")], "languages.csv: 2026-06: its languages add up to 7 rows, and stats.csv has 10"},
		{stats, languages[:strings.Index(languages, "2026-06")], "languages.csv: 2026-06: its languages add up to 0 rows"},
		{stats, languages + "2026-06,eng,0\n", `languages.csv: 2026-06: language "eng" is there twice`},
		{stats, languages + "2026-06,|x|,0\n", `languages.csv: line 6: "|x|" is not the code of a language`},
		{stats, languages[:len(languages)-2], "languages.csv: line 5: it does not end"},
		{stats, "none", "languages.csv: not there, though stats.csv is: fetch both"},
		{"none", languages, "stats.csv: not there, though languages.csv is: fetch both"},
	} {
		dir := t.TempDir()
		if tt.stats != "none" {
			write(t, dir, StatsFile, tt.stats)
		}
		if tt.languages != "none" {
			write(t, dir, LanguagesFile, tt.languages)
		}
		_, err := Open(News, dir)
		if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, tt.want)) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if _, err := Open(News, filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a folder that is not there is a new repository")
	}
	if l, err := Open(News, t.TempDir()); err != nil || len(l.Rows) != 0 {
		t.Errorf("no tables: %v", err)
	}
}

// Cut anywhere, the tables are refused.
func TestEveryCutIsSeen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{StatsFile: stats, LanguagesFile: languages} {
		write(t, dir, StatsFile, stats)
		write(t, dir, LanguagesFile, languages)
		for n := range len(text) {
			write(t, dir, name, text[:n])
			if _, err := Open(News, dir); err == nil {
				t.Errorf("%s of %d bytes is taken", name, n)
			}
		}
	}
}

// FuzzTablesKeepEveryRow: what is read is written again, row by row, and read as the
// same.
func FuzzTablesKeepEveryRow(f *testing.F) {
	f.Add([]byte(stats), []byte(languages))
	f.Add([]byte(strings.ReplaceAll(stats, "\n", ",\"x\ny\"\n")), []byte("rows,language,month\n"))
	f.Fuzz(func(t *testing.T, stats, languages []byte) {
		l := New(News)
		if l.readStats(iotest.OneByteReader(bytes.NewReader(stats))) != nil || l.readLanguages(bytes.NewReader(languages)) != nil {
			return
		}
		again := New(News)
		if err := again.readStats(bytes.NewReader(l.AppendStats(nil))); err != nil {
			t.Fatal(err)
		}
		if err := again.readLanguages(bytes.NewReader(l.AppendLanguages(nil))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(l, again, cmp.AllowUnexported(Ledger{}, Row{}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Ledger{}, "kind")); diff != "" {
			t.Fatal(diff)
		}
		if lines := bytes.Count(l.AppendStats(nil), []byte("\n")); lines < len(l.Rows)+1 {
			t.Fatalf("%d rows in %d lines", len(l.Rows), lines)
		}
	})
}

func TestPeriods(t *testing.T) {
	for _, text := range []string{"2026/07", "2026-07"} {
		if p, err := News.ParsePeriod(text); err != nil || p != "2026-07" || News.Folder(p) != "data/2026/07" {
			t.Errorf("%s: %s, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "2026", "2026-7", "2026-13", "26-07", "2026-07-01", "2026-07\n"} {
		if p, err := News.ParsePeriod(text); err == nil {
			t.Errorf("%q is taken for %s", text, p)
		}
	}
	if p, err := URLs.ParsePeriod("CC-MAIN-2026-25"); err != nil || URLs.Folder(p) != "data/CC-MAIN-2026-25" {
		t.Error(p, err)
	}
	if got := slices.Sorted(maps.Keys(fold(t, News, news("data/2026/07/a.parquet", 5, 5)).Periods())); !slices.Equal(got, []string{"2026-07"}) {
		t.Error(got)
	}
}

// However the shards of some months come into the repository, in whatever batches and
// by however many publishers that take turns, the tables are the same in the end.
func TestAnyOrderOfCommitsGivesTheSame(t *testing.T) {
	var all []*Line
	totals := map[string]int64{}
	for i := range int64(12) {
		month := fmt.Sprintf("2026/%02d", 5+i%3)
		all = append(all, news(fmt.Sprintf("data/%s/%02d.parquet", month, i), 5+i, 3+i*i))
		totals[strings.ReplaceAll(month, "/", "-")]++
	}
	once := New(News)
	once.Update(fold(t, News, all...), Entry{Now: july, Totals: totals})
	want := string(once.AppendStats(nil)) + string(once.AppendLanguages(nil))
	if strings.Count(want, "true") != 3 {
		t.Fatal(want)
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 6))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		repo, dir := []*Line{}, t.TempDir() // what is committed
		for left := all; len(left) > 0; {
			n := 1 + r.IntN(len(left))
			repo, left = append(repo, left[:n]...), left[n:]
			touched := map[string]bool{}
			for _, l := range repo[len(repo)-n:] {
				touched[filepath.Dir(l.Path)] = true
			}
			f := NewFold(News)
			for _, l := range repo {
				if touched[filepath.Dir(l.Path)] {
					if err := f.Add(l); err != nil {
						t.Fatal(err)
					}
				}
			}
			parent, err := Open(News, dir)
			if err != nil {
				t.Fatal(err)
			}
			parent.Update(f, Entry{Now: july, Totals: totals})
			dir = save(t, parent)
		}
		last, err := Open(News, dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(last.AppendStats(nil))+string(last.AppendLanguages(nil))); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}
