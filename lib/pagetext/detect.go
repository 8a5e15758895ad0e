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
// windows-1252. There such letters stand alone or in twos among others. In the charsets of Cyrillic words consist of
// them, and in those of East Asia each character is two.
func detect(body []byte) encoding.Encoding {
	var runs, long, odd, hangul, pairs int
	var upperHalf, lowerHalf int // 0xC0 to 0xDF, and 0xE0 to 0xFF
	for at := 0; at < len(body); at++ {
		start := at
		for at < len(body) && body[at] >= 0xa1 {
			if body[at] >= 0xe0 {
				lowerHalf++
			} else if body[at] >= 0xc0 {
				upperHalf++
			}
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
	case upperHalf > 2*lowerHalf:
		return charmap.KOI8R // small letters are below the capitals
	}
	return charmap.Windows1251
}
