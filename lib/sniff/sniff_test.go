package sniff

import (
	"strings"
	"testing"
	"unicode/utf16"
)

func encode16(s string, order string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		if order == "be" {
			b.WriteByte(byte(u >> 8))
		}
		b.WriteByte(byte(u))
		if order == "le" {
			b.WriteByte(byte(u >> 8))
		}
	}
	return b.String()
}

const (
	decl    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	xhtmlNS = ` xmlns="http://www.w3.org/1999/xhtml"`
)

func TestDetect(t *testing.T) {
	spaces := strings.Repeat(" \n", 400)
	tests := []struct{ name, body, declared, url, want string }{
		{"doctype", "<!DOCTYPE html><p>x", "", "", html},
		{"doctype, lower case", "<!doctype html><p>x", "", "", html},
		{"doctype without a blank", "<!doctypehtml><p>x", "", "", html},
		{"old doctype", `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><html>`, "", "", html},
		{"html", "<html><p>x", "", "", html},
		{"HTML", "<HTML LANG=en><P>x", "", "", html},
		{"head", "<head><title>x", "", "", html},
		{"title", "<title>x</title>", "", "", html},
		{"short blanks", " \r\n\t<html>", "", "", html},
		{"long blanks", spaces + "<!DOCTYPE html><html>", "", "", html},
		{"utf-8 bom", "\xef\xbb\xbf<!DOCTYPE html>", "", "", html},
		{"bom and blanks", "\xef\xbb\xbf\r\n <!DOCTYPE html>", "", "", html},
		{"utf-16le", encode16("<!DOCTYPE html><html>", "le"), "text/html", "", html},
		{"utf-16be", encode16("<!DOCTYPE html><html>", "be"), "text/html; charset=utf-16", "", html},
		{"utf-16 undeclared", encode16("<!DOCTYPE html><html>", "le"), "", "", plain},
		{"utf-16 xml", encode16(decl+"<rss>", "be"), "", "", "application/rss+xml"},
		{"comment", "<!-- x --><!DOCTYPE html>", "", "", html},
		{"long comment", "<!-- " + strings.Repeat("x ", 2048) + "--><!DOCTYPE html>", "", "", html},
		{"comments and blanks", "<!-- a -->\n<!-- b -->\n<html>", "", "", html},
		{"php warning", "<br />\n<b>Warning</b>: x in y.php\n<!DOCTYPE html><html>", "", "", html},
		{"text before the page", "Notice: undefined\n" + strings.Repeat("y ", 2000) + "<html>", "text/plain", "", html},
		{"text long before the page", strings.Repeat("y ", 5000) + "<html>", "text/plain", "", plain},
		{"legacy text before the page", "\xcf\xf0\xe8\xe2\xe5\xf2 <html>", "", "", html},
		{"fragment p", "<p>x</p>", "", "", html},
		{"fragment div", "<div class=x>x</div>", "", "", html},
		{"fragment script", "<script>x</script>", "", "", html},
		{"fragment h1", "<h1>x</h1>", "", "", html},
		{"fragment article, declared", "<article>x</article>", "text/html", "", html},
		{"fragment br, declared", "<br/>x", "text/html; charset=utf-8", "", html},
		{"fragment meta, declared", "<meta charset=utf-8>", "Text/HTML", "", html},
		{"fragment article", "<article>x</article>", "", "", plain},
		{"plain start, declared", "Hello, this is <b>bold</b>", "text/html", "", html},
		{"declared without semicolon", "Hello", "text/html charset=utf-8", "", html},
		{"declared twice", "Hello", "text/html, text/html", "", html},
		{"declared plain, is html", "<!DOCTYPE html>", "text/plain", "", html},
		{"declared json, is html", "<!DOCTYPE html>", "application/json", "http://x/a.json", html},
		{"declared image, is html", "<!DOCTYPE html>", "image/jpeg", "http://x/a.jpg", html},
		{"control bytes in a page", "<!DOCTYPE html><p>\x00\x01", "", "", html},

		{"xhtml doctype and namespace", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html` + xhtmlNS + ">", "text/html", "", xhtml},
		{"xhtml namespace", "<html" + xhtmlNS + "><p>", "text/html", "", xhtml},
		{"xhtml namespace after lang", "<!DOCTYPE html>\n<html lang='en' dir=ltr " + xhtmlNS + ">", "", "", xhtml},
		{"xhtml namespace, single quotes", "<html xmlns='http://www.w3.org/1999/xhtml'>", "", "", xhtml},
		{"xhtml in a conditional comment", "<!DOCTYPE html><!--[if IE]><html xmlns=\"http://www.w3.org/1999/xhtml\"><![endif]--><html>", "", "", xhtml},
		{"xhtml doctype without namespace", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html lang="en">`, "", "", html},
		{"other namespaces only", `<html xmlns:og="http://ogp.me/ns#" xmlns:fb="x">`, "", "", html},
		{"namespace elsewhere", "<html><body><svg" + xhtmlNS + ">", "", "", html},
		{"declared xhtml, is html", "<!DOCTYPE html><html>", xhtml, "", html},
		{"xml and xhtml", decl + "<html" + xhtmlNS + ">", "text/html", "", xhtml},
		{"xml, comment and xhtml", decl + "<!-- x --><!DOCTYPE html [ <!ENTITY a \"b>\"> ]>\n<html" + xhtmlNS + ">", "", "", xhtml},
		{"xml and xhtml with a prefix", decl + `<h:html xmlns:h="http://www.w3.org/1999/xhtml">`, "", "", xhtml},
		{"xml and html", decl + "<html><p>", "", "", html},

		{"xml", decl + "<note>x</note>", "", "", xml},
		{"xml, declared text/xml", decl + "<note>x</note>", "text/xml", "", xml},
		{"xml, declared html", decl + "<note>x</note>", "text/html", "", xml},
		{"xml, declared rss", decl + "<note>x</note>", "application/rss+xml; charset=x", "", "application/rss+xml"},
		{"xml, named atom", decl + "<note>x</note>", "text/xml", "http://x/a.atom", "application/atom+xml"},
		{"xml without root", decl + "x", "", "", plain},
		{"xml without declaration", "<note>x</note>", "", "", plain},
		{"xml without declaration, declared", "<note>x</note>", "text/xml", "", xml},
		{"xml without declaration, declared +xml", "<note>x</note>", "application/soap+xml", "", "application/soap+xml"},
		{"xml without declaration, named", "<note>x</note>", "", "https://x/a.xml?b#c", xml},
		{"xml after blanks", "\n" + decl + "<note>x</note>", "", "", xml},
		{"xml after a bom", "\xef\xbb\xbf" + decl + "<note>x</note>", "", "", xml},
		{"rss", decl + `<rss version="2.0"><channel>`, "text/xml", "", "application/rss+xml"},
		{"rss, stylesheet", decl + `<?xml-stylesheet href="x"?><!-- c --><rss version="2.0">`, "text/html", "", "application/rss+xml"},
		{"rss without declaration", `<rss version="2.0"><channel><title>`, "application/rss+xml", "", "application/rss+xml"},
		{"rss with html inside", decl + `<rss><channel><description><![CDATA[<html>]]>`, "", "", "application/rss+xml"},
		{"rdf", decl + `<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`, "", "", "application/rdf+xml"},
		{"atom", decl + `<feed xmlns="http://www.w3.org/2005/Atom">`, "text/xml", "", "application/atom+xml"},
		{"atom 0.3", decl + `<feed version="0.3" xmlns="http://purl.org/atom/ns#">`, "", "", "application/atom+xml"},
		{"atom with a prefix", decl + `<a:feed xmlns:a="http://www.w3.org/2005/Atom">`, "", "", "application/atom+xml"},
		{"feed of no namespace", decl + `<feed>`, "", "", xml},
		{"svg", decl + `<!DOCTYPE svg PUBLIC "x" "y"><svg width="1" xmlns="http://www.w3.org/2000/svg">`, "", "", "image/svg+xml"},
		{"svg without declaration", `<svg xmlns="http://www.w3.org/2000/svg">`, "", "", "image/svg+xml"},
		{"sitemap", decl + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "", "", xml},
		{"cut tag", decl + `<feed xmlns="http://www.w3.org/20`, "", "", xml},

		{"json, declared", `{"a": 1}`, "application/json; charset=utf-8", "", "application/json"},
		{"json, named", `{"a": 1}`, "", "http://x/a.json", "application/json"},
		{"json, named, declared plain", `{"a": 1}`, "text/plain", "http://x/a.JSON", "application/json"},
		{"json", `{"a": 1}`, "", "http://x/json", plain},
		{"json-ld", `{"a": 1}`, "application/ld+json", "", "application/ld+json"},
		{"js", "var a = 1;", "text/javascript", "", "application/javascript"},
		{"js, named", "var a = 1;", "text/html", "http://x/a.js?v=1", "application/javascript"},
		{"js, declared as binary", "var a = 1;", octets, "http://x/a.js", "application/javascript"},
		{"css", "a { b: c }", "text/css", "", "text/css"},
		{"css, named", "a { b: c }", "", "http://x/a.css", "text/css"},
		{"css as text", "a { b: c }", "", "", plain},
		{"text", "Hello", "text/plain", "", plain},
		{"text, undeclared", "Hello", "", "http://x/robots.txt", plain},
		{"text, declared an image", "Not found", "image/png", "", plain},
		{"text, declared nonsense", "Hello", "nonsense", "", plain},
		{"utf-8 text", "Привет мир, как дела", "", "", plain},
		{"windows-1251 text", "\xcf\xf0\xe8\xe2\xe5\xf2\xec\xe8\xf0", "text/plain", "", plain},
		{"csv", "a,b\n1,2\n", "", "", plain},
		{"csv, declared", "a,b\n1,2\n", "text/csv", "", "text/csv"},
		{"ics", "BEGIN:VCALENDAR\r\nX:<html>", "text/plain", "", "text/calendar"},
		{"vtt", "\xef\xbb\xbfWEBVTT\n\n", "", "", "text/vtt"},

		{"empty", "", "text/html; charset=utf-8", "", html},
		{"empty, undeclared", "", "", "https://tesla.com/", octets},
		{"empty, named", "", "", "http://x/a.pdf", "application/pdf"},
		{"blank", " \n", "text/html", "", html},
		{"bom alone", "\xef\xbb\xbf", "text/html", "", html},
		{"binary", "\x00\x01\x02\x03", "", "", octets},
		{"binary, declared", "\x00\x01\x02\x03", "Application/X-Foo; a=b", "", "application/x-foo"},
		{"binary, declared html", "\x00\x01\x02\x03", "text/html", "", html},
		{"binary, declared octets, named", "\x00\x01\x02\x03", octets, "http://x/a.MP3", "audio/mpeg"},
		{"binary with html inside", "\x00\x01<html>", "", "", octets},
		{"host is no file", "\x00\x01", "", "http://x.zip", octets},

		{"pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00", "text/html", "", "application/pdf"},
		{"pdf after a line", "\n%PDF-1.7\n\x00", "", "", "application/pdf"},
		{"jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "text/html", "", "image/jpeg"},
		{"jpeg, three bytes", "\xff\xd8\xff", "", "", "image/jpeg"},
		{"png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/jpeg", "http://x/a.jpg", "image/png"},
		{"gif", "GIF89a\x01\x00\x01\x00", "", "", "image/gif"},
		{"webp", "RIFF\x24\x00\x00\x00WEBPVP8 ", "", "", "image/webp"},
		{"avif", "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1", "", "", "image/avif"},
		{"ico", "\x00\x00\x01\x00\x01\x00\x10\x10", "image/x-icon", "", "image/vnd.microsoft.icon"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "application/x-gzip", "", "application/gzip"},
		{"zip", "PK\x03\x04\x14\x00\x00\x00", "", "", "application/zip"},
		{"zip, declared docx", "PK\x03\x04\x14\x00\x00\x00", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "",
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"zip, named epub", "PK\x03\x04\x14\x00\x00\x00", octets, "http://x/a.epub", "application/epub+zip"},
		{"mp3", "ID3\x03\x00\x00\x00\x00\x00", "", "", "audio/mpeg"},
		{"mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "", "", "video/mp4"},
		{"woff2", "wOF2\x00\x01\x00\x00", "", "", "font/woff2"},
		{"wav", "RIFF\x24\x00\x00\x00WAVEfmt ", "", "", "audio/vnd.wave"},
	}
	for _, tt := range tests {
		if got := Detect([]byte(tt.body), tt.declared, tt.url); got != tt.want {
			t.Errorf("%s: Detect(%.60q, %q, %q) = %q, want %q", tt.name, tt.body, tt.declared, tt.url, got, tt.want)
		}
	}
}

func TestMoreThanTheWindowChangesNothing(t *testing.T) {
	body := "<!-- " + strings.Repeat("x", Window) + " --><html>"
	if a, b := Detect([]byte(body[:Window]), "", ""), Detect([]byte(body), "", ""); a != b {
		t.Errorf("%q for a prefix, %q for the whole", a, b)
	}
}

func TestExtension(t *testing.T) {
	for url, want := range map[string]string{
		"http://example.com": "", "http://example.com/": "", "http://example.com/a.b/c": "", "http://example.com/a.B": "b",
		"http://example.com/a.js?x=/y.css#z.png": "js", "/a.js": "js", "": "", "http://example.com?a.js": "", "a.tar.gz": "gz",
		"http://example.com/a.": "",
	} {
		if got := extension(url); got != want {
			t.Errorf("extension(%q) = %q, want %q", url, got, want)
		}
	}
}

func FuzzDetectIsLowerCaseType(f *testing.F) {
	f.Add([]byte("<!DOCTYPE html>"), "text/html", "http://x/a.js")
	f.Add([]byte("<?xml ?><a:b c='d' xmlns:a=x"), "TEXT/xml; a=b", "")
	f.Add([]byte("\xff\xfe<\x00?\x00x\x00"), "", "a.")
	f.Fuzz(func(t *testing.T, body []byte, declared, url string) {
		got := Detect(body, declared, url)
		kind, sub, ok := strings.Cut(got, "/")
		if !ok || !isToken(kind) || !isToken(sub) || got != strings.ToLower(got) {
			t.Errorf("%q is no media type", got)
		}
		if again := Detect(body, declared, url); again != got {
			t.Errorf("%q, then %q", got, again)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	page := []byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head>" + strings.Repeat("<meta name=a content=b>\n", 4000))
	text := []byte(strings.Repeat("Some plain text, not markup. ", 4000))
	png := []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01abc", 20000))
	for name, body := range map[string][]byte{"html": page, "text": text, "png": png} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Detect(body, "text/html; charset=utf-8", "https://example.com/2026/07/01/some-story.html")
			}
		})
	}
}
