package card

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/open-index/ccnews/lib/ledger"
)

const (
	// barWidth is how long a bar of the tables may be, in characters.
	barWidth = 20
	// maxLanguages is how many languages the card lists. languages.csv has all.
	maxLanguages = 30
)

// Live is how far the newest period has come, as rows of a table.
func (c *Card) Live() string {
	r := c.Newest()
	files, coverage := number(r.Files), "not known"
	if r.TotalFiles >= 0 {
		files += " of " + number(r.TotalFiles)
		coverage = percent(r.Files, max(r.Files, r.TotalFiles))
	}
	rows := [][2]string{{"status", c.status()}, {"files", files}, {"coverage", coverage}}
	if c.Ledger.Kind() == ledger.News {
		rows = append(rows, [2]string{"read", size(r.BytesRead)})
	}
	elapsed := r.LastCommitted.Sub(r.FirstCommitted)
	rows = append(rows, [2]string{"written", size(r.ParquetBytes)},
		[2]string{"elapsed, from the first commit to the last", duration(elapsed)},
		[2]string{"files per hour", rate(r.Files, elapsed)})
	var out strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&out, "| %s | %s |\n", row[0], row[1])
	}
	return out.String()
}

func (c *Card) status() string {
	r := c.Newest()
	switch {
	case r.Complete:
		return "complete"
	case r.TotalFiles < 0:
		return "in progress"
	case r.Missing() == 0 && r.Partial:
		return "in progress: files of parts of archives are to be made again"
	case r.Missing() == 0:
		return fmt.Sprintf("done; of %s there can be no file", number(r.Unfit))
	}
	return fmt.Sprintf("in progress: %s to go", number(r.Missing()))
}

// rate is how many files an hour took. One commit has no duration.
func rate(files int64, elapsed time.Duration) string {
	if elapsed < time.Minute {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(files)/elapsed.Hours())
}

// Periods is the rows of the table of months or crawls, newest first.
func (c *Card) Periods() string {
	var most int64
	for _, r := range c.Ledger.Rows {
		most = max(most, r.Rows)
	}
	var out strings.Builder
	for _, r := range c.Ledger.Rows {
		files := number(r.Files)
		if r.TotalFiles >= 0 {
			files += " / " + number(r.TotalFiles)
		}
		if r.Complete {
			files += " ✓"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | ", r.Period, number(r.Rows), files)
		if c.Ledger.Kind() == ledger.News {
			fmt.Fprintf(&out, "%s | %s | %s | ", size(r.BytesRead), number(r.Damaged), number(r.Unfit))
		}
		fmt.Fprintf(&out, "%s | %s |\n", size(r.ParquetBytes), bar(r.Rows, most, barWidth))
	}
	return out.String()
}

// languages adds up the languages of all periods, most rows first.
func (c *Card) languages() []ledger.Language {
	sums := map[string]int64{}
	for _, g := range c.Ledger.Languages {
		sums[g.Code] += g.Rows
	}
	list := make([]ledger.Language, 0, len(sums))
	for code, rows := range sums {
		list = append(list, ledger.Language{Code: code, Rows: rows})
	}
	slices.SortFunc(list, func(a, b ledger.Language) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Code, b.Code))
	})
	return list
}

// Languages is the rows of the table of languages, most articles first.
func (c *Card) Languages() string {
	all := c.languages()
	if len(all) == 0 {
		return ""
	}
	total, most := c.Sum().Rows, all[0].Rows
	var out strings.Builder
	line := func(code, name string, rows int64) {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", code, name, number(rows), percent(rows, total), bar(rows, most, barWidth))
	}
	shown := all[:min(len(all), maxLanguages)]
	for _, g := range shown {
		if g.Code == "" {
			line("NULL", "no language: not a page, or too little text", g.Rows)
		} else {
			line(code(g.Code), languageName(g.Code), g.Rows)
		}
	}
	var others int64
	for _, g := range all[len(shown):] {
		others += g.Rows
	}
	if others > 0 {
		line("", fmt.Sprintf("%d more, in %s", len(all)-len(shown), code(ledger.LanguagesFile)), others)
	}
	return out.String()
}

// languageName is the English name of a language, or nothing.
func languageName(code string) string {
	if code == "nor" {
		return "Norwegian" // x/text names Bokmål alone
	}
	base, err := language.ParseBase(code)
	if err != nil {
		return ""
	}
	return display.English.Languages().Name(base)
}
