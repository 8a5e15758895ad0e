package pagetext

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// find returns the encoding of a label, nil if there is none. UTF-16 and UTF-32 have none: findWide goes by the bytes.
func find(label string) encoding.Encoding {
	label = strings.ToLower(strings.TrimSpace(label))
	if enc, ok := otherLabels[label]; ok {
		return enc
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		enc, err = ianaindex.IANA.Encoding(label)
	}
	switch name, _ := htmlindex.Name(enc); {
	case err != nil || enc == encoding.Replacement || strings.HasPrefix(name, "utf-16"):
		return nil
	case name == "utf-8":
		return encoding.Nop
	}
	return enc
}

// findWide finds UTF-16 and UTF-32 by where a page's first characters, which are ASCII, have their zeros; nil if the body
// is in neither. Labels tell less: pages that say UTF-16 are mostly UTF-8, and those that are it often do not say so.
func findWide(body []byte) encoding.Encoding {
	if len(body) < 4 {
		return nil
	}
	switch zero := [4]bool{body[0] == 0, body[1] == 0, body[2] == 0, body[3] == 0}; zero {
	case [4]bool{true, true, true, false}:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case [4]bool{false, true, true, true}:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case [4]bool{true, false, true, false}:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case [4]bool{false, true, false, true}:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	return nil
}

// otherLabels are names that the web's index of encodings lacks: Java's own, and charsets that browsers dropped.
var otherLabels = map[string]encoding.Encoding{
	"cp855":               charmap.CodePage855,
	"cp949":               korean.EUCKR,
	"hz-gb-2312":          simplifiedchinese.HZGB2312,
	"ibm855":              charmap.CodePage855,
	"iso-2022-jp-2":       japanese.ISO2022JP,
	"maccyrillic":         charmap.MacintoshCyrillic,
	"macroman":            charmap.Macintosh,
	"x-big5-hkscs-2001":   traditionalchinese.Big5,
	"x-big5-solaris":      traditionalchinese.Big5,
	"x-euc-jp-linux":      japanese.EUCJP,
	"x-eucjp-open":        japanese.EUCJP,
	"x-ibm33722":          japanese.EUCJP,
	"x-ibm942c":           japanese.ShiftJIS,
	"x-ibm943c":           japanese.ShiftJIS,
	"x-ibm949":            korean.EUCKR,
	"x-ibm949c":           korean.EUCKR,
	"x-ibm950":            traditionalchinese.Big5,
	"x-ibm970":            korean.EUCKR,
	"x-iso-8859-11":       charmap.Windows874,
	"x-maccyrillic":       charmap.MacintoshCyrillic,
	"x-macroman":          charmap.Macintosh,
	"x-ms932_0213":        japanese.ShiftJIS,
	"x-ms950-hkscs":       traditionalchinese.Big5,
	"x-mswin-936":         simplifiedchinese.GBK,
	"x-pck":               japanese.ShiftJIS,
	"x-sjis_0213":         japanese.ShiftJIS,
	"x-windows-50220":     japanese.ISO2022JP,
	"x-windows-50221":     japanese.ISO2022JP,
	"x-windows-874":       charmap.Windows874,
	"x-windows-949":       korean.EUCKR,
	"x-windows-950":       traditionalchinese.Big5,
	"x-windows-iso2022jp": japanese.ISO2022JP,
}
