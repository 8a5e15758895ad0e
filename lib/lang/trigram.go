package lang

import "github.com/abadojack/whatlanggo"

const (
	// window is how much of a text is looked at.
	window = 4 << 10

	// enough is how many bytes of text the trigram ranks of whatlanggo are good for: it ranks all trigrams of a text
	// against the 300 commonest of a language, and the more there are, the more noise it ranks.
	enough = 1 << 10

	// minLetters is how many letters a text needs: one word is like some word of any language.
	minLetters = 40
)

// Trigram is a Detector that goes by script first, and by the trigrams of github.com/abadojack/whatlanggo where several
// languages share the script. It knows 84 languages and takes the others that are written in Latin, Cyrillic, Arabic,
// Hebrew, Ethiopic or Devanagari letters for a neighbour: a stopgap until there is a better one.
//
// It is deterministic although whatlanggo is not. That walks its languages in the order of a Go map and sorts them
// stably by distance, so two at the same smallest distance win in turn. Its confidence is the two best scores'
// difference over the second, so it is zero if and only if they are equal (or there is no score at all), and everything
// else in it is independent of the order. A guess with no confidence above zero is therefore no guess here.
type Trigram struct{}

// Detect implements Detector.
func (Trigram) Detect(text string) Result {
	text = text[:min(len(text), window)]
	script, share, letters := dominantScript(text)
	switch {
	case script == nil || letters < minLetters:
		return Result{}
	case script.language != "":
		return Result{Languages: script.language, Confidence: share}
	}
	guess := whatlanggo.Detect(lettersOf(text, script, enough))
	code := guess.Lang.Iso6393()
	if cc, ok := ccCodes[code]; ok {
		code = cc
	}
	if code == "" || guess.Confidence <= 0 {
		return Result{}
	}
	return Result{Languages: code, Confidence: min(guess.Confidence, 1) * share}
}

// ccCodes are whatlanggo's codes that differ from those in cc-index, which has macro-languages where CLD2 does.
var ccCodes = map[string]string{
	"arb": "ara",
	"azj": "aze",
	"bho": "bih",
	"cmn": "zho",
	"mai": "bih",
	"nob": "nor",
	"pes": "fas",
	"ydd": "yid",
}
