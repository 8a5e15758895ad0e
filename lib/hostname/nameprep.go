package hostname

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// nameprep prepares a label by RFC 3491: map, normalise with NFKC, refuse prohibited code points,
// check the writing direction.
//
// The profile is frozen at Unicode 3.2 and the packages used here are not. Three differences
// matter, and all of them were checked against Java for each code point: what was unassigned then
// is neither folded nor normalised, letters whose small form came later (Georgian capitals) are not
// folded, and five ideographs had other decompositions.
func nameprep(label string, unassigned Unassigned) (string, error) {
	var out strings.Builder
	var known strings.Builder // a run of code points that Unicode 3.2 knows, mapped
	fold := cases.Fold()
	for _, r := range label {
		switch {
		case !unicode.Is(unassigned32, r):
			known.WriteString(nameMap(r, fold))
		case unassigned == RefuseUnassigned:
			return "", errors.New("code point is not in Unicode 3.2")
		default:
			out.WriteString(norm.NFKC.String(known.String()))
			known.Reset()
			out.WriteRune(r)
		}
	}
	out.WriteString(norm.NFKC.String(known.String()))
	name := out.String()
	for _, r := range name {
		// The last two code points of each plane are never characters.
		if unicode.Is(prohibited, r) || r&0xfffe == 0xfffe {
			return "", errors.New("code point is prohibited")
		}
	}
	if !oneDirection(name) {
		return "", errors.New("label mixes writing directions")
	}
	return name, nil
}

// nameMap is what a code point is mapped to by tables B.1 and B.2 of RFC 3454. B.2 is case folding
// that is stable under NFKC, so a second round of both yields it: ℡ is TEL only after NFKC.
func nameMap(r rune, fold cases.Caser) string {
	if r < 0x80 {
		return string(unicode.ToLower(r))
	}
	if unicode.Is(mappedToNothing, r) {
		return ""
	}
	if old, ok := oldDecompositions[r]; ok {
		return string(old)
	}
	folded := fold32(string(r), fold)
	if norm.NFKC.IsNormalString(folded) {
		return folded
	}
	return fold32(norm.NFKC.String(folded), fold)
}

// fold32 folds the case of each code point unless its fold came after Unicode 3.2.
func fold32(s string, fold cases.Caser) string {
	var out strings.Builder
	for _, r := range s {
		folded := fold.String(string(r))
		if strings.ContainsFunc(folded, func(r rune) bool { return unicode.Is(unassigned32, r) }) {
			folded = string(r)
		}
		out.WriteString(folded)
	}
	return out.String()
}

// oneDirection checks section 6 of RFC 3454: a label with right-to-left letters has none that run
// left to right, and begins and ends with a right-to-left letter.
func oneDirection(label string) bool {
	var left, right, first, last bool
	for i, r := range label {
		p, _ := bidi.LookupRune(r)
		last = p.Class() == bidi.R || p.Class() == bidi.AL
		if i == 0 {
			first = last
		}
		right = right || last
		left = left || p.Class() == bidi.L
	}
	return !right || first && last && !left
}

// mappedToNothing is table B.1 of RFC 3454: soft hyphens, joiners, variation selectors.
var mappedToNothing = &unicode.RangeTable{R16: []unicode.Range16{
	{0x00ad, 0x00ad, 1}, {0x034f, 0x034f, 1}, {0x1806, 0x1806, 1}, {0x180b, 0x180d, 1},
	{0x200b, 0x200d, 1}, {0x2060, 0x2060, 1}, {0xfe00, 0xfe0f, 1}, {0xfeff, 0xfeff, 1},
}}

// prohibited are the tables that section 5 of RFC 3491 names, less what NFKC replaces anyway.
var prohibited = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0080, 0x009f, 1}, {0x06dd, 0x06dd, 1}, {0x070f, 0x070f, 1}, {0x1680, 0x1680, 1},
		{0x180e, 0x180e, 1}, {0x200e, 0x200f, 1}, {0x2028, 0x202e, 1}, {0x2061, 0x2063, 1},
		{0x206a, 0x206f, 1}, {0x2ff0, 0x2ffb, 1}, {0xe000, 0xf8ff, 1}, {0xfdd0, 0xfdef, 1},
		{0xfff9, 0xfffd, 1},
	},
	R32: []unicode.Range32{
		{0x1d173, 0x1d17a, 1}, {0xe0001, 0xe0001, 1}, {0xe0020, 0xe007f, 1}, {0xf0000, 0x10ffff, 1},
	},
}

// oldDecompositions are the five that Corrigendum 4 to Unicode corrected after version 3.2
// (https://www.unicode.org/versions/corrigendum4.html).
var oldDecompositions = map[rune]rune{
	0x2f868: 0x2136a, 0x2f874: 0x5f33, 0x2f91f: 0x43ab, 0x2f95f: 0x7aae, 0x2f9bf: 0x4d57,
}
