// Package sharedtest finds the corpora and vectors that tests read but that are
// not part of the project: pages and archives of third parties.
//
// They lie in the folder that the environment variable SHARED names, by default
// "../shared" beside the repository. Without them a test says loudly what it
// skips; where CI is "true" their absence is a failure.
package sharedtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Path is the absolute path of a file or folder below the shared folder.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t)}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("shared material is missing: %v", err)
		}
		t.Skipf("SKIPPED, NOT TESTED: shared material is missing: %v (set SHARED)", err)
	}
	return path
}

func root(t testing.TB) string {
	if dir := os.Getenv("SHARED"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		return abs
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	return filepath.Join(filepath.Dir(dir), "shared")
}

// Rows reads a table of tab-separated fields and undoes the escapes \\ \t \n \r
// \xHH. Others, such as \N for null, are left. Lines that begin with "# " are
// comments.
func Rows(t testing.TB, elem ...string) [][]string {
	t.Helper()
	b, err := os.ReadFile(Path(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "# ") || line == "" {
			continue
		}
		fields := strings.Split(line, "\t")
		for i, field := range fields {
			fields[i] = escapes.ReplaceAllStringFunc(field, unescape)
		}
		rows = append(rows, fields)
	}
	if len(rows) == 0 {
		t.Fatalf("%v has no rows", elem)
	}
	return rows
}

var escapes = regexp.MustCompile(`\\(\\|[tnr]|x[0-9a-fA-F]{2})`)

func unescape(escape string) string {
	switch escape[1] {
	case 't':
		return "\t"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 'x':
		b, _ := strconv.ParseUint(escape[2:], 16, 8) // the expression lets only hex digits through
		return string([]byte{byte(b)})
	}
	return `\`
}
