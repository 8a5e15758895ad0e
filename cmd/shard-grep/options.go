package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/search"
	"github.com/open-index/ccnews/lib/shard"
)

// options is what the command line says.
type options struct {
	flags                     *pflag.FlagSet
	patterns                  []string
	patternFile               string
	exact, count, names       bool
	max                       int64
	since, until, urlRegex    string
	languages, statuses, mime []string
	columns                   []string
	unordered                 bool
	stats                     string
	jobs, tries               int

	search search.Search // what all of that means
}

func (o *options) register(f *pflag.FlagSet) {
	o.flags = f
	f.StringArrayVarP(&o.patterns, "regexp", "e", nil, "")
	f.StringVarP(&o.patternFile, "file", "f", "", "")
	f.BoolVarP(&o.exact, "exact", "x", false, "")
	f.StringVar(&o.since, "since", "", "")
	f.StringVar(&o.until, "until", "", "")
	f.StringSliceVar(&o.languages, "lang", nil, "")
	f.StringSliceVar(&o.statuses, "status", nil, "")
	f.StringSliceVar(&o.mime, "mime", nil, "")
	f.StringVar(&o.urlRegex, "url-regex", "", "")
	f.StringSliceVar(&o.columns, "columns", nil, "")
	f.BoolVarP(&o.count, "count", "c", false, "")
	f.BoolVarP(&o.names, "files-with-matches", "l", false, "")
	f.Int64VarP(&o.max, "max-count", "m", 0, "")
	f.BoolVar(&o.unordered, "unordered", false, "")
	f.StringVar(&o.stats, "stats", "text", "")
	f.IntVarP(&o.jobs, "jobs", "j", rangeread.DefaultMaxInFlight, "")
	f.IntVar(&o.tries, "tries", retry.DefaultTries, "")
}

// parse makes a search of the options, and returns the arguments that name shards.
func (o *options) parse(args []string) (shards []string, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(o.patterns) == 0 && o.patternFile == "" {
		if len(args) == 0 {
			return nil, cli.Usagef("no PATTERN")
		}
		o.patterns, args = args[:1], args[1:]
	}
	o.search = search.Search{Max: o.max, First: o.names, Unordered: o.unordered}
	if o.search.Query, err = o.query(); err != nil {
		return nil, err
	}
	switch {
	case o.count || o.names:
		o.search.Selection, _ = ccindex.Select("url_host_name")
	case len(o.columns) > 0:
		if o.search.Selection, err = ccindex.Select(o.columns...); err != nil {
			return nil, cli.Usagef("--columns: %v", err)
		}
	default:
		o.search.Selection = ccindex.SelectAll()
	}
	return args, nil
}

func (o *options) check() error {
	// An empty value is a variable that was not set, and not "no condition".
	for _, name := range []string{"since", "until", "lang", "status", "mime", "url-regex", "columns", "file"} {
		if flag := o.flags.Lookup(name); flag.Changed && strings.Trim(flag.Value.String(), "[]") == "" {
			return cli.Usagef("--%s needs a value", name)
		}
	}
	switch {
	case o.flags.Changed("max-count") && o.max < 1:
		return cli.Usagef("--max-count must be at least 1")
	case o.jobs < 1:
		return cli.Usagef("--jobs must be at least 1")
	case o.tries < 1:
		return cli.Usagef("--tries must be at least 1")
	case o.count && o.names:
		return cli.Usagef("one of -c and -l")
	case (o.count || o.names) && len(o.columns) > 0:
		return cli.Usagef("--columns is for rows: not with -c or -l")
	case o.names && o.max > 0:
		return cli.Usagef("--max-count is for rows: not with -l")
	case o.stats != "text" && o.stats != "json" && o.stats != "none":
		return cli.Usagef("--stats is text, json or none, not %q", o.stats)
	}
	return nil
}

func (o *options) query() (*shard.Query, error) {
	q := &shard.Query{Languages: o.languages, Statuses: o.statuses}
	var err error
	if q.Patterns, err = o.parsePatterns(); err != nil {
		return nil, err
	}
	for _, code := range o.languages {
		if err := checkLanguage(code); err != nil {
			return nil, err
		}
	}
	for _, status := range o.statuses {
		if !shard.IsStatus(status) {
			return nil, cli.Usagef("--status: %q is neither a status such as 404 nor a class such as 4xx", status)
		}
	}
	for _, glob := range o.mime {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, cli.Usagef("--mime: %q: %v", glob, err)
		}
		if !strings.Contains(glob, "/") {
			return nil, cli.Usagef("--mime: %q is no type such as text/html or image/*", glob)
		}
		q.MIME = append(q.MIME, strings.ToLower(glob)) // as record-index and Common Crawl write types
	}
	if o.urlRegex != "" {
		if q.URL, err = regexp.Compile(o.urlRegex); err != nil {
			return nil, cli.Usagef("--url-regex: %v", err)
		}
	}
	if q.Since, err = moment(o.since, 0); err != nil {
		return nil, cli.Usagef("--since: %v", err)
	}
	if q.Until, err = moment(o.until, 24*time.Hour-time.Millisecond); err != nil {
		return nil, cli.Usagef("--until: %v", err)
	}
	return q, nil
}

// moment reads a time, or a day of which it is the moment so long after its begin.
func moment(text string, intoDay time.Duration) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Add(intoDay), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%q is neither a day such as 2026-07-01 nor a time such as 2026-07-01T12:00:00Z", text)
	}
	return t, nil
}

// maxPatterns bounds a search: every host is compared with every pattern.
const maxPatterns = 10_000

func (o *options) parsePatterns() (patterns []shard.Pattern, err error) {
	for _, text := range o.patterns {
		p, err := shard.ParsePattern(text, o.exact)
		if err != nil {
			return nil, cli.Usagef("%v", err)
		}
		patterns = append(patterns, p)
	}
	if o.patternFile != "" {
		return o.patternsOfFile(patterns)
	}
	return patterns, nil
}

// patternsOfFile adds those of -f, one a line.
func (o *options) patternsOfFile(patterns []shard.Pattern) ([]shard.Pattern, error) {
	in, err := os.Open(o.patternFile)
	if err != nil {
		return nil, cli.WithStatus(statusTrouble, err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		if len(patterns) == maxPatterns {
			return nil, cli.Usagef("%s: more than %d patterns: split it", o.patternFile, maxPatterns)
		}
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		p, err := shard.ParsePattern(text, o.exact)
		if err != nil {
			return nil, cli.Usagef("%s: line %d: %v", o.patternFile, number, err)
		}
		patterns = append(patterns, p)
	}
	if err := lines.Err(); err != nil {
		return nil, cli.WithStatus(statusTrouble, fmt.Errorf("%s: %w", o.patternFile, err))
	}
	if len(patterns) == 0 {
		return nil, cli.Usagef("%s: no PATTERN in it", o.patternFile)
	}
	return patterns, nil
}
