package lang

import (
	"cmp"
	"slices"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

const (
	// maxLanguages is how many languages of a text are named, as in cc-index.
	maxLanguages = 3

	// minShare is the part of a text, by bytes of words, that a second language needs. cc-index has 0.02, but of whole
	// pages. Of a few KB that would be less than a chunk, and one odd chunk may be a caption or a list of names.
	minShare = 0.1

	// sure is the confidence that text in a second language needs.
	sure = 0.9
)

// part is the text that is in one language.
type part struct {
	language   string
	size       int // of its words, in bytes
	confidence float64
}

// result sorts the chunks by language and names those that have enough of the text.
func (d *document) result() Result {
	var buffer [2 * gram.Scripts]part
	parts, total := buffer[:0], 0
	for script := gram.Latin; script < gram.Scripts; script++ {
		total += d.size[script]
		switch language := script.Language(); {
		case d.size[script] == 0:
		case language != "":
			parts = append(parts, d.decided(script, language))
		default:
			parts = d.compared(parts, script)
		}
	}
	parts = joinKana(parts)
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.size, a.size) })
	for i := range parts {
		parts[i].confidence *= prose(total, d.code)
	}
	return named(parts, total)
}

// prose is 1 for a text with little program text in it, else less: words among program text are mostly its own, which
// are English whatever its author speaks.
func prose(words, code int) float64 {
	return min(1, float64(words)/float64(2*code+1))
}

// named writes the languages of the largest parts. The largest decides whether anything is known.
func named(parts []part, total int) Result {
	if len(parts) == 0 || parts[0].confidence < minConfidence {
		return Result{}
	}
	r := Result{Languages: parts[0].language, Confidence: parts[0].confidence}
	others := 0
	for _, p := range parts[1:] {
		if others == maxLanguages-1 || float64(p.size) < minShare*float64(total) {
			break
		}
		if p.confidence >= sure && p.language != parts[0].language {
			r.Languages += "," + p.language
			others++
		}
	}
	return r
}

// joinKana takes Han characters beside kana for Japanese. A Chinese text may quote a little of it.
func joinKana(parts []part) []part {
	han := slices.IndexFunc(parts, func(p part) bool { return p.language == "zho" })
	kana := slices.IndexFunc(parts, func(p part) bool { return p.language == "jpn" })
	if han < 0 || kana < 0 {
		return parts
	}
	keep, drop := kana, han
	if parts[kana].size*20 <= parts[han].size {
		keep, drop = han, kana
	}
	parts[keep].size += parts[drop].size
	parts[keep].confidence = max(parts[keep].confidence, parts[drop].confidence)
	return slices.Delete(parts, drop, drop+1)
}

// decided is the text in a script that one language has to itself.
func (d *document) decided(script gram.Script, language string) part {
	p := part{language: language, size: d.size[script]}
	enough := minLetters
	if script == gram.Han || script == gram.Kana || script == gram.Hangul {
		enough /= 2 // each is a syllable or a word
	}
	if n := d.letters[script]; n >= enough {
		p.confidence = 1 - 1/float64(n)
	}
	return p
}

// compared appends what is in a script that several languages share: the text in the language that all of it speaks
// for, and apart from that the chunks that surely are in another.
func (d *document) compared(parts []part, script gram.Script) []part {
	var whole chunk
	for i := range d.chunks[:d.used] {
		if d.chunks[i].script == script {
			whole.add(&d.chunks[i])
		}
	}
	main, _, _ := d.table.Rank(script, &whole.evidence)
	homes := d.homes(script, main, float64(whole.size)*minShare)
	for i, home := range homes[:d.used] {
		if home < 0 {
			continue
		}
		var group chunk
		for j := i; j < d.used; j++ {
			if homes[j] == home {
				group.add(&d.chunks[j])
				homes[j] = -1
			}
		}
		parts = append(parts, judge(d.table, script, &group))
	}
	return parts
}

// homes returns for each chunk the class that it goes to, -1 for those in other scripts. Less than least bytes in another
// class than main are not worth a group of their own.
func (d *document) homes(script gram.Script, main int, least float64) (homes [maxChunks]int) {
	var sizes [256]int
	for i := range homes {
		homes[i] = -1
		if i < d.used && d.chunks[i].script == script {
			homes[i] = d.home(&d.chunks[i], main)
			sizes[homes[i]] += d.chunks[i].size
		}
	}
	for i, home := range homes {
		if home >= 0 && float64(sizes[home]) < least {
			homes[i] = main
		}
	}
	return homes
}

// home returns the class of a full chunk that surely is in another language than main, else main.
func (d *document) home(c *chunk, main int) int {
	if c.size < lineSize {
		return main
	}
	class, score, _ := d.table.Rank(c.script, &c.evidence)
	if confidence(score-d.table.Score(main, &c.evidence), c.evidence.Grams) < sure {
		return main
	}
	return class
}
