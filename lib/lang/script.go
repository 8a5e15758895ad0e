package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// script is a writing system, with the language that has it alone.
type script struct {
	table    *unicode.RangeTable
	language string // cc-index code; "" if several languages share the script
}

var scripts = [...]script{
	{unicode.Latin, ""},
	{unicode.Cyrillic, ""},
	{unicode.Arabic, ""},
	{unicode.Devanagari, ""},
	{unicode.Hebrew, ""},
	{unicode.Ethiopic, ""},
	{unicode.Han, "zho"},
	{unicode.Hiragana, "jpn"},
	{unicode.Katakana, "jpn"},
	{unicode.Hangul, "kor"},
	{unicode.Greek, "ell"},
	{unicode.Thai, "tha"},
	{unicode.Bengali, "ben"},
	{unicode.Tamil, "tam"},
	{unicode.Telugu, "tel"},
	{unicode.Kannada, "kan"},
	{unicode.Malayalam, "mal"},
	{unicode.Gujarati, "guj"},
	{unicode.Gurmukhi, "pan"},
	{unicode.Oriya, "ori"},
	{unicode.Sinhala, "sin"},
	{unicode.Georgian, "kat"},
	{unicode.Armenian, "hye"},
	{unicode.Khmer, "khm"},
	{unicode.Lao, "lao"},
	{unicode.Myanmar, "mya"},
	{unicode.Tibetan, "bod"},
	{unicode.Thaana, "div"},
	{unicode.Syriac, "syr"},
	{unicode.Cherokee, "chr"},
	{unicode.Canadian_Aboriginal, "iku"},
}

// Places in scripts of those that Japanese mixes.
const (
	han      = 6
	hiragana = 7
	katakana = 8
)

// dominantScript returns the script that most of the text is in, its share among all letters (0 to 1), and how many
// letters it has; nil if there are no letters. Shares are of bytes, as CLD2 counts them: a Chinese character says more
// than a Latin letter.
func dominantScript(text string) (s *script, share float64, letters int) {
	var count, size [len(scripts)]int
	total := 0
	for word := range strings.FieldsSeq(text) {
		if isAddress(word) {
			continue
		}
		last := 0
		for _, r := range word {
			i := scriptOf(r, last)
			if i < 0 {
				continue
			}
			last = i
			count[i]++
			size[i] += utf8.RuneLen(r)
			total += utf8.RuneLen(r)
		}
	}
	if kana := size[hiragana] + size[katakana]; kana*20 > size[han] { // a Chinese text may quote a little Japanese
		count[hiragana] += count[han] + count[katakana]
		size[hiragana] += size[han] + size[katakana]
		size[han], size[katakana] = 0, 0
	}
	best := 0
	for i := range size {
		if size[i] > size[best] {
			best = i
		}
	}
	if total == 0 {
		return nil, 0, 0
	}
	return &scripts[best], float64(size[best]) / float64(total), count[best]
}

// scriptOf returns the place of a letter's or mark's script in scripts, -1 for what is neither. hint is a likely one.
func scriptOf(r rune, hint int) int {
	if r < utf8.RuneSelf {
		if 'a' <= r|0x20 && r|0x20 <= 'z' {
			return 0
		}
		return -1
	}
	if !unicode.In(r, unicode.L, unicode.M) {
		return -1
	}
	if unicode.Is(scripts[hint].table, r) {
		return hint
	}
	for i := range scripts {
		if unicode.Is(scripts[i].table, r) {
			return i
		}
	}
	return -1
}

// lettersOf returns the words of a text in one script, without addresses, digits, punctuation and words in other
// scripts, composed, up to about limit bytes.
func lettersOf(text string, s *script, limit int) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(norm.NFC.String(text)) {
		if isAddress(word) {
			continue
		}
		for _, r := range word {
			switch {
			case unicode.Is(unicode.Inherited, r):
				// a vowel sign or accent on the letter before: languages are told by the letters
			case unicode.Is(s.table, r) && unicode.In(r, unicode.L, unicode.M):
				b.WriteRune(r)
			default:
				b.WriteByte(' ')
			}
			if b.Len() >= limit {
				return b.String()
			}
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// isAddress reports whether a word is a URL or a mail address, whose letters are of no language.
func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.HasPrefix(word, "www.") || strings.Contains(word, "@")
}
