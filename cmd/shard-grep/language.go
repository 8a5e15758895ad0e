package main

import (
	"regexp"

	"golang.org/x/text/language"

	"github.com/open-index/ccnews/lib/cli"
)

var threeLetters = regexp.MustCompile(`^[a-z]{3}$`)

// macro knows the languages that the index has under the name of a larger one: nb is nor.
const macro = language.Macro | language.DeprecatedBase

// checkLanguage refuses what no content_languages can have. Codes of other kinds, such
// as en or en-GB, would find nothing without a word.
func checkLanguage(code string) error {
	if threeLetters.MatchString(code) {
		return nil
	}
	tag, err := macro.Parse(code)
	if err != nil {
		return cli.Usagef("--lang: %q is no code of three letters such as eng or deu", code)
	}
	base, _ := tag.Base()
	return cli.Usagef("--lang: %q: codes are of three letters: say %s", code, base.ISO3())
}
