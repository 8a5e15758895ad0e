package gram

import (
	"unicode"
)

// Script is a writing system. The zero Script is none: blanks, digits, punctuation, symbols, and letters of scripts
// that no language of the index uses.
type Script uint8

// The scripts. Those before Han are shared by languages that only a closer look tells apart.
const (
	None Script = iota
	Latin
	Cyrillic
	Arabic
	Devanagari
	Hebrew
	Ethiopic
	Bengali
	Tibetan
	Han
	Kana
	Hangul
	Greek
	Thai
	Tamil
	Telugu
	Kannada
	Malayalam
	Gujarati
	Gurmukhi
	Oriya
	Sinhala
	Georgian
	Armenian
	Khmer
	Lao
	Myanmar
	Thaana
	Syriac
	Cherokee
	Canadian
	Scripts // how many there are
)

// scripts has the letters of each script and the language, as cc-index codes it, that has the script to itself.
var scripts = [Scripts]struct {
	letters  []*unicode.RangeTable
	language string
}{
	Latin:      {letters: []*unicode.RangeTable{unicode.Latin}},
	Cyrillic:   {letters: []*unicode.RangeTable{unicode.Cyrillic}},
	Arabic:     {letters: []*unicode.RangeTable{unicode.Arabic}},
	Devanagari: {letters: []*unicode.RangeTable{unicode.Devanagari}},
	Hebrew:     {letters: []*unicode.RangeTable{unicode.Hebrew}},
	Ethiopic:   {letters: []*unicode.RangeTable{unicode.Ethiopic}},
	Bengali:    {letters: []*unicode.RangeTable{unicode.Bengali}},
	Tibetan:    {letters: []*unicode.RangeTable{unicode.Tibetan}},
	Han:        {[]*unicode.RangeTable{unicode.Han}, "zho"},
	Kana:       {[]*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}, "jpn"},
	Hangul:     {[]*unicode.RangeTable{unicode.Hangul}, "kor"},
	Greek:      {[]*unicode.RangeTable{unicode.Greek}, "ell"},
	Thai:       {[]*unicode.RangeTable{unicode.Thai}, "tha"},
	Tamil:      {[]*unicode.RangeTable{unicode.Tamil}, "tam"},
	Telugu:     {[]*unicode.RangeTable{unicode.Telugu}, "tel"},
	Kannada:    {[]*unicode.RangeTable{unicode.Kannada}, "kan"},
	Malayalam:  {[]*unicode.RangeTable{unicode.Malayalam}, "mal"},
	Gujarati:   {[]*unicode.RangeTable{unicode.Gujarati}, "guj"},
	Gurmukhi:   {[]*unicode.RangeTable{unicode.Gurmukhi}, "pan"},
	Oriya:      {[]*unicode.RangeTable{unicode.Oriya}, "ori"},
	Sinhala:    {[]*unicode.RangeTable{unicode.Sinhala}, "sin"},
	Georgian:   {[]*unicode.RangeTable{unicode.Georgian}, "kat"},
	Armenian:   {[]*unicode.RangeTable{unicode.Armenian}, "hye"},
	Khmer:      {[]*unicode.RangeTable{unicode.Khmer}, "khm"},
	Lao:        {[]*unicode.RangeTable{unicode.Lao}, "lao"},
	Myanmar:    {[]*unicode.RangeTable{unicode.Myanmar}, "mya"},
	Thaana:     {[]*unicode.RangeTable{unicode.Thaana}, "div"},
	Syriac:     {[]*unicode.RangeTable{unicode.Syriac}, "syr"},
	Cherokee:   {[]*unicode.RangeTable{unicode.Cherokee}, "chr"},
	Canadian:   {[]*unicode.RangeTable{unicode.Canadian_Aboriginal}, "iku"},
}

// Language returns the language that has the script to itself, in cc-index's code; "" if several share it.
func (s Script) Language() string { return scripts[s].language }

// low is the end of the characters that letters looks up: all alphabets but a few historical ones are below.
const low = 0x3100

// letters has the script of each character below low, and its lower case: None and 0 for what is no letter.
var letters = func() (table [low]struct {
	script Script
	lower  uint16
}) {
	for s := Latin; s < Scripts; s++ {
		for _, ranges := range scripts[s].letters {
			for _, r16 := range ranges.R16 {
				for r := rune(r16.Lo); r <= rune(r16.Hi) && r < low; r += rune(r16.Stride) {
					if unicode.In(r, unicode.L, unicode.M) {
						table[r].script, table[r].lower = s, uint16(unicode.ToLower(r))
					}
				}
			}
		}
	}
	for _, r := range "ʻʼʽʿ" { // of Hawaiian, Uzbek and others, where they are letters
		table[r].script, table[r].lower = Latin, '\''
	}
	return table
}()

// ScriptOf returns the script of a letter, and the letter in lower case; None for what is no letter.
func ScriptOf(r rune) (Script, rune) {
	switch {
	case 0 <= r && r < low:
		return letters[r].script, rune(letters[r].lower)
	case unicode.Is(unicode.Han, r):
		return Han, r
	case unicode.Is(unicode.Hangul, r):
		return Hangul, r
	case !unicode.In(r, unicode.L, unicode.M):
		return None, 0
	}
	for s := Latin; s < Scripts; s++ {
		if unicode.In(r, scripts[s].letters...) {
			return s, unicode.ToLower(r)
		}
	}
	return None, 0
}
