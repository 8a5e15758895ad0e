package ledger

import (
	"fmt"
	"regexp"
	"strings"
)

// Kind is what a dataset is of, which decides what its folders stand for and what is
// counted in them.
type Kind struct {
	// Name is the value of dataset-card's --kind.
	Name string
	// Period is what one folder below data/ holds, "month" or "crawl". It is the name
	// of the ledgers' first column.
	Period string
	// Languages says that languages are counted.
	Languages bool

	columns []column
	folder  *regexp.Regexp // of a path: the period's folder below data/
	period  *regexp.Regexp
}

// News is the index of Common Crawl's news archives, by months: 2026-07 is in
// data/2026/07.
var News = &Kind{
	Name: "news", Period: "month", Languages: true,
	columns: newsColumns,
	folder:  regexp.MustCompile(`^data/([0-9]{4}/(?:0[1-9]|1[0-2]))/[^/]+\.parquet$`),
	period:  regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`),
}

// URLs is the mirror of Common Crawl's URL index, by crawls: CC-MAIN-2026-25 is in
// data/CC-MAIN-2026-25.
var URLs = &Kind{
	Name: "urls", Period: "crawl",
	columns: urlColumns,
	folder:  regexp.MustCompile(`^data/(CC-MAIN-[0-9]{4}(?:-[0-9]{2,4})?)/[^/]+\.parquet$`),
	period:  regexp.MustCompile(`^CC-MAIN-[0-9]{4}(-[0-9]{2,4})?$`),
}

// ParseKind reads a Kind's Name.
func ParseKind(name string) (*Kind, error) {
	for _, kind := range []*Kind{News, URLs} {
		if kind.Name == name {
			return kind, nil
		}
	}
	return nil, fmt.Errorf("%q: want news or urls", name)
}

// ParsePeriod reads the name of a period: for News a month, 2026-07 or 2026/07, for
// URLs a crawl.
func (k *Kind) ParsePeriod(text string) (string, error) {
	period := strings.ReplaceAll(text, "/", "-")
	if !k.period.MatchString(period) {
		return "", fmt.Errorf("%q is not a %s", text, k.Period)
	}
	return period, nil
}

// PeriodOf is the period in whose folder a shard is.
func (k *Kind) PeriodOf(path string) (string, error) {
	m := k.folder.FindStringSubmatch(path)
	if m == nil {
		return "", fmt.Errorf("%s: not the path of a shard in a repository of %s: shard-stats --prefix says where a local file belongs", path, k.Name)
	}
	return strings.ReplaceAll(m[1], "/", "-"), nil
}

// Folder is where the shards of a period are in the repository.
func (k *Kind) Folder(period string) string {
	if k == News {
		period = strings.ReplaceAll(period, "-", "/")
	}
	return "data/" + period
}
