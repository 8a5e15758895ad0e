package shard

import (
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/open-index/ccnews/lib/ccindex"
)

// Query says which rows are looked for: those that one of the patterns matches and
// that meet all conditions. What is zero is no condition. Once it is used it must not
// be changed; several goroutines may use it.
type Query struct {
	Patterns []Pattern
	// Since and Until bound fetch_time, both included.
	Since, Until time.Time
	// Languages are codes of which content_languages has to have one, wherever in
	// the list.
	Languages []string
	// Statuses are what fetch_status may be: "200", or "2xx" for a hundred.
	Statuses []string
	// MIME are what content_mime_detected may be: "text/html", or "image/*".
	MIME []string
	// URL has to match somewhere in url.
	URL *regexp.Regexp

	once  sync.Once
	spans [][]span // of each pattern
}

// spansOf is where keys of the i-th pattern lie. It is worked out once for all row
// groups of all shards.
func (q *Query) spansOf(i int) []span {
	q.once.Do(func() {
		for i := range q.Patterns {
			q.spans = append(q.spans, q.Patterns[i].spans())
		}
	})
	return q.spans[i]
}

// Host looks for a host or domain alone.
func Host(p Pattern) *Query { return &Query{Patterns: []Pattern{p}} }

// matchesHost reports whether a pattern matches host.
func (q *Query) matchesHost(host string) bool {
	for i := range q.Patterns {
		if q.Patterns[i].Matches(host) {
			return true
		}
	}
	return false
}

// matches decides about a row whose host matches.
func (q *Query) matches(r *ccindex.Row) bool {
	return q.matchesURL(r) && q.matchesTime(r) && q.matchesContent(r)
}

func (q *Query) matchesURL(r *ccindex.Row) bool {
	host := text(r.URLHostName)
	for i := range q.Patterns {
		if p := &q.Patterns[i]; p.Matches(host) && p.MatchesURL(r.URL) {
			return q.URL == nil || q.URL.MatchString(r.URL)
		}
	}
	return false
}

func (q *Query) matchesTime(r *ccindex.Row) bool {
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixMilli()
	}
	if !q.Until.IsZero() {
		until = q.Until.UnixMilli()
	}
	return since <= r.FetchTime && r.FetchTime <= until
}

func (q *Query) matchesContent(r *ccindex.Row) bool {
	if len(q.Languages) > 0 {
		codes := strings.Split(text(r.ContentLanguages), ",")
		if !slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(q.Languages, code) }) {
			return false
		}
	}
	if len(q.Statuses) > 0 && !slices.ContainsFunc(q.Statuses, func(s string) bool { return matchesStatus(s, r.FetchStatus) }) {
		return false
	}
	return len(q.MIME) == 0 || slices.ContainsFunc(q.MIME, func(glob string) bool {
		ok, _ := path.Match(glob, text(r.ContentMIMEDetected))
		return ok
	})
}

var statusText = regexp.MustCompile(`^(-1|[0-9]{3}|[0-9]xx)$`)

// IsStatus reports whether text can be one of [Query.Statuses].
func IsStatus(text string) bool { return statusText.MatchString(text) }

func matchesStatus(want string, status int32) bool {
	if class, ok := strings.CutSuffix(want, "xx"); ok {
		return status >= 0 && strconv.Itoa(int(status/100)) == class
	}
	return want == strconv.Itoa(int(status))
}

// columns are those that are needed to decide.
func (q *Query) columns() (s ccindex.Selection) {
	path := slices.ContainsFunc(q.Patterns, func(p Pattern) bool { return p.Path != "" })
	for i, name := range ccindex.Columns {
		switch name {
		case "url_host_name":
			s[i] = true
		case "url":
			s[i] = path || q.URL != nil
		case "fetch_time":
			s[i] = !q.Since.IsZero() || !q.Until.IsZero()
		case "fetch_status":
			s[i] = len(q.Statuses) > 0
		case "content_mime_detected":
			s[i] = len(q.MIME) > 0
		case "content_languages":
			s[i] = len(q.Languages) > 0
		}
	}
	return s
}
