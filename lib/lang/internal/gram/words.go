package gram

import (
	"strings"
	"unicode/utf8"
)

// maxWord is how many letters of a word are looked at. No language needs more to be told.
const maxWord = 32

// Words takes a text apart. Its zero value with a text reads from the text's start:
//
//	words := Words{Text: text}
//	for words.Next() { … }
type Words struct {
	Text   string // in UTF-8, composed (NFC)
	At     int    // where in Text the next word is looked for, in bytes
	Script Script // of the word
	Size   int    // of the word in the text, in bytes
	Count  int    // of its letters, all of them
	Line   int    // how many line ends are before it
	Name   bool   // whether it has a capital, at its beginning alone, in the middle of a sentence
	Code   int    // how much program text was passed over before it, in bytes

	buffer  [maxWord + 2]rune
	length  int  // of the word in buffer, with its blanks
	inside  bool // whether a sentence goes on
	checked int  // the end of the last run of ASCII characters looked at
	odd     bool // whether that run is to be passed over
}

// Next reads a word: letters and marks of one script, as many as follow each other, with apostrophes in between. What
// belongs to no language is passed over: addresses, names of variables, tags, and whatever has digits in it.
func (w *Words) Next() bool {
	if !w.skip() {
		return false
	}
	n := 1
	w.buffer[0] = ' '
	w.Count = 0
	capitals := 0
	start, end := w.At, w.At
	for w.At < len(w.Text) {
		if w.noise() {
			break
		}
		r, size := w.rune()
		script, lower := ScriptOf(r)
		if script != w.Script {
			if isMark(r) || isApostrophe(r) {
				w.At += size
				if isApostrophe(r) && n <= maxWord {
					w.buffer[n] = '\''
					n++
				}
				continue
			}
			break
		}
		w.At += size
		end = w.At
		w.Count++
		if r != lower {
			capitals++
		}
		if n <= maxWord {
			w.buffer[n] = lower
			n++
		}
	}
	for w.buffer[n-1] == '\'' {
		n--
	}
	first, _ := utf8.DecodeRuneInString(w.Text[start:])
	w.Name = w.inside && w.Count > 1 && capitals == 1 && first != w.buffer[1]
	w.inside = true
	w.buffer[n] = ' '
	w.length, w.Size = n+1, end-start
	return true
}

// Letters returns the word in lower case, at most its first 32 letters, between two blanks. It is good until Next.
func (w *Words) Letters() []rune { return w.buffer[:w.length] }

// skip goes to the next letter and sets Script to its script.
func (w *Words) skip() bool {
	for w.At < len(w.Text) {
		if w.noise() {
			w.At = w.checked
			continue
		}
		r, size := w.rune()
		script, lower := ScriptOf(r)
		if r == '\n' {
			w.Line++
		}
		if script != None && lower != '\'' {
			w.Script = script
			return true
		}
		w.inside = w.inside && goesOn(r)
		w.At += size
	}
	return false
}

func (w *Words) rune() (rune, int) {
	if c := w.Text[w.At]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(w.Text[w.At:])
}

// noise reports whether a run of ASCII characters without blanks begins here, up to checked, that is not for reading.
func (w *Words) noise() bool {
	if w.At < w.checked {
		return w.odd
	}
	if w.Text[w.At] <= ' ' || w.Text[w.At] >= utf8.RuneSelf {
		return false
	}
	end, odd, code := w.At, false, false
	for ; end < len(w.Text); end++ {
		c := w.Text[end]
		if c <= ' ' || c >= utf8.RuneSelf {
			break
		}
		odd = odd || isOdd[c] || c == ';'
		code = code || isCode[c] || isJoint(w.Text[w.At:], end-w.At)
	}
	run := w.Text[w.At:end]
	address := strings.Contains(run, "://") || strings.HasPrefix(run, "www.")
	w.checked, w.odd = end, odd || code || address
	if code && !address {
		w.Code += len(run)
	}
	return w.odd
}

// isOdd has the characters that are in no word, nor beside one, of a text for reading, and isCode those of them that
// programs are full of.
var isOdd, isCode = set("0123456789@_={}<>\\|#$^~"), set("={}<>")

func set(characters string) (in [utf8.RuneSelf]bool) {
	for _, c := range characters {
		in[c] = true
	}
	return in
}

func isApostrophe(r rune) bool {
	return r == '\'' || r == '’' || r == '‘' || 'ʻ' <= r && r <= 'ʿ'
}

// isMark reports whether r is an accent or vowel sign that is of no script of its own.
func isMark(r rune) bool {
	return 0x300 <= r && r <= 0x36f || r == 0x640 || 0x64b <= r && r <= 0x655 || r == 0x670 || r == 0x200c || r == 0x200d || r == 0xad
}

// goesOn reports whether a sentence can go on over a character between words.
func goesOn(r rune) bool {
	switch r {
	case ' ', '\t', '\u00a0', ',', '-', '–', '&', '/':
		return true
	}
	return isApostrophe(r) || '0' <= r && r <= '9'
}

// isJoint reports whether the character at a place joins letters as programs and host names do: f(x), a.b.
func isJoint(run string, at int) bool {
	if at == 0 || !isLetter(run[at-1]) {
		return false
	}
	return run[at] == '(' || run[at] == '.' && at+1 < len(run) && 'a' <= run[at+1] && run[at+1] <= 'z'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
