package lang

import (
	"math"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

const (
	// minLetters is how many letters a text needs: few words are like some words of any language.
	minLetters = 20

	// minConfidence is below what nothing is said.
	minConfidence = 0.1
)

// judge says which language some text in a script is in.
func judge(t *gram.Table, script gram.Script, c *chunk) part {
	best, score, second := t.Rank(script, &c.evidence)
	p := part{language: t.Classes[best].Language, size: c.size}
	if c.letters >= minLetters {
		p.confidence = confidence(score-second, c.evidence.Grams)
		if t.Count(script) >= manyClasses {
			p.confidence *= fit(score, c.evidence.Grams, t.Classes[best])
		}
	}
	return p
}

// confidence is how often a lead of the best class over the second is right.
func confidence(lead, grams int) float64 {
	return 1 / (1 + math.Exp(-slope*float64(lead)/math.Sqrt(float64(grams))-offset))
}

// slope and offset were fitted to texts of 50 to 1000 bytes that tables had not been trained on (train -check).
const slope, offset = 1.23 / 20, 0.46

// usual is what a text has at least of the score that its class has typically: 19 of 20 of those texts had as much.
const usual = 0.43

// manyClasses is how many languages a script must have for the average of them to be unlike each.
const manyClasses = 8

// fit is 1 for a text that is like those of its class, and less for one that is merely more like them than like others.
func fit(score, grams int, class gram.Class) float64 {
	typical := float64(class.Typical) / 256
	return max(0, min(1, float64(score)/(float64(grams)*typical*usual)))
}
