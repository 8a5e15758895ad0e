package main

import (
	"fmt"
	"log"
	"strings"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// maxPieces is how many pieces of a size are taken from one language, so that all count alike.
const maxPieces = 20

// check prints how often a table is right on texts of the source that it was not trained on.
func check(corpus []counted) {
	for _, s := range sources {
		if s.weight < 1 {
			continue // words alone
		}
		data, err := build(corpus, s.name)
		if err != nil {
			log.Fatal(err)
		}
		table, err := gram.Parse(data)
		if err != nil {
			log.Fatal(err)
		}
		for _, size := range []int{100, 200, 300, 1000} {
			right, all := 0, 0
			for _, c := range corpus {
				if c.source != s.name || !trained(table, c.language) {
					continue
				}
				for _, piece := range cut(c.pieces, size) {
					all++
					if classify(table, piece) == c.language {
						right++
					}
				}
			}
			fmt.Printf("%-26s %5d B: %.4f of %d\n", s.name, size, float64(right)/float64(all), all)
		}
	}
}

func trained(t *gram.Table, language string) bool {
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
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p + "\n")
		if b.Len() < size {
			continue
		}
		text := b.String()[:size]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		out = append(out, text)
		b.Reset()
		if len(out) == maxPieces {
			break
		}
	}
	return out
}

// classify returns the best class of the script that most of a text is in.
func classify(t *gram.Table, text string) string {
	var evidence [gram.Scripts]gram.Evidence
	var size [gram.Scripts]int
	main := gram.Latin
	words := gram.Words{Text: text}
	for words.Next() {
		t.Look(words.Letters(), &evidence[words.Script])
		if size[words.Script] += words.Size; size[words.Script] > size[main] {
			main = words.Script
		}
	}
	best, _, _ := t.Rank(main, &evidence[main])
	if best < 0 {
		return main.Language()
	}
	return t.Classes[best].Language
}
