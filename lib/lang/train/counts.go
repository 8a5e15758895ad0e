package main

import (
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// classKey names a class of the table.
type classKey struct {
	script   gram.Script
	language string
}

// counts are the grams of one class in one source.
type counts struct {
	grams map[uint32]uint32           // by hash
	total [gram.MaxLength + 1]float64 // by length
	bytes int                         // of words
}

// set is what one source has for a class.
type set struct {
	source string
	weight float64 // of the source
	*counts
}

// countTexts counts the grams of texts in one language by script. A script with less than a quarter of the text is left
// out: it is that of quotations.
func countTexts(pieces []string) map[gram.Script]*counts {
	out := map[gram.Script]*counts{}
	var hashes []uint32
	size := 0
	for _, piece := range pieces {
		words := gram.Words{Text: norm.NFC.String(piece)}
		for words.Next() {
			if words.Name || words.Script.Language() != "" {
				continue
			}
			c := out[words.Script]
			if c == nil {
				c = &counts{grams: map[uint32]uint32{}}
				out[words.Script] = c
			}
			hashes = gram.Append(hashes[:0], words.Letters())
			for _, h := range hashes {
				c.grams[h]++
				c.total[gram.Length(h)]++
			}
			c.bytes += words.Size
			size += words.Size
		}
	}
	for script, c := range out {
		if c.bytes*4 < size {
			delete(out, script)
		}
	}
	return out
}

// kin are languages so close that texts differ more by their subject than by their language.
var kin = [][]string{{"bos", "hrv", "srp"}, {"ind", "msa"}, {"nno", "nor"}, {"xho", "zul"}}

// levelKin drops the sources of a language in which one akin to it lacks a text.
func levelKin(sets map[classKey][]set) {
	for _, group := range kin {
		for script := gram.Latin; script < gram.Han; script++ {
			var present []classKey
			have := map[string]int{} // languages, by source
			for _, language := range group {
				k := classKey{script, language}
				if len(sets[k]) > 0 {
					present = append(present, k)
				}
				for _, s := range sets[k] {
					have[s.source]++
				}
			}
			for _, k := range present {
				sets[k] = slices.DeleteFunc(sets[k], func(s set) bool { return have[s.source] < len(present) })
			}
		}
	}
}
