package shard

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/surt"
)

// find gives the offsets of the rows that a pattern matches.
func find(t testing.TB, s *Shard, p Pattern) []int64 {
	t.Helper()
	var offsets []int64
	for row, err := range s.Find(Host(p), ccindex.SelectAll()) {
		if err != nil {
			t.Fatal(err)
		}
		offsets = append(offsets, row.WARCRecordOffset)
	}
	return offsets
}

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern string
		exact   bool
		host    string
		want    bool
	}{
		{"bbc.co.uk", false, "bbc.co.uk", true},
		{"bbc.co.uk", false, "www.bbc.co.uk", true},
		{"bbc.co.uk", false, "a.b.bbc.co.uk", true},
		{"bbc.co.uk", false, "notbbc.co.uk", false},
		{"bbc.co.uk", false, "bbc.co.uk.example.com", false},
		{"bbc.co.uk", true, "bbc.co.uk", true},
		{"bbc.co.uk", true, "www.bbc.co.uk", false},
		{"BBC.co.UK.", false, "www.bbc.co.uk", true},
		{"BBC.co.UK.", true, "bbc.co.uk", true},
		{"bbc.co.uk", false, "WWW.BBC.CO.UK", true},
		{"bbc.co.uk", true, "BBC.CO.UK", true},
		{"bücher.de", false, "www.xn--bcher-kva.de", true},
		{"xn--bcher-kva.de", true, "xn--bcher-kva.de", true},
		{"uk", false, "bbc.co.uk", true},
		{"co.uk", false, "bbc.co.uk", true},
		{"1.2.3.4", false, "1.2.3.4", true},
		{"3.4", false, "1.2.3.4", false},
		{"foo-bar.com", false, "bar.com", false},
		{"bar.com", false, "foo-bar.com", false},
		{"bbc.co.uk", false, "", false},
	} {
		p, err := ParsePattern(test.pattern, test.exact)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
		} else if got := p.Matches(test.host); got != test.want {
			t.Errorf("%s (exact %v) matches %q: %v", test.pattern, test.exact, test.host, got)
		}
	}
	for _, bad := range []string{"", ".", "*.bbc.co.uk"} {
		if p, err := ParsePattern(bad, false); err == nil {
			t.Errorf("%q is taken for %q", bad, p.Host)
		}
	}
}

// oddHosts are hosts that a search can get wrong: names that end like others, that
// a key strips or turns, that lie below two registered domains at once.
var oddHosts = []string{
	"www.com", "a.www.com", "www2.x.org", "x.org", "www.x.org", "www1.www.x.org", "m.www.x.org", "www", "localhost",
	"bbc.co.uk", "www.bbc.co.uk", "news.bbc.co.uk", "www.news.bbc.co.uk", "notbbc.co.uk", "bbc.co.uk.example.com", "co.uk",
	"foo.com", "foo-bar.com", "bar.com", "foo.com-bar.org", "1.2.3.4", "11.2.3.4", "[2001:db8::1]", "2.3.4.com",
	"xn--bcher-kva.de", "www.xn--bcher-kva.de", "kawasaki.jp", "a.b.kawasaki.jp", "c.a.b.kawasaki.jp", "city.kawasaki.jp",
	"b.kawasaki.jp", "under_score.x.org", "a--b.x.org", "x.org.au", "github.io", "me.github.io", "ck", "www.ck", "a.ck",
}

// oddRows are rows of such hosts between those of a usual archive.
func oddRows(rnd *rand.Rand, n int) []ccindex.Row {
	rows := newsRows(n, 6)
	paths := []string{"", "/", "/news", "/news/", "/news/2026/a", "/newsroom", "/News/", "/?q=/news/", "//news/", "/%6Eews/", "#news",
		"/تركى/1", "/%d8%aa%d8%b1", "/%D8%AA", "/%d8%Aa/x", "/%D8", "/%dX", "/100%", "/caf\u00e9", "/caf%c3%a9s"}
	for i := range rows {
		switch rnd.IntN(12) {
		case 0:
			rows[i].URLHostName = nil
		case 1, 2, 3:
			r, host := &rows[i], oddHosts[rnd.IntN(len(oddHosts))]
			r.URL = "http://" + host + []string{"", ":8080"}[rnd.IntN(2)] + paths[rnd.IntN(len(paths))]
			r.URLSurtkey = surt.KeyOrURL(r.URL)
			r.URLHostName, r.URLHostRegisteredDomain = &host, nil
			if domain := hostname.RegisteredDomain(host); domain != "" {
				r.URLHostRegisteredDomain = &domain
			}
		}
	}
	return rows
}

// TestFindIsAFilter compares Find with looking at every row, in shards of all sorts.
func TestFindIsAFilter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	rows := oddRows(rnd, 8_000)
	spelled := slices.Clone(rows) // with a host that no filter knows
	spelled[5000].URLHostName = ref("WWW.BBC.co.uk.")
	named := make([]ccindex.Row, len(rows)) // cc-index has a host in every row
	for i, r := range rows {
		if r.URLHostName == nil {
			r.URLHostName = ref("")
		}
		named[i] = r
	}
	shards := map[string]*Shard{
		"ours": open(t, build(t, rows, 0)), "irregular": open(t, build(t, spelled, 0)),
		"cc-index": open(t, ccShard(t, named)), "foreign": open(t, foreignShard(t, rows)),
	}
	if x := shards["ours"].Index(); !x.SURTRegular || len(x.Registries) < 10 {
		t.Fatalf("ours: regular %v, %d registries", x.SURTRegular, len(x.Registries))
	}
	if x := shards["irregular"].Index(); x.SURTRegular || x.Registries != nil {
		t.Fatal("a host that is spelled another way counts as regular")
	}
	found := 0
	for name, s := range shards {
		everything := all(t, s)
		for range 500 / len(shards) {
			p := somePattern(rnd, rows)
			var want []int64
			for _, r := range everything {
				if host := strings.ToLower(strings.TrimSuffix(text(r.URLHostName), ".")); below(host, p) && strings.HasPrefix(inEscapes(afterHost(r.URL)), inEscapes(p.Path)) {
					want = append(want, r.WARCRecordOffset)
				}
			}
			found += len(want)
			if diff := cmp.Diff(want, find(t, s, p)); diff != "" {
				t.Errorf("%s: %+v: %s", name, p, diff)
			}
		}
	}
	t.Logf("%d rows found", found)
}

// below is the rule for hosts, said another way than the code does.
func below(host string, p Pattern) bool {
	labels, of := strings.Split(host, "."), strings.Split(p.Host, ".")
	if len(labels) < len(of) || p.Exact && len(labels) > len(of) || p.Host == "" || host == "" {
		return false
	}
	if address := host == "1.2.3.4" || host == "11.2.3.4" || host[0] == '['; address && host != p.Host {
		return false
	}
	return slices.Equal(labels[len(labels)-len(of):], of)
}

var hostAndRest = regexp.MustCompile(`^[a-z]+://[^/?#]*(.*)$`)

// afterHost is the path and what follows, by a regular expression.
func afterHost(url string) string {
	rest := hostAndRest.FindStringSubmatch(url)[1]
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	return rest
}

var toEscape = regexp.MustCompile(`%[0-9A-Fa-f]{1,2}|[^ -~]`)

// inEscapes writes paths in the one way in which they are compared.
func inEscapes(path string) string {
	return toEscape.ReplaceAllStringFunc(path, func(s string) string {
		if s[0] != '%' {
			s = url.QueryEscape(s)
		}
		return strings.ToUpper(s)
	})
}

func TestPathsInEscapes(t *testing.T) {
	for _, test := range []struct {
		pattern, url string
		want         bool
	}{
		{"a.org/تركى", "https://a.org/تركى/1", true},
		{"a.org/تركى", "https://a.org/%d8%aa%d8%b1%D9%83%D9%89/1", true},
		{"a.org/%d8%aA", "https://a.org/ترك", true},
		{"a.org/%d8%a", "https://a.org/%D8%AA", true},
		{"a.org/%D8%AA", "https://a.org:81/%d8%aa", true},
		{"a.org/%D8%AA", "https://a.org/%d8%ab", false},
		{"a.org/%D8%AA", "https://a.org/%d8", false},
		{"a.org/ت", "https://a.org/", false},
		{"a.org/é", "https://a.org/%C3%A9t%C3%A9", true},
		{"a.org/%41b", "https://a.org/%41B", false}, // nor are other letters folded
		{"a.org/A", "https://a.org/%41", false},
		{"a.org/%C3%A9A", "https://a.org/éa", false},
		{"a.org/%aaa", "https://a.org/%AAA", false},
		{"a.org/100%", "https://a.org/100%", true},
		{"a.org/?q=ü", "https://a.org?q=%c3%bc", true},
		{"a.org/?q=ü", "https://a.org/?q=%c3%bc", true},
	} {
		p, err := ParsePattern(test.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MatchesURL(test.url); got != test.want {
			t.Errorf("%s matches %s: %v", test.pattern, test.url, got)
		}
	}
}

// Whatever a URL begins with, it matches as a pattern.
func FuzzPathsMatchWhatBeginsWithThem(f *testing.F) {
	f.Add("/%d8%aa", 4)
	f.Add("/تركى%", 2)
	f.Fuzz(func(t *testing.T, path string, n int) {
		n = 1 + n&0xff
		if len(path) < n || path[0] != '/' {
			return
		}
		p := Pattern{Path: escaped(path[:n])}
		if !p.MatchesURL("https://a.org" + path) {
			t.Errorf("%q does not begin with %q, %q", path, path[:n], p.Path)
		}
		if !p.MatchesURL("https://a.org" + escaped(path)) {
			t.Errorf("%q does not begin with %q", escaped(path), p.Path)
		}
		if twice := escaped(p.Path); twice != p.Path {
			t.Errorf("%q becomes %q", p.Path, twice)
		}
	})
}

// somePattern is the host of some row, or a domain above it, or another name,
// perhaps with a path.
func somePattern(rnd *rand.Rand, rows []ccindex.Row) Pattern {
	host := text(rows[rnd.IntN(len(rows))].URLHostName)
	if rnd.IntN(2) == 0 {
		host = oddHosts[rnd.IntN(len(oddHosts))]
	}
	for rnd.IntN(3) == 0 {
		if _, above, ok := strings.Cut(host, "."); ok && host[0] != '[' {
			host = above
		}
	}
	if host == "" || rnd.IntN(6) == 0 {
		host = "absent." + strings.Trim(host, "[]") + "x"
	}
	path := ""
	if rnd.IntN(2) == 0 {
		path = []string{"/news", "/news/", "/n", "/politics", "/N", "/ت", "/تركى", "/%d8%aa", "/%D8%AA%", "/%d", "/%D8%a", "/100%", "/café", "/caf%C3"}[rnd.IntN(14)]
	}
	p, err := ParsePattern(host+path, rnd.IntN(2) == 0)
	if err != nil {
		return somePattern(rnd, rows)
	}
	return p
}

// TestFindReadsLittle counts the bytes that a search reads.
func TestFindReadsLittle(t *testing.T) {
	file := build(t, newsRows(30000, 1), 0)
	for _, test := range []struct {
		pattern Pattern
		most    int64
	}{
		{Pattern{Host: "absent.example.com", Exact: true}, 40_000}, // the footer, and a filter
		{Pattern{Host: "absent.example.com"}, 40_000},
		{Pattern{Host: "absent.example.com", Path: "/news"}, 40_000},
	} {
		r := &counting{b: file}
		s, err := Open(r, int64(len(file)), "x.parquet")
		if err != nil {
			t.Fatal(err)
		}
		if rows := find(t, s, test.pattern); len(rows) > 0 {
			t.Fatalf("found %d rows", len(rows))
		}
		t.Logf("%+v: %d bytes in %d reads", test.pattern, r.bytes, r.reads)
		if r.bytes > test.most {
			t.Errorf("%+v: read %d bytes, want at most %d", test.pattern, r.bytes, test.most)
		}
	}
}

// counting counts what is read from b.
type counting struct {
	b            []byte
	bytes, reads int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, c.b[off:])
	c.bytes += int64(n)
	c.reads++
	if n < len(p) {
		return n, fmt.Errorf("%d bytes at %d are beyond the end", len(p), off)
	}
	return n, nil
}

func BenchmarkFind(b *testing.B) {
	rows := newsRows(30000, 1)
	file := build(b, rows, 0)
	for _, p := range []Pattern{{Host: "absent.example.com", Exact: true}, {Host: "absent.example.com"}, {Host: "bbc.co.uk"}} {
		b.Run(fmt.Sprintf("%s exact=%v", p.Host, p.Exact), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				find(b, open(b, file), p)
			}
			b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// Few absent domains get past the filters: each one costs a request.
func TestFiltersLetFewThrough(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	file := build(t, newsRows(30000, 1), 0)
	through := 0
	for range 1000 {
		s := open(t, file)
		ending := []string{"com", "org", "de", "co.uk", "com.br"}[rnd.IntN(5)]
		if rows := find(t, s, Pattern{Host: fmt.Sprintf("absent%d.%s", rnd.IntN(1e9), ending)}); len(rows) > 0 {
			t.Fatal("it is not absent")
		}
		if s.GroupsRead() > 0 {
			through++
		}
	}
	t.Logf("%d of 1000", through)
	if through > 10 {
		t.Errorf("%d of 1000 absent domains are not answered by the filters", through)
	}
}
