package main

import (
	"math"
	"slices"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// verdict is what a table says of a text in a language.
type verdict struct {
	language string
	right    bool
	compared bool    // the script did not decide
	lead     float64 // of the best class over the second, in natural logarithms, divided by the root of the number of grams
	likeness float64 // its score as part of what a text of the class typically has; 0 if that is not known
}

// judge finds the best class of the script that most of a text is in.
func judge(t *gram.Table, text, language string) verdict {
	var evidence [gram.Scripts]gram.Evidence
	var size [gram.Scripts]int
	most := gram.Latin
	words := gram.Words{Text: text}
	for words.Next() {
		if words.Name {
			continue
		}
		t.Look(words.Letters(), &evidence[words.Script])
		if size[words.Script] += words.Size; size[words.Script] > size[most] {
			most = words.Script
		}
	}
	v := verdict{language: language}
	best, score, second := t.Rank(most, &evidence[most])
	if best < 0 {
		v.right = most.Language() == language
		return v
	}
	v.right, v.compared = t.Classes[best].Language == language, t.Count(most) > 1
	if grams := float64(evidence[most].Grams); grams > 0 && v.compared {
		v.lead = float64(score-second) / unit / math.Sqrt(grams)
		if typical := float64(t.Classes[best].Typical) / 256; typical > 0 {
			v.likeness = float64(score) / (grams * typical)
		}
	}
	return v
}

// fit returns the logistic curve over the lead that, times how much of the usual likeness a text has, says best how often
// a verdict is right, by Fisher's scoring (https://en.wikipedia.org/wiki/Scoring_algorithm). The texts of each language
// count alike.
func fit(verdicts []verdict, usual float64) (slope, offset float64) {
	of := map[string]float64{}
	for _, v := range verdicts {
		of[v.language]++
	}
	for range 100 {
		var g0, g1, h00, h01, h11 float64
		for _, v := range verdicts {
			like := min(1, v.likeness/usual)
			if !v.compared || like <= 0 {
				continue
			}
			curve := 1 / (1 + math.Exp(-slope*v.lead-offset))
			p, weight, hit := like*curve, 1/of[v.language], 0.0
			if v.right {
				hit = 1
			}
			change := (1 - curve) / (1 - p + 1e-12) // of p, over p (1-p)
			g := weight * (hit - p) * change
			g0, g1 = g0+g, g1+g*v.lead
			h := weight * p * (1 - p) * change * change
			h00, h01, h11 = h00+h, h01+h*v.lead, h11+h*v.lead*v.lead
		}
		det := h00*h11 - h01*h01
		offset += (h11*g0 - h01*g1) / det
		slope += (h00*g1 - h01*g0) / det
	}
	return slope, offset
}

// usual returns how much likeness all right verdicts have but a part of them.
func usual(verdicts []verdict, part float64) float64 {
	var all []float64
	for _, v := range verdicts {
		if v.right && v.likeness > 0 {
			all = append(all, v.likeness)
		}
	}
	slices.Sort(all)
	return all[int(float64(len(all))*part)]
}
