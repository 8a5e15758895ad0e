package pagetext

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// minRuns is how many runs of bytes beyond ASCII show what charset they are in.
const minRuns = 20

// detect tells the charset of a page that is not in UTF-8 by its runs of bytes beyond ASCII; nil if they may well be in
// windows-1252. There such letters stand alone or in twos among others. In the charsets of other alphabets words consist
// of them, and in those of East Asia each character is two.
func detect(body []byte) encoding.Encoding {
	var runs, long, odd, hangul, pairs int
	var h histogram
	for at := 0; at < len(body); at++ {
		start := at
		for at < len(body) && body[at] >= 0xa1 {
			h[body[at]]++
			if (at-start)%2 == 0 {
				pairs++
				if 0xb0 <= body[at] && body[at] <= 0xc8 {
					hangul++
				}
			}
			at++
		}
		if at > start {
			runs++
			long += min((at-start)/4, 1)
			odd += (at - start) % 2
		}
	}
	switch {
	case runs < minRuns || long*3 < runs:
		return nil
	case odd*10 < runs && hangul*10 > pairs*9:
		return korean.EUCKR
	case odd*10 < runs:
		return simplifiedchinese.GB18030
	}
	return h.alphabet()
}

// histogram has how often each byte from 0xA1 on occurs.
type histogram [256]int

// part returns how much of all is from one byte to another.
func (h *histogram) part(first, last byte) float64 {
	some, all := 0, 0
	for b, n := range h {
		all += n
		if int(first) <= b && b <= int(last) {
			some += n
		}
	}
	return float64(some) / float64(all)
}

// alphabet tells which charset of one byte a letter its letters are from, by where alphabets have their letters and
// which of those texts are full of (https://www.unicode.org/Public/MAPPINGS/). Cyrillic is what is left.
func (h *histogram) alphabet() encoding.Encoding {
	switch {
	case h.part(0xe0, 0xfa) > 0.95 && h.part(0xc0, 0xdf) < 0.01 && h.part(0xfb, 0xff) < 0.01: // no capitals
		return charmap.Windows1255
	case h.part(0xc7, 0xc7) > 0.06 && h.part(0xf0, 0xff) < 0.05: // alif
		if h[0xe4] > h[0xe1] { // lam is the more frequent one
			return charmap.ISO8859_6
		}
		return charmap.Windows1256
	case h.part(0xdc, 0xdf)+h.part(0xfc, 0xfe) > 0.05 && h.part(0xf2, 0xf2) > 0.01 && h.part(0xff, 0xff) < 0.002: // accents, final sigma
		return charmap.ISO8859_7
	case h.part(0xa1, 0xbf) > 0.2: // half of the Thai consonants
		return charmap.Windows874
	case h.part(0xc0, 0xdf) > 2*h.part(0xe0, 0xff): // small letters are below the capitals
		return charmap.KOI8R
	}
	return charmap.Windows1251
}
