package surt

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/field"
)

func TestKey(t *testing.T) {
	const id = "0123456789abcdef0123456789ABCDEF"
	tests := []struct{ url, want string }{
		{"", "-"},
		{"https://www.bbc.co.uk/News/?b=2&a=1", "uk,co,bbc)/news?a=1&b=2"},
		{"dns:www.example.org", "org,example,www)"},
		{"warcinfo:x.warc.gz", "warcinfo:x.warc.gz"},
		{" warcinfo:x.warc.gz", " warcinfo:x.warc.gz"},
		{" dns:a(b.org", "b.org"},

		// Schemes and breaks.
		{"example.org/a b", "org,example)/a%20b"},
		{" \x01http://exam\tple.org/\n", "org,example)/"},
		{"http://e.org/\u2028a\u0085b", "org,e)/ab"},
		{"HTTP://e.org/", "org,e)/"},
		{"https:////e.org//a", "org,e)/a"},
		{"mailto:user@e.org", "org,e)/"},
		{"gopher://e.org/x", "gopher)/e.org/x"},

		// Authority.
		{"http://user:pass@e.org:8080/", "org,e:8080)/"},
		{"http://e.org:80/", "org,e)/"},
		{"https://e.org:80/", "org,e:80)/"},
		{"https://e.org:0443/", "org,e)/"},
		{"http://e.org:-80/", "org,e:-80)/"},
		{"ftp://e.org:0/", "org,e)/"},
		{"http://[2001:DB8::1]:81/a", "2001:db8::1:81)/a"},
		{"http://a\\b.org/", "org,a\\b)/"},

		// Hosts.
		{"http://www.www12.E.org./", "org,e)/"},
		{"http://www3288.com/", "com)/"},
		{"http://www/", "www)/"},
		{"http://ww2.e..org/", "org,e,ww2)/"},
		{"http://straße.de/", "de,strasse)/"},
		{"http://тест.рф:33/", "xn--p1ai,xn--e1aybc:33)/"},
		{"http://🦊.рф/", "%d1%80%d1%84,%f0%9f%a6%8a)/"},
		{"http://a%2e%42.org/", "org,b,a)/"},
		{"http://1.2.3.04/", "4,3,2,1)/"},
		{"http://010.0.0.01/", "1,0,0,8)/"},
		{"http://4294967297/", "1,0,0,0)/"},
		{"http://127.1/", "1,127)/"},

		// Paths.
		{"http://e.org", "org,e)/"},
		{"http://e.org/%E4%EE/%C3%A9", "org,e)/%e4%ee/%c3%a9"},
		{"http://e.org/%EF%BF%BD", "org,e)/%ef%bf%bd"},
		{"http://e.org/%2541%zz%", "org,e)/a%25zz%25"},
		{"http://e.org/a/./b/../c//d/", "org,e)/a/c/d"},
		{"http://e.org/../../../a", "org,e)/../a"},
		{"http://e.org/x/(S(" + id[:24] + "))/p.aspx", "org,e)/x/p.aspx"},
		{"http://e.org/x/(" + id[:24] + ")/p.html", "org,e)/x/(" + id[:24] + ")/p.html"},
		{"http://e.org/a\x7f\"<>^`{|}", "org,e)/a\x7f\"<>^`{|}"},

		// Queries.
		{"http://e.org?", "org,e)/"},
		{"http://e.org?q#f?g", "org,e)/?q"},
		{"http://e.org/?test^2=%7E", "org,e)/?test^2=~"},
		{"http://e.org/?b&a&c=&a=&a=1%26Z", "org,e)/?a&a=&a=1&b&c=&z"},
		{"http://e.org/?x=1&jsessionid=" + id, "org,e)/?&x=1"},
		{"http://e.org/?PHPSESSID=" + id + "&x=1", "org,e)/?x=1"},
		{"http://e.org/?xsid=" + id + "&y=1", "org,e)/?xy=1"},
		{"http://e.org/?ASPSESSIONIDQQQQQQQQ=" + strings.Repeat("Q", 24), "org,e)/"},
		{"http://e.org/?cfid=&cfid=1&cftoken=2&z", "org,e)/?cfid=&z"},
	}
	for _, tt := range tests {
		if got, err := Key(tt.url); err != nil || got != tt.want {
			t.Errorf("Key(%q) = %q, %v, want %q", tt.url, got, err, tt.want)
		}
	}
}

func TestKeyErrors(t *testing.T) {
	for _, url := range []string{
		"http://", "http:///", "http://./", "http://:80/", "http://user@/", "?", "dns:", "HTTP:///x",
		"http://e.org:x/", "http://e.org:2147483648/", "about:blank", "http://u@[::1]/",
	} {
		key, err := Key(url)
		if err == nil {
			t.Errorf("Key(%q) = %q, want an error", url, key)
		} else if quoted := strconv.Quote(url); !strings.HasPrefix(err.Error(), quoted+": ") {
			t.Errorf("Key(%q): error %q does not name the URL", url, err)
		}
		if got := KeyOrURL(url); got != url {
			t.Errorf("KeyOrURL(%q) = %q", url, got)
		}
	}
}

// A URL that is not UTF-8 is Latin-1, in whatever way it becomes a key.
func TestKeyOfLatin1(t *testing.T) {
	tests := []struct{ url, want string }{
		{"http://e.org/caf\xe9", "org,e)/caf%c3%a9"},
		{"http://b\xfccher.ch/", "ch,xn--bcher-kva)/"},
		{"filedesc:\xe9", "filedesc:é"},
		{"dns:\xe9.org", "org,é)"},
		{"http:///?\xe9", "http:///?é"},
	}
	for _, tt := range tests {
		if got := KeyOrURL(tt.url); got != tt.want {
			t.Errorf("KeyOrURL(%q) = %q, want %q", tt.url, got, tt.want)
		}
	}
}

func TestHost(t *testing.T) {
	tests := []struct{ host, want string }{
		{"bbc.co.uk", "uk,co,bbc"},
		{" WWW.BBC.co.uk. ", "uk,co,bbc"},
		{"news.bbc.co.uk", "uk,co,bbc,news"},
		{"bücher.ch", "ch,xn--bcher-kva"},
		{"[2001:db8::1]", "2001:db8::1"},
		{"10.0.0.1", "1,0,0,10"},
		{"www.com", "com"},
		{"", ""},
		{".", ""},
	}
	for _, tt := range tests {
		if got := Host(tt.host); got != tt.want {
			t.Errorf("Host(%q) = %q, want %q", tt.host, got, tt.want)
		}
	}
}

// unescape must give what the reference gets by decoding the whole string until nothing changes.
func TestUnescapeIsAFixedPoint(t *testing.T) {
	for _, s := range []string{
		"", "%", "%%", "%2", "%25", "%2525252525", "%%32%35", "%25%34%31", "%C3%A9", "%c3%25A9", "%E1%80%2580",
		"%E4%BD%A0", "%E4%C3%A9", "%ED%A0%80", "%F4%90%80%80", "%F0%9F%92%A9", "%C0%80", "é%C3é", "%25e4%bd%a0",
	} {
		got := unescape(s)
		if want := unescapeRepeatedly(s); got != want {
			t.Errorf("unescape(%q) = %q, want %q", s, got, want)
		}
	}
}

// unescapeRepeatedly is the reference's way: quadratic, and easy to believe.
func unescapeRepeatedly(s string) string {
	for {
		var out strings.Builder
		for i := 0; i < len(s); {
			char, size := escapedChar(s[i:])
			out.WriteString(char)
			i += size
		}
		if out.String() == s {
			return s
		}
		s = out.String()
	}
}

// escapedChar decodes the escapes of the character at the start of s, else takes one byte.
func escapedChar(s string) (char string, size int) {
	var bytes []byte
	for size := 0; len(s)-size >= 3 && s[size] == '%' && len(bytes) < utf8.UTFMax; size += 3 {
		b, ok := hexByte(s[size+1], s[size+2])
		if !ok {
			break
		}
		bytes = append(bytes, b)
		if utf8.Valid(bytes) {
			return string(bytes), size + 3
		}
	}
	return s[:1], 1
}

// Work grows with the length of a URL and not with its square, whatever is repeated in it.
func TestHostileURLs(t *testing.T) {
	const n = 1 << 16
	for _, s := range []string{
		"%" + strings.Repeat("25", n), strings.Repeat("%25", n), strings.Repeat("/..", n),
		"?" + strings.Repeat("sid=", n), "?" + strings.Repeat("cfid=&cftoken=", n/4), "?" + strings.Repeat("&", n),
		strings.Repeat("/("+strings.Repeat("a", 24)+")", n/32) + "/?.aspx",
	} {
		if _, err := Key("http://e.org/" + s); err != nil {
			t.Error(err)
		}
	}
	if _, err := Key("http://" + strings.Repeat("é", n) + "/"); err != nil {
		t.Error(err)
	}
	if _, err := Key("http://" + strings.Repeat(".", n) + "e/"); err != nil {
		t.Error(err)
	}
}

func FuzzKeyIsASCIIAndStable(f *testing.F) {
	for _, url := range []string{
		"http://www.example.com/A/../b?c=d&a=%41#f", "https://user@bücher.ch:81/%E4?%C3%A9", "http://[::1]/",
		"http://e.org/?sid=0123456789abcdef0123456789abcdef&cfid=1&cftoken=2", "dns:a.b", "//0x7f.1/%25%32%35",
		"http://е.рф。/(abcdefghijklmnopqrstuvwx)/x.aspx", "\xff", "ftp://010.1.2.3:0", "a:b@c:d",
	} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		key, err := Key(url)
		again, errAgain := Key(url)
		if key != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("Key(%q) = %q, then %q", url, key, again)
		}
		if fallback := KeyOrURL(url); !utf8.ValidString(fallback) {
			t.Fatalf("KeyOrURL(%q) = %q is not UTF-8", url, fallback)
		}
		if got, want := unescape(url), unescapeRepeatedly(url); got != want {
			t.Fatalf("unescape(%q) = %q, want %q", url, got, want)
		}
		checkWithHost(t, url)
	})
}

// checkWithHost checks what holds for the key of every URL with a host.
func checkWithHost(t *testing.T, rest string) {
	rest = trim(field.Text(rest))
	key, err := Key("http://" + rest)
	if err != nil {
		return
	}
	for i := range len(key) {
		if c := key[i]; c <= ' ' || c >= 0x80 || 'A' <= c && c <= 'Z' {
			t.Fatalf("Key(http://%q) = %q has a byte %q", rest, key, c)
		}
	}
	if !strings.Contains(key, ")/") {
		t.Fatalf("Key(http://%q) = %q has no path", rest, key)
	}
	same := []string{"\thttp://" + rest + "\n", "http:////" + rest, "h\nttp://" + rest, "http://" + rest + "#fragment"}
	if 'a' <= rest[0] && rest[0] <= 'z' { // no address
		same = append(same, "http://www."+rest)
	}
	for _, same := range same {
		if got, _ := Key(same); got != key {
			t.Fatalf("Key(%q) = %q, but %q without the change", same, got, key)
		}
	}
}

// An ordinary mix: mostly plain article URLs, some with a query or escapes.
var benchmarkURLs = []string{
	"https://www.bbc.co.uk/news/articles/c4g8x2m0d5ko",
	"https://www.theguardian.com/world/2026/jul/01/a-headline-that-is-as-long-as-headlines-in-urls-are",
	"https://timesofindia.indiatimes.com/city/delhi/articleshow/12345678.cms?from=mdr&utm_source=contentofinterest",
	"https://ria.ru/20260701/%D0%9D%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8-1234567890.html",
	"https://www.elpais.com.uy/informacion/politica/un-titular-cualquiera",
	"http://example.org:8080/index.php?id=42&option=com_content&view=article",
}

func BenchmarkKey(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := Key(benchmarkURLs[i%len(benchmarkURLs)]); err != nil {
			b.Fatal(err)
		}
	}
}
