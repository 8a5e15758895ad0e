// Package ledger keeps the books of a dataset repository: what every shard in it
// holds, as a line of JSON, and what the months add up to, as two tables.
//
//	stats/2026/07.jsonl   a [Line] a shard
//	stats.csv             a [Row] a month
//	languages.csv         a [Language] a month and language
//
// A month's row is always counted anew from the lines of all its shards, never by
// adding to what was there: so nothing is counted twice, whatever was killed, tried
// again or done by two machines at once. Months that are not counted keep the rows
// they have.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/shard"
)

// MaxLine is the longest [Line], in bytes.
const MaxLine = 1 << 20

// maxCount bounds every number of a [Line], so that sums of them cannot overflow.
const maxCount = 1 << 40

// Line is what is known of one shard without reading its rows.
type Line struct {
	// Path is where the shard is in the repository.
	Path string `json:"path"`
	// SHA256 is that of the file, in hex; "" where it is not known.
	SHA256 string `json:"sha256,omitempty"`
	// ParquetBytes is the length of the file.
	ParquetBytes int64 `json:"parquet_bytes"`
	RowGroups    int64 `json:"row_groups"`
	Columns      int64 `json:"columns"`
	Rows         int64 `json:"rows"`
	// Index is what the shard says of itself, its keys among the others; nil if it is
	// a table of another maker, such as a part of Common Crawl's own index.
	*shard.Index
}

// AppendJSON appends the line, without a newline. Its first key is the path, so that
// lines sort by path as text.
func (l *Line) AppendJSON(dst []byte) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		panic(err) // a Line is strings, integers and bools
	}
	return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// ParseLine reads what [Line.AppendJSON] wrote. Other keys are passed over. A line
// whose counts contradict each other is an error.
func ParseLine(text []byte) (*Line, error) {
	l := new(Line)
	if !utf8.Valid(text) {
		return nil, errors.New("not valid UTF-8")
	}
	if err := json.Unmarshal(text, l); err != nil {
		return nil, fmt.Errorf("not a line of shard-stats: %w", err)
	}
	if l.Index != nil {
		l.Index.Rows = l.Rows
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	return l, nil
}

var (
	validSHA256   = regexp.MustCompile(`^([0-9a-f]{64})?$`)
	validLanguage = regexp.MustCompile(`^([a-z]{2,3})?$`)
)

// check says what is wrong with the line, if anything.
func (l *Line) check() error {
	if l.Path == "" {
		return errors.New("not a line of shard-stats: it names no path")
	}
	if err := hub.CheckPath(l.Path); err != nil {
		return err
	}
	if !validSHA256.MatchString(l.SHA256) {
		return fmt.Errorf("sha256 %q: want 64 hex digits", l.SHA256)
	}
	for name, n := range map[string]*int64{
		"parquet_bytes": &l.ParquetBytes, "row_groups": &l.RowGroups, "columns": &l.Columns, "rows": &l.Rows,
	} {
		if err := checkCount(name, n); err != nil {
			return err
		}
	}
	if l.Index == nil {
		return nil
	}
	return l.checkIndex()
}

func (l *Line) checkIndex() error {
	x := l.Index
	for name, n := range map[string]*int64{
		"bytes": x.Bytes, "damaged": x.Damaged, "members": x.Members, "records": x.Records, "responses": x.Responses,
	} {
		if err := checkCount(name, n); err != nil {
			return err
		}
	}
	for name, counts := range map[string]map[string]int64{
		"by_day": x.ByDay, "by_language": x.ByLanguage, "by_mime": x.ByMIME, "by_status": x.ByStatus,
	} {
		if err := checkSum(name, counts, l.Rows); err != nil {
			return err
		}
	}
	return checkKeys(x)
}

func checkCount(name string, n *int64) error {
	if n != nil && (*n < 0 || *n > maxCount) {
		return fmt.Errorf("%s is %d, which no shard has", name, *n)
	}
	return nil
}

// checkSum checks that counts, each of them a number of rows, are rows in all.
func checkSum(name string, counts map[string]int64, rows int64) error {
	left := rows
	for _, n := range counts {
		if n < 0 || n > left {
			left = -1
			break
		}
		left -= n
	}
	if left != 0 {
		return fmt.Errorf("%s does not add up to %d rows", name, rows)
	}
	return nil
}

func checkKeys(x *shard.Index) error {
	for day := range maps.Keys(x.ByDay) {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return fmt.Errorf("by_day: %q is not a day", day)
		}
	}
	for status := range maps.Keys(x.ByStatus) {
		if _, err := strconv.ParseInt(status, 10, 32); err != nil {
			return fmt.Errorf("by_status: %q is not a status", status)
		}
	}
	for code := range maps.Keys(x.ByLanguage) {
		if !validLanguage.MatchString(code) {
			return fmt.Errorf("by_language: %q is not the code of a language", code)
		}
	}
	return nil
}

// Success is the number of rows whose status is from 200 to 299.
func (l *Line) Success() (n int64) {
	for status, rows := range l.counts().ByStatus {
		if len(status) == 3 && status[0] == '2' {
			n += rows
		}
	}
	return n
}

// HTML is the number of rows that are pages: HTML, or XHTML.
func (l *Line) HTML() int64 {
	types := l.counts().ByMIME
	return types["text/html"] + types["application/xhtml+xml"]
}

// counts is the index, or an empty one.
func (l *Line) counts() *shard.Index {
	if l.Index == nil {
		return new(shard.Index)
	}
	return l.Index
}

// count is *n, or 0 where it is not known.
func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
