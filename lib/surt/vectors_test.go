package surt

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestVectors compares with the keys that Common Crawl's canonicalizer makes (surt.tsv) and with
// keys that Common Crawl published (surt-real.tsv).
func TestVectors(t *testing.T) {
	for _, name := range []string{"surt.tsv", "surt-real.tsv"} {
		rows := readVectors(t, name)
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
