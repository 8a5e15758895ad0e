package card

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/text/language"

	"github.com/open-index/ccnews/lib/ledger"
)

// appendFrontMatter writes the YAML that the hub and the datasets library read: what
// the dataset is, and which files its subsets are. Strings are written as JSON, which
// YAML contains.
//
// https://huggingface.co/docs/hub/datasets-cards,
// https://huggingface.co/docs/hub/datasets-manual-configuration
func (c *Card) appendFrontMatter(out *bytes.Buffer) {
	news := c.Ledger.Kind() == ledger.News
	name, tags, everything := "Common Crawl URL index", []string{"common-crawl", "cc-index", "url-index", "web-archive"}, "data/*/*.parquet"
	if news {
		name, tags, everything = "Common Crawl news index", []string{"common-crawl", "cc-news", "news", "url-index", "web-archive", "warc"}, "data/*/*/*.parquet"
	}
	fmt.Fprintf(out, "---\npretty_name: %q\nlicense: odc-by\n", name)
	list(out, "language", c.languageTags())
	list(out, "size_categories", []string{sizeCategory(c.Sum().Rows)})
	list(out, "tags", tags)
	out.WriteString("configs:\n")
	config(out, "default", everything, true)
	for _, row := range c.Ledger.Rows {
		if row.Files > 0 {
			config(out, row.Period, c.Ledger.Kind().Folder(row.Period)+"/*.parquet", false)
		}
	}
	out.WriteString("---\n\n")
}

func list(out *bytes.Buffer, key string, values []string) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(out, "%s:\n", key)
	for _, v := range values {
		fmt.Fprintf(out, "- %s\n", strconv.Quote(v))
	}
}

// config writes a subset. It has one split: an index has no parts for training.
func config(out *bytes.Buffer, name, glob string, first bool) {
	fmt.Fprintf(out, "- config_name: %q\n", name)
	if first {
		out.WriteString("  default: true\n")
	}
	fmt.Fprintf(out, "  data_files:\n  - split: train\n    path: %q\n", glob)
}

// languageTags are the languages of at least one in a thousand rows, sorted, each by
// its shortest code, by which people filter on the hub: en, not eng.
func (c *Card) languageTags() (tags []string) {
	for _, g := range c.languages() {
		if g.Code == "" || g.Rows*1000 < c.Sum().Rows {
			continue
		}
		tags = append(tags, shortest(g.Code))
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// shortest is he for heb; x/text alone would say iw, as was right until 1989.
func shortest(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	if tag, err = language.DeprecatedBase.Canonicalize(tag); err != nil {
		return code
	}
	base, _ := tag.Base()
	return base.String()
}

// sizeCategory is the hub's name for a number of rows.
func sizeCategory(rows int64) string {
	limits := []struct {
		rows int64
		name string
	}{{1e3, "1K"}, {1e4, "10K"}, {1e5, "100K"}, {1e6, "1M"}, {1e7, "10M"}, {1e8, "100M"}, {1e9, "1B"}, {1e10, "10B"}, {1e11, "100B"}, {1e12, "1T"}}
	for i, limit := range limits {
		switch {
		case rows >= limit.rows:
		case i == 0:
			return "n<1K"
		default:
			return limits[i-1].name + "<n<" + limit.name
		}
	}
	return "n>1T"
}
