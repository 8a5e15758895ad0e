package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Verdicts that are right as often as a curve says give the curve again.
func TestFitFindsTheCurve(t *testing.T) {
	const slope, offset = 3, -0.5
	random := rand.New(rand.NewPCG(1, 2))
	var verdicts []verdict
	for range 50_000 {
		v := verdict{language: "eng", compared: true, lead: 2 * random.Float64(), likeness: random.Float64()}
		v.right = random.Float64() < min(1, v.likeness/0.5)/(1+math.Exp(-slope*v.lead-offset))
		verdicts = append(verdicts, v, verdict{language: "tha", right: true})
	}
	a, b := fit(verdicts, 0.5)
	if math.Abs(a-slope) > 0.1 || math.Abs(b-offset) > 0.1 {
		t.Errorf("slope %.3f, offset %.3f", a, b)
	}
}

func TestUsualLeavesOutAPart(t *testing.T) {
	var verdicts []verdict
	for i := range 100 {
		verdicts = append(verdicts, verdict{right: true, likeness: float64(100-i) / 100}, verdict{likeness: 0.001}, verdict{right: true})
	}
	if got := usual(verdicts, 0.05); got != 0.06 {
		t.Errorf("%v", got)
	}
}
