package hostname

import (
	"slices"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/sharedtest"
)

// TestURLPartsVectors compares with the columns that cc-index-table's own classes make.
func TestURLPartsVectors(t *testing.T) {
	rows := sharedtest.Rows(t, "vectors", "url-parts.tsv")
	failed := 0
	for _, row := range rows {
		url := row[0]
		parts, err := Split(url)
		if strings.HasPrefix(row[1], "!ERR") {
			if err == nil || parts != (Parts{}) {
				failed++
				t.Errorf("Split(%q) = %v, want an error", url, parts)
			}
			continue
		}
		want := []string{row[2], row[3], row[7], row[8]}
		if got := parts.fields(); err != nil || !slices.Equal(got, want) {
			failed++
			t.Errorf("Split(%q) = %q, %v, want %q", url, got, err, want)
		}
	}
	t.Logf("%d of %d pass", len(rows)-failed, len(rows))
}

// TestPSLVectors compares domains and TLDs with those of cc-index-table, for a host alone and in a
// URL.
func TestPSLVectors(t *testing.T) {
	rows := sharedtest.Rows(t, "vectors", "psl.tsv")
	failed := 0
	for _, row := range rows {
		host, domain, tld := row[0], row[1], row[2]
		if got := []string{orNull(RegisteredDomain(host)), orNull(TLD(host))}; got[0] != domain || got[1] != orNull(tld) {
			failed++
			t.Errorf("RegisteredDomain and TLD of %q = %q, want %q, %q", host, got, domain, tld)
		}
		if strings.Contains(host, "::1") && host[0] != '[' {
			continue // no host of a URL
		}
		want := []string{"https", strings.ToLower(row[3]), strings.ToLower(tld), domain}
		if tld == null {
			want[2] = null
		}
		parts, err := Split("https://" + host + "/x")
		if got := parts.fields(); err != nil || !slices.Equal(got, want) {
			failed++
			t.Errorf("Split with host %q = %q, %v, want %q", host, got, err, want)
		}
	}
	t.Logf("%d rows, %d fail", len(rows), failed)
}

// null is how the tables write it.
const null = `\N`

func orNull(s string) string {
	if s == "" {
		return null
	}
	return s
}

// fields are the columns as the tables write them.
func (p Parts) fields() []string {
	fields := make([]string, 0, 4)
	for _, s := range []*string{p.Protocol, p.Host, p.TLD, p.RegisteredDomain} {
		if s == nil {
			fields = append(fields, null)
		} else {
			fields = append(fields, *s)
		}
	}
	return fields
}
