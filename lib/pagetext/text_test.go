package pagetext

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	tests := []struct{ name, page, want string }{
		{"nothing", "", ""},
		{"text alone", "just  text", "just text"},
		{"title first", "<body><p>One<title>Two</title>", "Two\nOne"},
		{"paragraphs before the rest", "<div>menu</div><p>one</p><div>more</div><h2>two</h2>", "one\ntwo\nmenu\nmore"},
		{"inline tags", "<p>a<b>b</b>c <i>d</i>\n e", "abc d e"},
		{"blocks", "<div>a</div>b<ul><li>c<li>d</ul><table><tr><td>e<td>f</table>", "a\nb\nc\nd\ne\nf"},
		{"breaks", "<p>a<br>b<br/>c<img src=x>d", "a b c d"},
		{"white space", "<p> a \t\r\n b\u00a0c\u3000d\u0085e ", "a b c d e"},
		{"soft hyphens", "<p>Bundes\u00adregie&shy;rung\u200b", "Bundesregierung"},
		{"entities", "<title>a &amp; b</title><p>&eacute;&#233;&#xe9; &lt;x&gt; &nbsp;&#150;", "a & b\néé\u00e9 <x> –"},
		{"scripts and styles", "<p>a<script>var p = '<p>x</p>';</script><style>p { x }</style>b", "ab"},
		{"comments", "<p>a<!-- <p>x -->b", "ab"},
		{"templates and the like", "<p>a<noscript><p>x</noscript><template>x</template><svg><title>x</title></svg>b", "ab"},
		{"form controls", "<form><p>a<select><option>x</select><button>x</button><textarea>x</textarea></form>", "a"},
		{"navigation", "<header>x<nav>x</nav></header><p>a<nav><ul><li>x</ul></nav><aside><p>x</aside><footer><p>x</footer>", "a"},
		{"nested navigation", "<nav>x<nav>x</nav>x</nav><p>a", "a"},
		{"header closes its navigation", "<header><nav>x</header><p>a", "a"},
		{"navigation never closed", "<nav><a>m</a><p>a<p>b", "a\nb\nm"},
		{"second navigation closed", "<nav>m<p>a</p><nav>x</nav><p>b", "a\nb\nm"},
		{"main after an open header", "<header>x<nav>x<main><p>a", "a"},
		{"main in a template", "<template><main><p>x</main></template><p>a", "a"},
		{"stray end tags", "</nav></p></div><p>a</header>b", "ab"},
		{"title never closed", "<title>t<meta name=x><p>a", "t\na"},
		{"empty title", "<title></title><title>t</title><p>a", "t\na"},
		{"self-closing", `<title/><script src="x"/><iframe/><p>a<br/>b`, "a b"},
		{"noscript never closed", "<noscript><img><p>a", "a"},
		{"script never closed", "<p>a<script>x <p>y", "a"},
		{"comment never closed", "<p>a<!-- x", "a"},
		{"cut in a tag", "<p>a <b>b</b> <a href='x", "a b"},
		{"xhtml", `<?xml version="1.0"?><!DOCTYPE html PUBLIC "a" "b"><html xmlns="x"><head><title>t</title></head><body><p>a</p></body></html>`, "t\na"},
		{"upper case", "<TITLE>t</TITLE><SCRIPT>x</SCRIPT><P>a</P>", "t\na"},
		{"text in no paragraph after one", "<p>a</p>b<p>c", "a\nc\nb"},
		{"a less-than sign", "<p>1 < 2 <3", "1 < 2 <3"},
		{"invalid utf-8", "<p>a\xffb", "a\ufffdb"},
		{"invalid utf-8 round a script", "<p>a\xc3<script>\xa9\xc3</script>\xa9b", "a\ufffd\ufffdb"},
		{"title that is the heading", "<title>A  b</title><h1>A <b>b</b></h1><p>c", "A b\nc"},
		{"title that is the beginning of the heading", "<title>A</title><h1>A b</h1>", "A\nA b"},
		{"title that is a later line", "<title>A</title><p>b<h1>A</h1>", "A\nb\nA"},
	}
	for _, tt := range tests {
		if got := Text([]byte(tt.page), 1000); got != tt.want {
			t.Errorf("%s: Text(%q) = %q, want %q", tt.name, tt.page, got, tt.want)
		}
	}
}

func TestTextLimit(t *testing.T) {
	page := []byte("<title>тест</title><p>абв где</p><div>жзи</div>")
	whole := Text(page, 1000)
	for limit := -1; limit <= len(whole)+1; limit++ {
		got := Text(page, limit)
		if len(got) > max(limit, 0) || !utf8.ValidString(got) || !strings.HasPrefix(whole, got) || len(got) < min(limit, len(whole))-1 {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}

// The text is enough when title and paragraphs fill the limit: what comes after must not matter.
func TestTextStops(t *testing.T) {
	page := "<title>t</title>" + strings.Repeat("<p>some words</p>", 200)
	want := Text([]byte(page), 500)
	if got := Text([]byte(page+"<p>more</p><title>other"), 500); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTextOfHostilePages(t *testing.T) {
	for _, piece := range []string{"<nav>", "<title>", "<p>", "<!--", "<a ", "</", "<script>", "&amp", "<svg><title>", "<b x=\"", "<html lang "} {
		page := []byte(strings.Repeat(piece, (256<<10)/len(piece)))
		if text := Text(page, 2048); !utf8.ValidString(text) || len(text) > 2048 {
			t.Errorf("%s: text of %d bytes: %.40q", piece, len(text), text)
		}
		if lang := DeclaredLang(page); lang != "" {
			t.Errorf("%s: language %q", piece, lang)
		}
		if got := ToUTF8(page, ""); !bytes.Equal(got, page) {
			t.Errorf("%s: ASCII became %.40q", piece, got)
		}
	}
}

func FuzzTextIsValidUTF8(f *testing.F) {
	f.Add([]byte("<title>a</title><nav>b<p>\xff&#x80;</nav>c"), 10)
	f.Add([]byte("<script>a</script><template><main>x"), 1)
	f.Fuzz(func(t *testing.T, page []byte, limit int) {
		limit %= 10_000
		got := Text(page, limit)
		if !utf8.ValidString(got) || len(got) > max(limit, 0) {
			t.Errorf("%q, limit %d", got, limit)
		}
		if strings.ContainsAny(got, "\t\r\x00\u0085\u0096\u00a0") || strings.Contains(got, "  ") || got != strings.TrimLeft(got, " \n") {
			t.Errorf("white space or controls left: %q", got)
		}
	})
}

// news is a page of the size and shape of a real one: 100 KB, of which a twentieth is text.
var news = func() []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head><meta charset=\"utf-8\"><title>Parliament votes on the budget</title>\n")
	b.WriteString("<script>" + strings.Repeat("window.dataLayer.push({'event': 'x', 'value': 1});\n", 400) + "</script>\n")
	b.WriteString("<style>" + strings.Repeat(".header .menu > li { margin: 0 auto; }\n", 300) + "</style></head><body>\n<header><nav><ul>")
	b.WriteString(strings.Repeat("<li class=\"menu-item\"><a href=\"https://example.com/section/politics\">Politics</a></li>\n", 200))
	b.WriteString("</ul></nav></header>\n<article class=\"story\">")
	b.WriteString(strings.Repeat("<p class=\"body\">The <a href=\"/tag/minister\">minister</a> said on Tuesday that the vote “would be held” before "+
		"the summer recess, and that nobody should expect a different outcome.</p>\n<div class=\"ad\"><script>ad();</script></div>\n", 30))
	b.WriteString("</article>\n")
	b.WriteString(strings.Repeat("<div class=\"teaser\"><a href=\"/story/12345\"><img src=\"/img/a.jpg\" alt=\"\"><span>Another story</span></a></div>\n", 300))
	b.WriteString("<footer><p>Copyright</p></footer></body></html>")
	return []byte(b.String())
}()

func BenchmarkToUTF8AndText(b *testing.B) {
	b.SetBytes(int64(len(news)))
	b.ReportAllocs()
	for b.Loop() {
		Text(ToUTF8(news, "UTF-8"), 2048)
	}
}

// Without paragraphs the whole page is read.
func BenchmarkTextToTheEnd(b *testing.B) {
	page := []byte(strings.NewReplacer("<p ", "<div ", "</p>", "</div>").Replace(string(news)))
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		Text(page, 2048)
	}
}

func BenchmarkDeclaredLang(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		DeclaredLang(news)
	}
}

// Leaving out what is in scripts must change nothing else.
func FuzzScriptsAreLeftOutAlone(f *testing.F) {
	f.Add([]byte("<p>a<script>x < y</script><p>b<STYLE >p{}</STYLE\n><p>c"))
	f.Add([]byte("<script><!-- <script>x</script> --></script>y<script/><p>z<style>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		var got bytes.Buffer
		if _, err := got.ReadFrom(&scriptless{page: page}); err != nil {
			t.Fatal(err)
		}
		rest := page
		for i, c := range got.Bytes() { // what is left is there in the page, in order
			at := bytes.IndexByte(rest, c)
			if at < 0 {
				t.Fatalf("byte %d of %q is not in %q", i, got.Bytes(), page)
			}
			rest = rest[at+1:]
		}
		if !bytes.Contains(bytes.ToLower(page), []byte("</s")) && !bytes.Equal(got.Bytes(), page) {
			t.Errorf("%q became %q", page, got.Bytes())
		}
	})
}
