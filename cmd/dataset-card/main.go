// Dataset-card makes the ledgers and the card of a dataset repository; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/ledger"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	output, base, repo, kind string
	totals, unfit            []string
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.StringVarP(&c.output, "output", "o", "", "")
	f.StringVar(&c.base, "base", "", "")
	f.StringVar(&c.repo, "repo", "", "")
	f.StringVar(&c.kind, "kind", ledger.News.Name, "")
	f.StringArrayVar(&c.totals, "total", nil, "")
	f.StringArrayVar(&c.unfit, "unfit", nil, "")
}

// job is what the command line says.
type job struct {
	kind  *ledger.Kind
	repo  hub.Name
	entry ledger.Entry
}

func (c *command) parse(args []string) (j job, err error) {
	switch {
	case len(args) > 1 || len(args) == 1 && args[0] != "-":
		return j, cli.Usagef("the lines come on stdin: no argument %q", args[0])
	case c.output == "":
		return j, cli.Usagef("no -o FOLDER")
	}
	if j.kind, err = ledger.ParseKind(c.kind); err != nil {
		return j, cli.Usagef("--kind: %v", err)
	}
	if c.repo == "" {
		c.repo = defaultRepo(j.kind)
	}
	if j.repo, err = hub.ParseName(c.repo); err != nil {
		return j, cli.Usagef("--repo: %v", err)
	}
	if !plainRevision.MatchString(j.repo.Revision) {
		return j, cli.Usagef("--repo: the revision %q cannot be part of an example", j.repo.Revision)
	}
	if j.entry.Totals, err = numbers(j.kind, c.totals); err != nil {
		return j, cli.Usagef("--total: %v", err)
	}
	if j.entry.Unfit, err = numbers(j.kind, c.unfit); err != nil {
		return j, cli.Usagef("--unfit: %v", err)
	}
	if j.entry.Now, err = clock(); err != nil {
		return j, cli.Usagef("%v", err)
	}
	return j, nil
}

// plainRevision is one that needs no quoting in SQL, Python or a shell.
var plainRevision = regexp.MustCompile(`^[0-9A-Za-z._/-]*$`)

func defaultRepo(kind *ledger.Kind) string {
	if kind == ledger.News {
		return hub.NewsRepo(os.Getenv)
	}
	if name := os.Getenv("CCRAWL_URLS_REPO"); name != "" {
		return name
	}
	return "open-index/ccrawl-urls"
}

// maxArchives is more than any period has.
const maxArchives = 10_000_000

// numbers reads PERIOD=N flags.
func numbers(kind *ledger.Kind, flags []string) (map[string]int64, error) {
	values := map[string]int64{}
	for _, flag := range flags {
		name, text, ok := strings.Cut(flag, "=")
		if !ok {
			return nil, fmt.Errorf("%q: want %s=N", flag, strings.ToUpper(kind.Period))
		}
		period, err := kind.ParsePeriod(name)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || n > maxArchives {
			return nil, fmt.Errorf("%q: want a number of archives after the =", flag)
		}
		if _, there := values[period]; there {
			return nil, fmt.Errorf("%s is there twice", period)
		}
		values[period] = int64(n)
	}
	return values, nil
}

// clock is the time of SOURCE_DATE_EPOCH
// (https://reproducible-builds.org/specs/source-date-epoch/), else of now.
func clock() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseUint(text, 10, 37) // up to the year 6325
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: want seconds since 1970", text)
	}
	return time.Unix(int64(seconds), 0), nil
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	j, err := c.parse(args)
	if err != nil {
		return err
	}
	if err := std.NeedInput(); err != nil {
		return err
	}
	books := ledger.New(j.kind)
	if c.base != "" {
		if books, err = ledger.Open(j.kind, c.base); err != nil {
			return cli.Hint(err, "the lines of all shards make the tables anew, without --base")
		}
	}
	fold, err := count(j.kind, std.In)
	if err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	books.Update(fold, j.entry)
	doubt(std, books, j.entry.Totals)
	files, err := render(j, books, fold)
	if err != nil {
		return err
	}
	return save(ctx, std.Out, c.output, files)
}

// doubt warns of totals that do not fit the shards. They are no errors: a manifest can
// name archives before they have shards, and no longer name some that have.
func doubt(std *cli.IO, books *ledger.Ledger, totals map[string]int64) {
	for _, period := range slices.Sorted(maps.Keys(totals)) {
		switch row := books.Row(period); {
		case row == nil:
			std.Warnf("--total %s: it has no shard, so it gets no row", period)
		case row.Files > totals[period]:
			std.Warnf("--total %s: the manifest names %d archives, but there are %d shards", period, totals[period], row.Files)
		}
	}
}

// count folds the lines of shard-stats.
func count(kind *ledger.Kind, stdin io.Reader) (*ledger.Fold, error) {
	fold, number := ledger.NewFold(kind), 0
	for line, err := range ledger.Lines(stdin) {
		if err != nil {
			return nil, err
		}
		number++
		if err := fold.Add(line); err != nil {
			return nil, fmt.Errorf("shard %d: %w", number, err)
		}
	}
	return fold, nil
}
