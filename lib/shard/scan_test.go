package shard

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/ccindex"
)

// find gives the offsets of the rows that a pattern matches.
func find(t testing.TB, s *Shard, p Pattern) []int64 {
	t.Helper()
	var offsets []int64
	for row, err := range s.Find(p) {
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
	for _, bad := range []string{"", ".", "https://bbc.co.uk/", "bbc.co.uk/news", "*.bbc.co.uk"} {
		if p, err := ParsePattern(bad, false); err == nil {
			t.Errorf("%q is taken for %q", bad, p.Host)
		}
	}
}

// TestFindIsAFilter compares Find with reading all rows, in shards of all sorts.
func TestFindIsAFilter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	rows := newsRows(4500, 6)
	for i := range rows {
		switch rnd.IntN(50) {
		case 0:
			rows[i].URLHostName = nil
		case 1:
			rows[i].URLHostName = ref([]string{"www.com", "www2.x.org", "foo-bar.com", "1.2.3.4", "xn--bcher-kva.de", "localhost"}[rnd.IntN(6)])
		}
	}
	named := make([]ccindex.Row, len(rows)) // cc-index has a host in every row
	for i, r := range rows {
		if r.URLHostName == nil {
			r.URLHostName = ref("")
		}
		named[i] = r
	}
	shards := map[string]*Shard{"ours": open(t, build(t, rows, 0)), "cc-index": open(t, ccShard(t, named)), "foreign": open(t, foreignShard(t, rows))}
	for name, s := range shards {
		everything := all(t, s)
		for range 30 {
			p := somePattern(rnd, rows)
			var want []int64
			for _, r := range everything {
				if r.URLHostName != nil && (*r.URLHostName == p.Host || !p.Exact && strings.HasSuffix(*r.URLHostName, "."+p.Host) && p.Host != "1.2.3.4") {
					want = append(want, r.WARCRecordOffset)
				}
			}
			if diff := cmp.Diff(want, find(t, s, p)); diff != "" {
				t.Errorf("%s: %+v: %s", name, p, diff)
			}
		}
	}
}

// somePattern is the host of some row, or a domain above it, or another name.
func somePattern(rnd *rand.Rand, rows []ccindex.Row) Pattern {
	host := text(rows[rnd.IntN(len(rows))].URLHostName)
	for rnd.IntN(3) == 0 {
		if _, above, ok := strings.Cut(host, "."); ok {
			host = above
		}
	}
	if host == "" || rnd.IntN(6) == 0 {
		host = "absent." + host + "x"
	}
	return Pattern{host, rnd.IntN(2) == 0}
}

// TestFindReadsLittle counts the bytes that a search reads.
func TestFindReadsLittle(t *testing.T) {
	file := build(t, newsRows(30000, 1), 0)
	for _, test := range []struct {
		pattern Pattern
		most    int64
	}{
		{Pattern{"absent.example.com", true}, 40_000},  // the footer, and filters
		{Pattern{"absent.example.com", false}, 80_000}, // the footer, and the hosts
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
	for _, p := range []Pattern{{"absent.example.com", true}, {"absent.example.com", false}, {"bbc.co.uk", false}} {
		b.Run(fmt.Sprintf("%s exact=%v", p.Host, p.Exact), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				find(b, open(b, file), p)
			}
			b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
