package hostname

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestURLPartsVectors compares with the columns that cc-index-table's own classes make.
func TestURLPartsVectors(t *testing.T) {
	rows := readVectors(t, "url-parts.tsv")
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
	rows := readVectors(t, "psl.tsv")
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

// readVectors reads a table of $SHARED/vectors, which is no part of the repository.
func readVectors(t *testing.T, name string) [][]string {
	t.Helper()
	file := filepath.Join(sharedDir(t), "vectors", name)
	text, err := os.ReadFile(file)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED: shared vectors not found: %v", err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, field := range fields {
			fields[i] = unescapeField(t, field)
		}
		rows = append(rows, fields)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", file)
	}
	return rows
}

// sharedDir is $SHARED, else ../shared; both from the folder of go.mod.
func sharedDir(t *testing.T) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	shared := os.Getenv("SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(shared) {
		shared = filepath.Join(root, shared)
	}
	return shared
}

// unescapeField undoes the escapes \\ \t \n \r \xHH; others, such as \N, are left.
func unescapeField(t *testing.T, s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '\\':
			out.WriteByte('\\')
		case 't':
			out.WriteByte('\t')
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 'x':
			code, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				t.Fatalf("bad escape in %q", s)
			}
			out.WriteRune(rune(code))
			i += 2
		default:
			out.WriteString(s[i-1 : i+1])
		}
	}
	return out.String()
}
