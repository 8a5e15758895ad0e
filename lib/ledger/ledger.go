package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of the tables in a repository.
const (
	StatsFile     = "stats.csv"
	LanguagesFile = "languages.csv"
)

// Ledger is the two tables.
type Ledger struct {
	// Rows are the periods, newest first.
	Rows []Row
	// Languages are sorted by period, newest first, then by rows, most first.
	Languages []Language

	kind  *Kind
	extra []string // the columns that are not ours
}

// Language is how many rows of a period are in a language.
type Language struct {
	Period string
	// Code is the first of content_languages; "" stands for rows without one.
	Code string
	Rows int64
}

// New is a ledger without a row.
func New(kind *Kind) *Ledger { return &Ledger{kind: kind} }

// Open reads the tables in a folder. None in it is an empty ledger, no folder an
// error. A damaged table is an error that names the file and the line, and so is one that does not fit the
// other: a month that is not read would be lost with the next commit.
func Open(kind *Kind, dir string) (*Ledger, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder", dir)
	}
	l := New(kind)
	has, err := readFile(filepath.Join(dir, StatsFile), l.readStats)
	if err != nil {
		return nil, err
	}
	if kind.Languages {
		name := filepath.Join(dir, LanguagesFile)
		hasLanguages, err := readFile(name, l.readLanguages)
		if err != nil {
			return nil, err
		}
		switch {
		case has && !hasLanguages:
			return nil, fmt.Errorf("%s: not there, though %s is: fetch both", name, StatsFile)
		case hasLanguages && !has:
			return nil, fmt.Errorf("%s: not there, though %s is: fetch both", filepath.Join(dir, StatsFile), LanguagesFile)
		}
		if err := l.checkLanguages(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	l.sort()
	return l, nil
}

// readFile hands a file to read, unless there is none.
func readFile(name string, read func(io.Reader) error) (found bool, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	if err := read(file); err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}

// checkLanguages checks that the languages of every period are its rows in all.
func (l *Ledger) checkLanguages() error {
	sums, seen := map[string]int64{}, map[Language]bool{}
	for _, g := range l.Languages {
		key := Language{Period: g.Period, Code: g.Code}
		if seen[key] {
			return fmt.Errorf("%s: language %q is there twice", g.Period, g.Code)
		}
		seen[key] = true
		if sums[g.Period] += g.Rows; sums[g.Period] > maxTotal {
			return fmt.Errorf("%s: more rows than there can be", g.Period)
		}
	}
	for _, row := range l.Rows {
		if sums[row.Period] != row.Rows {
			return fmt.Errorf("%s: its languages add up to %d rows, and %s has %d", row.Period, sums[row.Period], StatsFile, row.Rows)
		}
		delete(sums, row.Period)
	}
	for period := range sums {
		return fmt.Errorf("%s: %s has no such %s", period, StatsFile, l.kind.Period)
	}
	return nil
}

// Kind is the ledger's kind.
func (l *Ledger) Kind() *Kind { return l.kind }

// Row is the row of a period, nil if there is none.
func (l *Ledger) Row(period string) *Row {
	for i := range l.Rows {
		if l.Rows[i].Period == period {
			return &l.Rows[i]
		}
	}
	return nil
}

func (l *Ledger) sort() {
	slices.SortFunc(l.Rows, func(a, b Row) int { return strings.Compare(b.Period, a.Period) })
	slices.SortFunc(l.Languages, func(a, b Language) int {
		return cmp.Or(strings.Compare(b.Period, a.Period), cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Code, b.Code))
	})
}
