package gram

// Evidence is what the grams of some text say, in all scripts together.
type Evidence struct {
	Grams  int                // looked up
	Found  [MaxLength + 1]int // of them in the table, by length
	Scores [256]uint32        // by class: the sum of weights
}

// Add adds other evidence.
func (e *Evidence) Add(other *Evidence) {
	e.Grams += other.Grams
	for i, n := range other.Found {
		e.Found[i] += n
	}
	for i, n := range other.Scores {
		e.Scores[i] += n
	}
}

// Look adds the grams of a word to the evidence.
func (t *Table) Look(word []rune, e *Evidence) {
	var buffer [MaxGrams]uint32
	hashes := Append(buffer[:0], word)
	e.Grams += len(hashes)
	var places [MaxGrams]uint32 // found first and read then, so that the processor waits for many at a time
	for i, h := range hashes {
		places[i] = t.find(h)
	}
	for i, h := range hashes {
		if places[i] > 0 {
			t.add(places[i], &e.Scores)
			e.Found[Length(h)]++
		}
	}
}

// Score returns how much likelier the text is in a class than in the scripts's languages on average: the logarithm, in
// units of 1/20.
func (t *Table) Score(class int, e *Evidence) int {
	score := int(e.Scores[class])
	for n, miss := range t.Classes[class].Miss {
		score -= e.Found[n] * int(miss)
	}
	return score
}

// Rank returns the class of a script with the highest score, and the highest score of another language. It is -1 if no
// class is of the script. Of equal ones the first in the table wins.
func (t *Table) Rank(script Script, e *Evidence) (best, score, second int) {
	best, score, second = -1, lowest, lowest
	for i := t.spans[script].first; i < t.spans[script].last; i++ {
		switch s := t.Score(i, e); {
		case s > score:
			best, score, second = i, s, score
		case s > second:
			second = s
		}
	}
	return best, score, second
}

// lowest is below any score.
const lowest = -1 << 40

// Count returns how many classes a script has.
func (t *Table) Count(script Script) int { return t.spans[script].last - t.spans[script].first }
