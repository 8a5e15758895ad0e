// Package card renders what people see of a dataset repository: its README.md, which
// is the hub's dataset card (https://huggingface.co/docs/hub/datasets-cards), and the
// charts that it shows.
//
// Everything in them comes from the ledger: no clock, no version, no order of work.
// So the same ledger gives the same bytes, and machines that publish at the same time
// agree on the card.
package card

import (
	"bytes"
	"embed"
	"errors"
	"strings"
	"text/template"
	"time"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/ledger"
)

// README is the name of the card in the repository.
const README = "README.md"

//go:embed *.md
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"number": anyNumber, "bytes": size,
}).ParseFS(texts, "*.md"))

// Card is what a card is made of.
type Card struct {
	// Repo is the repository that every example uses.
	Repo hub.Name
	// Ledger has at least one row.
	Ledger *ledger.Ledger
}

// Render gives the README.
func (c *Card) Render() ([]byte, error) {
	if len(c.Ledger.Rows) == 0 {
		return nil, errors.New("no shard to tell of: a card needs one, in the lines or in the tables")
	}
	var out bytes.Buffer
	c.appendFrontMatter(&out)
	if err := templates.ExecuteTemplate(&out, c.Ledger.Kind().Name+".md", c); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// What follows is for the templates.

// Hub is the repository's name on the hub, "" of a local folder.
func (c *Card) Hub() string { return c.Repo.ID }

// At is how DuckDB names a file of the repository: by a hf:// URL, or from inside the
// local folder by its path.
func (c *Card) At(path string) string {
	if c.Repo.ID == "" {
		return path
	}
	revision := ""
	if c.Repo.Revision != hub.DefaultRevision {
		revision = "@" + c.Repo.Revision
	}
	return "hf://datasets/" + c.Repo.ID + revision + "/" + path
}

// Revision is the branch, where it is not the default one.
func (c *Card) Revision() string {
	if c.Repo.Revision == hub.DefaultRevision {
		return ""
	}
	return c.Repo.Revision
}

// Option is the repository as the commands take it after --repo.
func (c *Card) Option() string {
	if c.Repo.ID == "" {
		return "."
	}
	return c.Repo.String()
}

// Loadable is the repository as load_dataset takes it.
func (c *Card) Loadable() string {
	if c.Repo.ID == "" {
		return "."
	}
	return c.Repo.ID
}

// Newest is the row of the newest period.
func (c *Card) Newest() *ledger.Row { return &c.Ledger.Rows[0] }

// Folder is where the newest period is.
func (c *Card) Folder() string { return c.Ledger.Kind().Folder(c.Newest().Period) }

// Short is the newest month as hf-ls takes it: 2026/07.
func (c *Card) Short() string { return strings.TrimPrefix(c.Folder(), "data/") }

// Sum is what all periods add up to.
func (c *Card) Sum() ledger.Row {
	var sum ledger.Row
	for _, r := range c.Ledger.Rows {
		sum.Files += r.Files
		sum.Rows += r.Rows
		sum.BytesRead += r.BytesRead
		sum.ParquetBytes += r.ParquetBytes
		sum.Success += r.Success
		sum.HTML += r.HTML
		sum.Damaged += r.Damaged
		sum.Unfit += r.Unfit
	}
	return sum
}

// Updated is when a period last changed.
func (c *Card) Updated() string {
	var last time.Time
	for _, r := range c.Ledger.Rows {
		if r.LastCommitted.After(last) {
			last = r.LastCommitted
		}
	}
	return last.UTC().Format("2 January 2006, 15:04:05 UTC")
}

// Chart is the path of the chart that the card shows.
func (c *Card) Chart() string {
	if c.Ledger.Kind() == ledger.News {
		return MonthChart(c.Newest().Period)
	}
	return CrawlsChart
}

// ChartText is what the chart shows, for those who cannot see it.
func (c *Card) ChartText() string {
	if c.Ledger.Kind() == ledger.News {
		return "Articles per day, " + c.Newest().Period
	}
	return "Rows per crawl"
}
