package hostname

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		url  string
		want []string // protocol, host, TLD, domain
	}{
		{"https://www.bbc.co.uk/news?a#b", []string{"https", "www.bbc.co.uk", "uk", "bbc.co.uk"}},
		{" HTTP://User:Pass@EXAMPLE.org:8080/\n", []string{"http", "example.org", "org", "example.org"}},
		{"http://user.github.io./", []string{"http", "user.github.io", "io", "github.io"}},
		{"http://münchen.de", []string{"http", "xn--mnchen-3ya.de", "de", "xn--mnchen-3ya.de"}},
		{"http://🦊.co.uk/", []string{"http", "xn--9s9h.co.uk", "uk", "xn--9s9h.co.uk"}},
		{"http://%65xample%2Ecom/", []string{"http", "example.com", "com", "example.com"}},
		{"http://a+b%20c.org/", []string{"http", "a b c.org", "org", "a b c.org"}},
		{"http://100%.org/", []string{"http", "100%.org", "org", "100%.org"}},
		{"http://caf\xe9.fr/", []string{"http", "xn--caf-dma.fr", "fr", "xn--caf-dma.fr"}},

		// Suffixes.
		{"http://localhost/", []string{"http", "localhost", "localhost", null}},
		{"http://co.uk/", []string{"http", "co.uk", "uk", null}},
		{"http://foo.local/", []string{"http", "foo.local", "local", null}},
		{"http://a..org/", []string{"http", "a..org", "org", null}},
		{"http://../", []string{"http", ".", null, null}},
		{"http://" + strings.Repeat("a", 64) + ".org/", []string{"http", strings.Repeat("a", 64) + ".org", "org", null}},

		// Addresses.
		{"http://10.0.0.1:81/", []string{"http", "10.0.0.1", null, null}},
		{"http://127.1/", []string{"http", "127.0.0.1", null, null}},
		{"http://1.2.772/", []string{"http", "1.2.3.4", null, null}},
		{"http://3232235521/", []string{"http", "192.168.0.1", null, null}},
		{"http://4294967296/", []string{"http", "4294967296", null, null}},
		{"http://01.02.03.04/", []string{"http", "01.02.03.04", null, null}},
		{"http://0x7f.1/", []string{"http", "0x7f.1", "1", null}},
		{"http://[2001:DB8::1]/", []string{"http", "[2001:db8::1]", null, null}},
		{"http://[::ffff:1.2.3.4]/", []string{"http", "[::ffff:1.2.3.4]", "4]", null}},

		// No host, or a repaired one.
		{"http:", []string{"http", "", "", null}},
		{"https:/e.org/", []string{"https", "e.org", "org", "e.org"}},
		{"http:////e.org", []string{"http", "e.org", "org", "e.org"}},
		{"http:[::g]/", []string{"http", "", "", null}},
		{"http:///:x", []string{"http", null, null, null}},
		{"http://a@b@e.org/", []string{"http", "", "", null}},
		{"mailto:a@e.org", []string{"mailto", "", "", null}},
		{"http://\u00ad.org/", []string{"http", null, null, null}},
		{"http://e.org:port/", []string{"http", null, null, null}},

		// What java.net.URL does not know.
		{"", []string{null, null, null, null}},
		{"www.example.org/a", []string{null, null, null, null}},
		{"//example.org/a", []string{null, null, null, null}},
		{"urn:isbn:1", []string{"urn", null, null, null}},
		{"dns:www.example.org", []string{"dns", "www.example.org", "org", "example.org"}},
		{"whois://whois.example/e.org", []string{"whois", "e.org", "org", "e.org"}},
		{"whois:e.org", []string{"whois", "e.org", "org", "e.org"}},
		{"WS://E.org:80/", []string{"WS", "e.org", "org", "e.org"}},
		{"ws://a_b.org/", []string{"ws", null, null, null}},
		{"ws://[::1]/", []string{"ws", "[::1]", null, null}},
		{"ws://1.2.3.4:5", []string{"ws", "1.2.3.4", null, null}},
	}
	for _, tt := range tests {
		parts, err := Split(tt.url)
		if got := parts.fields(); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Split(%q) = %q, %v, want %q", tt.url, got, err, tt.want)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	for _, url := range []string{
		"a b", ":x", "1x:y", "data:a<b", "x://", "x://a b/", "x://[::1", "x://[::1%]/", "x:/%zz", "x:/#a#b",
		"http://a\tb.org/", "http://e.org: 80/", "http://[::1]x/", "x://é\u2028/",
	} {
		parts, err := Split(url)
		if err == nil || parts != (Parts{}) {
			t.Errorf("Split(%q) = %q, want an error", url, parts.fields())
		} else if quoted := strconv.Quote(url); !strings.HasPrefix(err.Error(), quoted+": ") {
			t.Errorf("Split(%q): error %q does not name the URL", url, err)
		}
	}
}

func TestRegisteredDomainAndTLD(t *testing.T) {
	tests := []struct{ host, domain, tld string }{
		{"WWW.BBC.CO.UK.", "bbc.co.uk", "uk"},
		{"bücher.de", "xn--bcher-kva.de", "de"},
		{"www.city.kawasaki.jp", "city.kawasaki.jp", "jp"},
		{"a.b.c.kawasaki.jp", "b.c.kawasaki.jp", "jp"},
		{"bucket.s3.amazonaws.com", "amazonaws.com", "com"},
		{"10.0.0.1", "", ""},
		{"[::1]", "", ""},
		{"", "", ""},
		{"\u00ad", "", ""},
	}
	for _, tt := range tests {
		if domain, tld := RegisteredDomain(tt.host), TLD(tt.host); domain != tt.domain || tld != tt.tld {
			t.Errorf("%q: domain %q, TLD %q, want %q, %q", tt.host, domain, tld, tt.domain, tt.tld)
		}
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		host, domain string
		want         bool
	}{
		{"bbc.co.uk", "bbc.co.uk", true},
		{"www.bbc.co.uk", "bbc.co.uk", true},
		{"WWW.BBC.CO.UK", "Bbc.Co.Uk.", true},
		{"notbbc.co.uk", "bbc.co.uk", false},
		{"bbc.co.uk.example", "bbc.co.uk", false},
		{"bbc.co.uk", "www.bbc.co.uk", false},
		{"www.bücher.de", "xn--bcher-kva.de", true},
		{"xn--bcher-kva.de", "BÜCHER.de", true},
		{"www.example.uk", "uk", true},
		{"10.1.2.3", "2.3", false},
		{"10.1.2.3", "10.1.2.3", true},
		{"a.10.1.2.3", "10.1.2.3", false},
		{"127.0.0.1", "127.1", true},
		{"[2001:db8::1]", "[2001:DB8::1]", true},
		{"example.org", "", false},
		{"", "", false},
		{"\u00ad", "\u00ad", false},
	}
	for _, tt := range tests {
		if got := Matches(tt.host, tt.domain); got != tt.want {
			t.Errorf("Matches(%q, %q) = %v", tt.host, tt.domain, got)
		}
	}
}

func TestNormalize(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{" BBC.co.uk. ", "bbc.co.uk"},
		{"Bücher.de", "xn--bcher-kva.de"},
		{"127.1", "127.0.0.1"},
		{"::1", "[::1]"},
		{"[2001:DB8::1]", "[2001:db8::1]"},
	}
	for _, tt := range tests {
		if got, err := Normalize(tt.pattern); err != nil || got != tt.want {
			t.Errorf("Normalize(%q) = %q, %v, want %q", tt.pattern, got, err, tt.want)
		}
	}
	for _, pattern := range []string{
		"", " ", ".", "https://bbc.co.uk/", "bbc.co.uk/news", "bbc.co.uk:80", "[::1]:80", "*.bbc.co.uk", "a@b.org", "\u00ad",
	} {
		got, err := Normalize(pattern)
		if err == nil {
			t.Errorf("Normalize(%q) = %q, want an error", pattern, got)
		} else if quoted := strconv.Quote(pattern); !strings.HasPrefix(err.Error(), quoted+": ") {
			t.Errorf("Normalize(%q): error %q does not name the pattern", pattern, err)
		}
	}
}

func FuzzSplitGivesPartsOfTheHost(f *testing.F) {
	for _, url := range []string{
		"https://www.bbc.co.uk/news", "http://user@bücher.ch:81/%E4?%C3%A9", "http://[::1%25eth0]:80/", "dns:a.b.",
		"http:///a%2Eb+c", "whois://x/1.2.3", "http://127.1", "ws://a_b:c@d.e:1/#", "\xff://", "mailto: ", "http://🦊。jp/",
		"http://0x7f.1/", "x://[1:2:3:4:5:6:1.2.3.4]", "http://ß\u200d.XN--A/", "http://..a..b../",
	} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		parts, err := Split(url)
		fields := parts.fields()
		again, _ := Split(url)
		if !slices.Equal(fields, again.fields()) {
			t.Fatalf("Split(%q) = %q, then %q", url, fields, again.fields())
		}
		if err != nil && parts != (Parts{}) {
			t.Fatalf("Split(%q) = %q with error %v", url, fields, err)
		}
		for _, field := range fields {
			if !utf8.ValidString(field) {
				t.Fatalf("Split(%q) = %q is not UTF-8", url, fields)
			}
		}
		checkHost(t, url, parts)
		if name, err := Normalize(url); err == nil && (name == "" || !utf8.ValidString(name)) {
			t.Fatalf("Normalize(%q) = %q", url, name)
		}
	})
}

// checkHost checks that TLD and domain are parts of an ASCII host.
func checkHost(t *testing.T, url string, parts Parts) {
	fields := parts.fields()
	if parts.Host == nil {
		if parts.TLD != nil || parts.RegisteredDomain != nil {
			t.Fatalf("Split(%q) = %q, parts of no host", url, fields)
		}
		return
	}
	if host := *parts.Host; !isASCII(host) {
		t.Fatalf("Split(%q) = %q, not ASCII", url, fields)
	}
	if parts.TLD != nil && !strings.HasSuffix(strings.TrimRight(*parts.Host, "."), *parts.TLD) {
		t.Fatalf("Split(%q) = %q, TLD is not at the end", url, fields)
	}
	if domain := parts.RegisteredDomain; domain != nil {
		host := strings.ToLower(*parts.Host)
		if host != *domain && !strings.HasSuffix(host, "."+*domain) || !strings.Contains(*domain, ".") {
			t.Fatalf("Split(%q) = %q, host is not in the domain", url, fields)
		}
	}
}

// An ordinary mix of article URLs.
var benchmarkURLs = []string{
	"https://www.bbc.co.uk/news/articles/c4g8x2m0d5ko",
	"https://www.theguardian.com/world/2026/jul/01/a-headline-that-is-as-long-as-headlines-in-urls-are",
	"https://timesofindia.indiatimes.com/city/delhi/articleshow/12345678.cms?from=mdr&utm_source=contentofinterest",
	"https://ria.ru/20260701/%D0%9D%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8-1234567890.html",
	"https://someone.blogspot.com/2026/07/a-post.html",
	"http://example.org:8080/index.php?id=42&option=com_content&view=article",
}

func BenchmarkSplit(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := Split(benchmarkURLs[i%len(benchmarkURLs)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatches(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Matches("timesofindia.indiatimes.com", "bbc.co.uk")
	}
}
