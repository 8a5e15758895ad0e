package main

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

type classKey struct {
	script   gram.Script
	language string
}

// counts are the grams of one class in one source.
type counts struct {
	grams map[uint32]uint32
	total [gram.MaxLength + 1]float64
	bytes int
}

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
				c.total[h&7]++
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

type params struct {
	unit    float64
	rows    int
	bytes   int
	drop    float64
	missMul float64
	missAdd float64
}

var defaults = params{unit: 20, rows: 3 << 16, bytes: 2_900_000, drop: 1, missMul: 2, missAdd: 0.02}

type gramStat struct {
	hash uint32
	p    []classP
	gain float64
}
type classP struct {
	class uint8
	p     float64
}

type set struct {
	source string
	weight float64
	*counts
}

// train makes a table from the counts of several sources.
func train(byClass map[classKey][]set, p params) ([]byte, error) {
	var keys []classKey
	for k := range byClass {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b classKey) int {
		return cmp.Or(cmp.Compare(a.script, b.script), cmp.Compare(a.language, b.language))
	})
	all := map[uint32]*gramStat{}
	perScript := map[gram.Script]int{}
	var classes []gram.Class
	miss := make([][gram.MaxLength + 1]float64, len(keys))
	for i, k := range keys {
		perScript[k.script]++
		class := gram.Class{Script: k.script, Language: k.language}
		mixed := map[uint32]float64{}
		raw := map[uint32]uint32{}
		sum := 0.0
		for _, s := range byClass[k] {
			sum += s.weight * math.Sqrt(s.total[gram.MinLength])
		}
		for _, s := range byClass[k] {
			share := s.weight * math.Sqrt(s.total[gram.MinLength]) / sum
			for h, n := range s.grams {
				mixed[h] += share * float64(n) / s.total[h&7]
				raw[h] += n
			}
		}
		var once, total [gram.MaxLength + 1]float64
		for h, n := range raw {
			if n == 1 {
				once[h&7]++
			}
			total[h&7] += float64(n)
		}
		for n := gram.MinLength; n <= gram.MaxLength; n++ {
			m := min(once[n]/total[n]*p.missMul+p.missAdd, 0.9)
			class.Miss[n] = uint8(math.Round(-math.Log(m) * p.unit))
			miss[i][n] = m
		}
		classes = append(classes, class)
		for h, v := range mixed {
			g := all[h]
			if g == nil {
				g = &gramStat{hash: h}
				all[h] = g
			}
			g.p = append(g.p, classP{uint8(i), v})
		}
	}
	stats := make([]*gramStat, 0, len(all))
	for _, g := range all {
		n := float64(perScript[keys[g.p[0].class].script])
		mean := 0.0
		for _, c := range g.p {
			mean += c.p
		}
		mean /= n
		for j := range g.p {
			c := &g.p[j]
			m := miss[c.class][g.hash&7]
			lift := math.Log((1-m)*c.p/(m*mean) + 1)
			g.gain += c.p * math.Abs(lift+math.Log(m))
			c.p = lift
		}
		g.gain /= math.Sqrt(float64(1 + len(g.p))) // a long row costs time and room
		stats = append(stats, g)
	}
	slices.SortFunc(stats, func(a, b *gramStat) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.hash, b.hash))
	})
	var rows []gram.Row
	size := 0
	for _, g := range stats {
		row := gram.Row{Hash: g.hash}
		for _, c := range g.p {
			if w := math.Round(c.p * p.unit); w >= p.drop*p.unit {
				row.Weights = append(row.Weights, gram.Weight{Class: c.class, Weight: uint8(min(w, 255))})
			}
		}
		if len(row.Weights) == 0 {
			continue
		}
		if len(rows) >= p.rows || size > p.bytes {
			break
		}
		size += 1 + 2*len(row.Weights)
		rows = append(rows, row)
	}
	weights := map[uint32][]gram.Weight{}
	for _, r := range rows {
		weights[r.Hash] = r.Weights
	}
	for i, k := range keys {
		sum, total := 0.0, 0.0
		for _, s := range byClass[k] {
			if s.weight < 1 {
				continue
			}
			for h, n := range s.grams {
				total += float64(n)
				for j, w := range weights[h] {
					if j == 0 {
						sum -= float64(n) * float64(classes[i].Miss[h&7])
					}
					if int(w.Class) == i {
						sum += float64(n) * float64(w.Weight)
					}
				}
			}
		}
		if total > 0 {
			classes[i].Typical = uint32(math.Round(max(sum/total, 0) * 256))
		}
	}
	return gram.Encode(classes, rows)
}

// kin are languages so close that texts differ more by their subject than by their language.
var kin = [][]string{{"bos", "hrv", "srp"}, {"ind", "msa"}, {"nno", "nor"}, {"xho", "zul"}}

// comparable drops the sources of a language in which one akin to it lacks a text.
func comparable(sets map[classKey][]set) {
	for _, group := range kin {
		for script := gram.Latin; script < gram.Han; script++ {
			have := map[string]int{}
			members := 0
			for _, l := range group {
				if len(sets[classKey{script, l}]) > 0 {
					members++
				}
				for _, s := range sets[classKey{script, l}] {
					have[s.source]++
				}
			}
			for _, l := range group {
				k := classKey{script, l}
				if len(sets[k]) > 0 {
					sets[k] = slices.DeleteFunc(sets[k], func(s set) bool { return have[s.source] < members })
				}
			}
		}
	}
}
