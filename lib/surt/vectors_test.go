package surt

import (
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/sharedtest"
)

// TestVectors compares with the keys that Common Crawl's canonicalizer makes (surt.tsv) and with
// keys that Common Crawl published (surt-real.tsv).
func TestVectors(t *testing.T) {
	for _, name := range []string{"surt.tsv", "surt-real.tsv"} {
		rows := sharedtest.Rows(t, "vectors", name)
		failed := 0
		for _, row := range rows {
			url, want := row[0], row[1]
			key, err := Key(url)
			if strings.HasPrefix(want, "!ERR") {
				if err == nil || KeyOrURL(url) != url {
					failed++
					t.Errorf("%s: Key(%q) = %q, want an error", name, url, key)
				}
				continue
			}
			if err != nil || key != want || KeyOrURL(url) != want {
				failed++
				t.Errorf("%s: Key(%q) = %q, %v, want %q", name, url, key, err, want)
			}
		}
		t.Logf("%s: %d of %d pass", name, len(rows)-failed, len(rows))
	}
}
