package pagetext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/open-index/ccnews/lib/sharedtest"
)

func encode(t testing.TB, e encoding.Encoding, s string) string {
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestToUTF8(t *testing.T) {
	const (
		russian  = "<p>Правительство приняло новый закон</p>"
		greek    = "<p>Η κυβέρνηση ψήφισε τους νέους νόμους</p>"
		serbian  = "<p>Влада је усвојила нови закон</p>"
		hebrew   = "<p>הממשלה אישרה חוק חדש ביום שלישי</p>"
		arabic   = "<p>أقرت الحكومة القانون الجديد يوم الثلاثاء</p>"
		thai     = "<p>รัฐบาลผ่านกฎหมายใหม่ และ เมื่อวันอังคาร</p>"
		japaneze = "<p>政府は新しい法律を採択した</p>"
		chinese  = "<p>政府通过了新的法律</p>"
		korean_  = "<p>정부는 새로운 법을 통과시켰다</p>"
		french   = "<p>déjà vu – “été”</p>"
	)
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	many := func(s string) string { return strings.Repeat(s+"\n", 40) }
	meta := func(label string) string { return `<meta charset="` + label + `">` }
	tests := []struct{ name, declared, body, want string }{
		{"ascii", "", "<p>a", "<p>a"},
		{"utf-8", "utf-8", russian, russian},
		{"utf-8 undeclared", "", russian, russian},
		{"utf-8 with a mark", "windows-1251", "\xef\xbb\xbf" + russian, russian},
		{"utf-8, declared another", "ISO-8859-1", russian, russian},
		{"utf-8, cut", "utf-8", russian[:20], russian[:19]},
		{"utf-8, one bad byte", "utf-8", russian + "\xff", russian + "\ufffd"},
		{"windows-1251 in the header alone", "windows-1251", encode(t, charmap.Windows1251, russian), russian},
		{"windows-1251 in meta alone", "", meta("windows-1251") + encode(t, charmap.Windows1251, russian), meta("windows-1251") + russian},
		{"windows-1251, declared utf-8, meta right", "UTF-8", meta("cp1251") + encode(t, charmap.Windows1251, russian), meta("cp1251") + russian},
		{"windows-1251, header unknown, meta right", "windows-1251-bulgarian", meta("windows-1251") + encode(t, charmap.Windows1251, russian), meta("windows-1251") + russian},
		{"header before meta", "koi8-r", meta("windows-1251") + encode(t, charmap.KOI8R, russian), meta("windows-1251") + russian},
		{"http-equiv", "", `<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset=iso-8859-7">` + encode(t, charmap.ISO8859_7, greek),
			`<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset=iso-8859-7">` + greek},
		{"meta after much else", "", "<script>" + strings.Repeat("x();\n", 1000) + "</script>" + meta("koi8-r") + encode(t, charmap.KOI8R, russian),
			"<script>" + strings.Repeat("x();\n", 1000) + "</script>" + meta("koi8-r") + russian},
		{"xml declaration", "", `<?xml version="1.0" encoding='koi8-r'?>` + encode(t, charmap.KOI8R, russian), `<?xml version="1.0" encoding='koi8-r'?>` + russian},
		{"meta in a comment", "", "<!--" + meta("koi8-r") + "-->" + encode(t, charmap.Windows1252, french), "<!--" + meta("koi8-r") + "-->" + french},
		{"neither", "", encode(t, charmap.Windows1252, french), french},
		{"declared utf-8 and neither", "utf-8", encode(t, charmap.Windows1252, french), french},
		{"latin-1 is windows-1252", "ISO-8859-1", encode(t, charmap.Windows1252, french), french},
		{"shift_jis", "Shift_JIS", encode(t, japanese.ShiftJIS, japaneze), japaneze},
		{"java's windows-31j", "windows-31j", encode(t, japanese.ShiftJIS, japaneze), japaneze},
		{"euc-jp", "EUC-JP", encode(t, japanese.EUCJP, japaneze), japaneze},
		{"iso-2022-jp", "ISO-2022-JP", encode(t, japanese.ISO2022JP, japaneze), japaneze},
		{"gb2312", "GB2312", encode(t, simplifiedchinese.GBK, chinese), chinese},
		{"gb18030", "GB18030", encode(t, simplifiedchinese.GB18030, chinese), chinese},
		{"hz", "hz-gb-2312", encode(t, simplifiedchinese.HZGB2312, chinese), chinese},
		{"big5", "Big5", encode(t, traditionalchinese.Big5, chinese[:9]), chinese[:9]},
		{"euc-kr", "EUC-KR", encode(t, korean.EUCKR, korean_), korean_},
		{"java's x-windows-949", "x-windows-949", encode(t, korean.EUCKR, korean_), korean_},
		{"ibm855", "IBM855", encode(t, charmap.CodePage855, russian), russian},
		{"java's x-MacCyrillic", "x-MacCyrillic", encode(t, charmap.MacintoshCyrillic, russian), russian},
		{"utf-16le with a mark", "", "\xff\xfe" + encode(t, utf16le, russian), russian},
		{"utf-16be with a mark", "utf-8", "\xfe\xff" + encode(t, utf16be, russian), russian},
		{"utf-16 without", "UTF-16", encode(t, utf16le, russian), russian},
		{"utf-16be without", "UTF-16BE", encode(t, utf16be, russian), russian},
		{"utf-32", "UTF-32", encode(t, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), russian), russian},
		{"utf-32le undeclared", "", encode(t, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), russian), russian},
		{"utf-16 declared, utf-8 sent", "UTF-16", russian, russian},
		{"utf-16 in meta, utf-8 sent", "", meta("utf-16") + "<p>é", meta("utf-16") + "<p>é"},
		{"unknown label", "none", russian, russian},
		{"no decoder", "iso-2022-kr", "<p>déjà", "<p>déjà"},
		{"windows-1251 undeclared", "", encode(t, charmap.Windows1251, many(russian)), many(russian)},
		{"windows-1251 declared latin-1", "ISO-8859-1", encode(t, charmap.Windows1251, many(russian)), many(russian)},
		{"koi8-r undeclared", "", encode(t, charmap.KOI8R, many(russian)), many(russian)},
		{"windows-1251 undeclared, serbian", "", encode(t, charmap.Windows1251, many(serbian)), many(serbian)},
		{"windows-1255 undeclared", "", encode(t, charmap.Windows1255, many(hebrew)), many(hebrew)},
		{"iso-8859-8 declared latin-1", "ISO-8859-1", encode(t, charmap.ISO8859_8, many(hebrew)), many(hebrew)},
		{"windows-1256 undeclared", "", encode(t, charmap.Windows1256, many(arabic)), many(arabic)},
		{"iso-8859-6 undeclared", "", encode(t, charmap.ISO8859_6, many(arabic)), many(arabic)},
		{"iso-8859-7 undeclared", "", encode(t, charmap.ISO8859_7, many(greek)), many(greek)},
		{"windows-1253 undeclared", "", encode(t, charmap.Windows1253, many(greek)), many(greek)},
		{"tis-620 undeclared", "", encode(t, charmap.Windows874, many(thai)), many(thai)},
		{"gb2312 undeclared", "utf-8", encode(t, simplifiedchinese.GBK, many(chinese)), many(chinese)},
		{"euc-kr undeclared", "", encode(t, korean.EUCKR, many(korean_)), many(korean_)},
		{"french undeclared", "", encode(t, charmap.Windows1252, many(french)), many(french)},
		{"c1 controls", "utf-8", "<p>it\u0092s\u0081\u0093x\u0094", "<p>it’s “x”"},
	}
	for _, tt := range tests {
		if got := string(ToUTF8([]byte(tt.body), tt.declared)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Texts of real pages, in the charsets that their alphabets had.
func TestAlphabetsAreToldApart(t *testing.T) {
	dir := sharedtest.Path(t, "vectors", "lang")
	cyrillic := []encoding.Encoding{charmap.Windows1251, charmap.KOI8R}
	for language, charsets := range map[string][]encoding.Encoding{
		"ara": {charmap.Windows1256, charmap.ISO8859_6},
		"bel": {charmap.Windows1251},
		"bul": cyrillic,
		"ell": {charmap.Windows1253, charmap.ISO8859_7},
		"heb": {charmap.Windows1255, charmap.ISO8859_8},
		"mkd": {charmap.Windows1251},
		"rus": cyrillic,
		"tha": {charmap.Windows874},
		"ukr": {charmap.Windows1251},
	} {
		text, err := os.ReadFile(filepath.Join(dir, language+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, charset := range charsets {
			sent, err := encoding.ReplaceUnsupported(charset.NewEncoder()).Bytes(text)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := charset.NewDecoder().Bytes(sent)
			got := ToUTF8(sent, "")
			if same := shared(string(got), string(want)); same < 0.99 {
				t.Errorf("%s in %v: %.2f of the characters are right: %.100s", language, charset, same, got)
			}
		}
	}
}

// shared returns how much of two texts is the same at the same places. Charsets of an alphabet differ in few characters.
func shared(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	same := 0
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			same++
		}
	}
	return float64(same) / float64(max(len(x), len(y)))
}

func TestDeclaredLang(t *testing.T) {
	long := strings.Repeat("é", 40)
	tests := []struct{ page, want string }{
		{"", ""},
		{"<html>", ""},
		{"<html lang=en>", "en"},
		{"<HTML LANG='de-DE'>", "de-DE"},
		{`<html lang=" pt-BR ">`, "pt-BR"},
		{`<html xml:lang="fr">`, "fr"},
		{`<html xml:lang="fr" lang="en">`, "en"},
		{`<html lang="" xml:lang="fr">`, "fr"},
		{`<html lang="a" lang="b">`, "a"},
		{`<html data-lang="x" class="no-js">`, ""},
		{`<html data-lang="x" lang>`, ""},
		{"\ufeff<!DOCTYPE html>\n<!-- c --><html class=a lang=uk>", "uk"},
		{`<?xml version="1.0"?><!DOCTYPE html PUBLIC "a" "b"><html xmlns="x" xml:lang="cs">`, "cs"},
		{`<!--<html lang="xx">--><html lang="en">`, "en"},
		{`<!--[if IE]><html lang="xx"><![endif]--><!--[if !IE]><!--><html lang="en"><!--<![endif]-->`, "en"},
		{`<script>document.write('<html lang="xx">')</script><html lang="en">`, "en"},
		{`<script>'<html lang="xx">'</script><p>`, ""},
		{`<style><html lang="xx"></style>`, ""},
		{`<html><head><html lang="en">`, "en"},
		{`<body lang="en"><p lang="de">`, ""},
		{`<htmlx lang="en">`, ""},
		{`<html lang="&quot;en&quot;">`, `"en"`},
		{"<html lang='e\xffn'>", "e\ufffdn"},
		{"<html lang='" + long + "'>", long[:64]},
		{"<html lang='x" + long + "'>", "x" + long[:62]},
		{"Warning: x\n<html\n lang = en >", "en"},
		{"<html lang=en", ""},
	}
	for _, tt := range tests {
		if got := DeclaredLang([]byte(tt.page)); got != tt.want {
			t.Errorf("DeclaredLang(%q) = %q, want %q", tt.page, got, tt.want)
		}
	}
}

func FuzzToUTF8IsValidUTF8(f *testing.F) {
	f.Add([]byte("\xcf\xf0\xe8<meta charset=gbk>"), "windows-1251")
	f.Add([]byte("\xff\xfe<\x00"), "utf-16")
	f.Fuzz(func(t *testing.T, body []byte, declared string) {
		got := ToUTF8(body, declared)
		if !utf8.Valid(got) || indexC1(got) >= 0 {
			t.Errorf("%q", got)
		}
	})
}

func FuzzDeclaredLangNeverPanics(f *testing.F) {
	f.Add([]byte("<!-- <html lang=x> --><html lang='en' xml:lang=de>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		got := DeclaredLang(page)
		if !utf8.ValidString(got) || len(got) > maxLang || got != strings.TrimSpace(got) {
			t.Errorf("%q", got)
		}
	})
}
