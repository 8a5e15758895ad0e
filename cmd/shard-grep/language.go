package main

import (
	"regexp"

	"golang.org/x/text/language"

	"github.com/open-index/ccnews/lib/cli"
)

var threeLetters = regexp.MustCompile(`^[a-z]{3}$`)

// larger are the languages that the index has under the name of a larger one, beside
// those that BCP 47 knows of, as nob is nor: ISO 639-3 has no such larger one for Bihari
// and Hmong, and for Malay another than BCP 47 (https://iso639-3.sil.org/code_tables/639/data).
var larger = map[string]string{
	"bho": "bih", "mag": "bih", "mai": "bih", "fil": "tgl", "hms": "hmn", "mly": "msa", "zlm": "msa",
}

// checkLanguage refuses what no content_languages can have: codes of other kinds, such as
// en, en-GB or ger, and languages that are part of a larger one there. They would find
// nothing without a word. Codes of three letters that nobody knows are let through.
func checkLanguage(code string) error {
	tag, err := language.All.Parse(code)
	right := code
	if base, sure := tag.Base(); err == nil && sure == language.Exact {
		right = base.ISO3()
	}
	if one, ok := larger[right]; ok {
		right = one
	}
	switch isCode := threeLetters.MatchString(code); {
	case isCode && right == code, code == "twi": // cc-index has it beside aka
		return nil
	case isCode:
		return cli.Usagef("--lang: %q: the index has it as %s: say %s", code, right, right)
	case err != nil:
		return cli.Usagef("--lang: %q is no code of three letters such as eng or deu", code)
	}
	return cli.Usagef("--lang: %q: codes are of three letters: say %s", code, right)
}
