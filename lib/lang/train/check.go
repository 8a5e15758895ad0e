package main

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

const (
	// maxPieces is how many pieces of a size are taken from one language at most.
	maxPieces = 20

	// minSentence is how many bytes of a message are like a sentence of an article. Shorter ones are labels of buttons.
	minSentence = 60

	// articleRun is how many paragraphs of the Declaration that follow each other are held out together.
	articleRun = 4
)

// fold is a way to part the texts: some to train on, and others to see how good the table is.
type fold struct {
	name           string
	trained, tried []counted
}

// check prints how often tables are right on texts that they were not trained on: the mean over the languages, so that
// each counts alike. Then it prints what confidence follows from that.
func check(corpus []counted) error {
	folds := []fold{articles(corpus)}
	for _, s := range sources {
		if s.weight == 1 && !s.byUDHR { // words alone are no sentences
			folds = append(folds, without(corpus, s.name))
		}
	}
	var verdicts []verdict
	for _, f := range folds {
		data, err := build(f.trained)
		if err != nil {
			return err
		}
		table, err := gram.Parse(data)
		if err != nil {
			return err
		}
		for _, size := range []int{50, 100, 200, 300, 500, 1000} {
			found := f.verdicts(table, size)
			verdicts = append(verdicts, found...)
			if size == 200 || size == 1000 {
				right, languages := accuracy(found)
				fmt.Printf("%-26s %5d B: %.4f over %d languages\n", f.name, size, right, languages)
			}
		}
	}
	like := usual(verdicts, 0.05)
	slope, offset := fit(verdicts, like)
	fmt.Printf("%d texts: slope %.2f, offset %.2f; usual %.2f\n", len(verdicts), slope, offset, like)
	return nil
}

// articles holds out every other run of paragraphs of the Declaration.
func articles(corpus []counted) fold {
	f := fold{name: "articles of udhr"}
	for _, c := range corpus {
		if c.source != sources[0].name {
			f.trained = append(f.trained, c)
			continue
		}
		var kept, held []string
		for i, piece := range c.pieces {
			if i/articleRun%2 == 0 {
				kept = append(kept, piece)
			} else {
				held = append(held, piece)
			}
		}
		f.trained = append(f.trained, counted{texts{c.source, c.language, kept}, c.weight, countTexts(kept)})
		f.tried = append(f.tried, counted{texts: texts{c.source, c.language, held}})
	}
	return f
}

// without holds out the sentences of one package, in the languages that another one has sentences of.
func without(corpus []counted, name string) fold {
	f := fold{name: name}
	elsewhere := map[string]bool{}
	for _, c := range corpus {
		if c.source != name {
			f.trained = append(f.trained, c)
			elsewhere[c.language] = elsewhere[c.language] || c.weight == 1
		}
	}
	for _, c := range corpus {
		if c.source != name || !elsewhere[c.language] {
			continue
		}
		held := counted{texts: texts{source: name, language: c.language}}
		for _, piece := range c.pieces {
			if len(piece) >= minSentence {
				held.pieces = append(held.pieces, piece)
			}
		}
		f.tried = append(f.tried, held)
	}
	return f
}

// accuracy returns the part of the verdicts that are right, as mean over so many languages.
func accuracy(verdicts []verdict) (mean float64, languages int) {
	of, right := map[string]int{}, map[string]int{}
	for _, v := range verdicts {
		of[v.language]++
		if v.right {
			right[v.language]++
		}
	}
	for _, language := range slices.Sorted(maps.Keys(of)) {
		mean += float64(right[language]) / float64(of[language])
	}
	return mean / float64(len(of)), len(of)
}

// verdicts judges the texts of a size in bytes that are in languages of the table.
func (f fold) verdicts(table *gram.Table, size int) []verdict {
	var out []verdict
	for _, c := range f.tried {
		if !knows(table, c.language) {
			continue
		}
		for _, piece := range cut(c.pieces, size) {
			out = append(out, judge(table, piece, c.language))
		}
	}
	return out
}

func knows(t *gram.Table, language string) bool {
	for _, c := range t.Classes {
		if c.Language == language {
			return true
		}
	}
	return false
}

// cut joins pieces to texts of a size in bytes.
func cut(pieces []string, size int) []string {
	var out []string
	text := ""
	for _, p := range pieces {
		text += p + "\n"
		if len(text) < size {
			continue
		}
		end := size
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		out = append(out, text[:end])
		text = ""
		if len(out) == maxPieces {
			break
		}
	}
	return out
}
