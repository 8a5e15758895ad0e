// Train writes the table.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

//go:embed languages.tsv
var languagesTSV string

func languageTables() (udhr, tags map[string]string) {
	udhr, tags = map[string]string{}, map[string]string{}
	for line := range strings.Lines(languagesTSV) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		for id := range strings.FieldsSeq(f[2]) {
			udhr[id] = f[0]
		}
		for tag := range strings.FieldsSeq(f[3]) {
			tags[tag] = f[0]
		}
	}
	return
}

func classify(t *gram.Table, text string) (string, string) {
	var size [gram.Scripts]int
	var e gram.Evidence
	words := gram.Words{Text: norm.NFC.String(text)}
	for words.Next() {
		size[words.Script] += words.Size
	}
	best := gram.Latin
	for i := range size {
		if size[i] > size[best] {
			best = gram.Script(i)
		}
	}
	words = gram.Words{Text: norm.NFC.String(text)}
	for words.Next() {
		if words.Script == best && !words.Name {
			t.Look(words.Letters(), &e)
		}
	}
	if l := best.Language(); l != "" {
		return l, ""
	}
	c, score, second := t.Rank(best, &e)
	if c < 0 {
		return "", ""
	}
	found := 0
	for _, n := range e.Found {
		found += n
	}
	return t.Classes[c].Language, fmt.Sprintf("%d\t%d\t%d\t%d\t%d", score-second, e.Grams, found, score, t.Classes[c].Typical)
}

func cut(pieces []string, size int, limit int) []string {
	var out []string
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p)
		b.WriteString(" ")
		if b.Len() >= size {
			s := b.String()[:size]
			for !utf8.ValidString(s) {
				s = s[:len(s)-1]
			}
			out = append(out, s)
			b.Reset()
			if len(out) == limit {
				break
			}
		}
	}
	return out
}

func evaluate(t *gram.Table, sets []texts, size int, verbose bool) float64 {
	right, total := 0, 0
	macro, n := 0.0, 0
	var wrong []string
	for _, s := range sets {
		r, m := 0, 0
		conf := map[string]int{}
		for _, doc := range cut(s.pieces, size, 20) {
			got, data := classify(t, doc)
			if data != "" {
				fmt.Printf("%s\t%s\t%s\t%d\t%s\n", s.source, s.language, got, size, data)
			}
			if got == s.language {
				r++
			} else {
				conf[got]++
			}
			m++
		}
		right += r
		total += m
		if m > 0 {
			macro += float64(r) / float64(m)
			n++
			if r < m {
				wrong = append(wrong, fmt.Sprintf("%s %d/%d %v", s.language, r, m, conf))
			}
		}
	}
	if verbose {
		slices.Sort(wrong)
		fmt.Fprintln(os.Stderr, strings.Join(wrong, "; "))
	}
	fmt.Fprintf(os.Stderr, "  size %d: %d/%d %.4f macro %.4f over %d\n", size, right, total, float64(right)/float64(total), macro/float64(n), n)
	return macro / float64(n)
}

func main() {
	dir := flag.String("corpus", "", "")
	check := flag.Bool("check", false, "")
	verbose := flag.Bool("v", false, "")
	p := defaults
	flag.Float64Var(&p.missMul, "mm", p.missMul, "")
	flag.Float64Var(&p.missAdd, "ma", p.missAdd, "")
	flag.Float64Var(&p.discount, "disc", p.discount, "")
	flag.Float64Var(&p.unit, "unit", p.unit, "")
	flag.Float64Var(&p.drop, "drop", p.drop, "")
	flag.IntVar(&p.bytes, "bytes", p.bytes, "")
	kinFlag := flag.Bool("kin", false, "")
	flag.Parse()
	udhr, tags := languageTables()
	var all []texts
	bySource := map[string][]texts{}
	weights := map[string]float64{}
	for _, s := range sources {
		languages := tags
		if s.byUDHR {
			languages = udhr
		}
		t, err := read(*dir, s, languages)
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, t...)
		bySource[s.name] = t
		weights[s.name] = s.weight
	}
	type counted struct {
		texts
		by map[gram.Script]*counts
	}
	var cs []counted
	for _, t := range all {
		cs = append(cs, counted{t, countTexts(t.pieces)})
		if *verbose {
			n := 0
			for _, p := range t.pieces {
				n += len(p)
			}
			fmt.Fprintf(os.Stderr, "%s %s %d %d\n", t.source, t.language, len(t.pieces), n)
		}
	}
	build := func(except string) *gram.Table {
		start := time.Now()
		sets := map[classKey][]set{}
		for _, c := range cs {
			if c.source == except {
				continue
			}
			for script, n := range c.by {
				if n.bytes < 300 {
					continue
				}
				k := classKey{script, c.language}
				sets[k] = append(sets[k], set{c.source, weights[c.source], n})
			}
		}
		if *kinFlag {
			comparable(sets)
		}
		data, err := train(sets, p)
		if err != nil {
			log.Fatal(err)
		}
		if except == "" && !*check {
			os.Stdout.Write(data)
		}
		t, err := gram.Parse(data)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Fprintf(os.Stderr, "without %q: %d classes, %d bytes, %v\n", except, len(t.Classes), len(data), time.Since(start))
		return t
	}
	if !*check {
		build("")
		return
	}
	for _, s := range sources[:4] {
		t := build(s.name)
		covered := map[string]bool{}
		for _, x := range cs {
			if x.source != s.name && !strings.HasPrefix(x.source, "cldr") {
				covered[x.language] = true
			}
		}
		var known []texts
		for _, x := range bySource[s.name] {
			if covered[x.language] {
				known = append(known, x)
			}
		}
		for _, size := range []int{100, 200, 300, 600, 1000} {
			evaluate(t, known, size, *verbose && size != 100)
		}
	}
}
