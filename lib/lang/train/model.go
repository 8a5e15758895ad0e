package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// What was tried for these and how they were chosen is in doc/languages.md.
const (
	unit        = 20        // a weight of 1 is a natural logarithm of 1/unit
	minWeight   = unit      // smaller weights are not kept
	lengthPower = 1.5       // how much a long row has to tell more than a short one
	maxRows     = 262_000   // of the table
	maxRowBytes = 1_900_000 // of their weights
	missFactor  = 2         // how much likelier a gram not seen is than the grams seen once say (Good and Turing)
	missLeast   = 0.02      // how likely it is at least
)

// model is a table in the making.
type model struct {
	classes   []gram.Class
	miss      [][gram.MaxLength + 1]float64 // by class and length: how likely a gram is that the class has not shown
	perScript map[gram.Script]int           // classes
	features  map[uint32]*feature
}

// feature is a gram with its likelihood in each class that has it, and later the weights that follow from it.
type feature struct {
	hash    uint32
	classes []uint8
	values  []float64 // by place in classes: relative frequency among grams of its length, then lift
	gain    float64   // how much it tells
}

// train makes a table from the counts of several sources.
func train(sets map[classKey][]set) ([]byte, error) {
	m := model{perScript: map[gram.Script]int{}, features: map[uint32]*feature{}}
	keys := slices.SortedFunc(maps.Keys(sets), func(a, b classKey) int {
		return cmp.Or(cmp.Compare(a.script, b.script), cmp.Compare(a.language, b.language))
	})
	for _, k := range keys {
		m.addClass(k, sets[k])
	}
	rows := m.rows()
	weights := map[uint32][]gram.Weight{}
	for _, r := range rows {
		weights[r.Hash] = r.Weights
	}
	for i, k := range keys {
		m.classes[i].Typical = typical(i, m.classes[i], sets[k], weights)
	}
	return gram.Encode(m.classes, rows)
}

// addClass mixes the sources of a class: each counts by its weight and by the root of its size.
func (m *model) addClass(k classKey, sets []set) {
	whole := 0.0
	for _, s := range sets {
		whole += s.weight * math.Sqrt(s.total[gram.MinLength])
	}
	mixed, seen := map[uint32]float64{}, map[uint32]uint32{}
	for _, s := range sets {
		share := s.weight * math.Sqrt(s.total[gram.MinLength]) / whole
		for h, n := range s.grams {
			mixed[h] += share * float64(n) / s.total[gram.Length(h)]
			seen[h] += n
		}
	}
	class := gram.Class{Script: k.script, Language: k.language}
	miss := missing(seen)
	for n := gram.MinLength; n <= gram.MaxLength; n++ {
		class.Miss[n] = uint8(math.Round(-math.Log(miss[n]) * unit))
	}
	number := uint8(len(m.classes))
	m.classes, m.miss = append(m.classes, class), append(m.miss, miss)
	m.perScript[k.script]++
	for h, frequency := range mixed {
		f := m.features[h]
		if f == nil {
			f = &feature{hash: h}
			m.features[h] = f
		}
		f.classes, f.values = append(f.classes, number), append(f.values, frequency)
	}
}

// missing estimates by length how likely a gram is that was not seen, from how many were seen once.
func missing(seen map[uint32]uint32) (miss [gram.MaxLength + 1]float64) {
	var once, total [gram.MaxLength + 1]float64
	for h, n := range seen {
		if n == 1 {
			once[gram.Length(h)]++
		}
		total[gram.Length(h)] += float64(n)
	}
	for n := gram.MinLength; n <= gram.MaxLength; n++ {
		miss[n] = min(once[n]/total[n]*missFactor+missLeast, 0.9)
	}
	return miss
}

// rows returns the rows of the features that tell most, as many as there is room for.
func (m *model) rows() []gram.Row {
	for _, f := range m.features {
		m.weigh(f)
	}
	var rows []gram.Row
	size := 0
	best := slices.SortedFunc(maps.Values(m.features), func(a, b *feature) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.hash, b.hash))
	})
	for _, f := range best {
		row := gram.Row{Hash: f.hash}
		for i, class := range f.classes {
			if w := math.Round(f.values[i] * unit); w >= minWeight {
				row.Weights = append(row.Weights, gram.Weight{Class: class, Weight: uint8(min(w, math.MaxUint8))})
			}
		}
		if len(row.Weights) == 0 {
			continue
		}
		if len(rows) >= maxRows || size > maxRowBytes {
			break
		}
		size += 1 + 2*len(row.Weights)
		rows = append(rows, row)
	}
	return rows
}

// weigh turns likelihoods into how much likelier the feature is in the class than in the script on average, over what a
// feature that the class lacks is, and sums up what it tells.
func (m *model) weigh(f *feature) {
	mean := 0.0
	for _, p := range f.values {
		mean += p
	}
	mean /= float64(m.perScript[m.classes[f.classes[0]].Script])
	for i, p := range f.values {
		miss := m.miss[f.classes[i]][gram.Length(f.hash)]
		lift := math.Log((1-miss)*p/(miss*mean) + 1)
		f.gain += p * math.Abs(lift+math.Log(miss))
		f.values[i] = lift
	}
	f.gain /= math.Pow(float64(1+len(f.values)), lengthPower) // a long row costs time and room
}

// typical is the mean score of a gram of the class's own running text, in units of 1/256.
func typical(number int, class gram.Class, sets []set, weights map[uint32][]gram.Weight) uint32 {
	score, grams := 0.0, 0.0
	for _, s := range sets {
		if s.weight < 1 {
			continue // words alone
		}
		for h, n := range s.grams {
			grams += float64(n)
			row := weights[h]
			if len(row) > 0 {
				score -= float64(n) * float64(class.Miss[gram.Length(h)])
			}
			for _, w := range row {
				if int(w.Class) == number {
					score += float64(n) * float64(w.Weight)
				}
			}
		}
	}
	if grams == 0 {
		return 0
	}
	return uint32(math.Round(max(score/grams, 0) * 256))
}
