package ledger

import (
	"fmt"
	"strconv"
	"time"
)

// Row is what the shards of one period add up to.
type Row struct {
	Period string
	// Files is the number of shards.
	Files int64
	// TotalFiles is how many the period's manifest names, -1 where that is not known.
	TotalFiles int64
	// Rows is the number of index rows.
	Rows int64
	// BytesRead is the length of the indexed archives, ParquetBytes that of their
	// shards.
	BytesRead, ParquetBytes int64
	// Success is the rows with a status of 200 to 299, HTML those that are pages.
	Success, HTML int64
	// Damaged is the number of places where archives are damaged.
	Damaged int64
	// Unfit is the number of archives of which no shard can be made.
	Unfit int64
	// Complete says that every archive of the manifest has a shard of the whole of it.
	Complete bool
	// Partial says that there are shards of a part of their archive. The table does not
	// have it: it is the reason why a row with all files is not complete.
	Partial bool
	// FirstCommitted is when the period got its first shard, LastCommitted when its
	// shards last changed. In UTC, whole seconds.
	FirstCommitted, LastCommitted time.Time

	extra []string // the values of columns that are not ours
}

// Missing is how many archives could still get a shard, 0 where that is not known.
func (r *Row) Missing() int64 { return max(0, r.TotalFiles-r.Files-r.Unfit) }

// column is one of a ledger's columns after the first: its name and its text in
// a Row.
type column struct {
	name string
	get  func(*Row) string
	set  func(*Row, string) error
}

var newsColumns = []column{
	number("files", func(r *Row) *int64 { return &r.Files }),
	total,
	number("articles", func(r *Row) *int64 { return &r.Rows }),
	number("bytes_read", func(r *Row) *int64 { return &r.BytesRead }),
	number("parquet_bytes", func(r *Row) *int64 { return &r.ParquetBytes }),
	number("status_2xx", func(r *Row) *int64 { return &r.Success }),
	number("html", func(r *Row) *int64 { return &r.HTML }),
	number("damaged", func(r *Row) *int64 { return &r.Damaged }),
	number("unfit", func(r *Row) *int64 { return &r.Unfit }),
	complete,
	moment("first_committed", func(r *Row) *time.Time { return &r.FirstCommitted }),
	moment("last_committed", func(r *Row) *time.Time { return &r.LastCommitted }),
}

var urlColumns = []column{
	number("files", func(r *Row) *int64 { return &r.Files }),
	total,
	number("rows", func(r *Row) *int64 { return &r.Rows }),
	number("parquet_bytes", func(r *Row) *int64 { return &r.ParquetBytes }),
	number("unfit", func(r *Row) *int64 { return &r.Unfit }),
	complete,
	moment("first_committed", func(r *Row) *time.Time { return &r.FirstCommitted }),
	moment("last_committed", func(r *Row) *time.Time { return &r.LastCommitted }),
}

func number(name string, of func(*Row) *int64) column {
	return column{
		name: name,
		get:  func(r *Row) string { return strconv.FormatInt(*of(r), 10) },
		set: func(r *Row, text string) (err error) {
			*of(r), err = parseCount(text)
			return err
		},
	}
}

// total is a number that can be unknown, which is an empty cell.
var total = column{
	name: "total_files",
	get: func(r *Row) string {
		if r.TotalFiles < 0 {
			return ""
		}
		return strconv.FormatInt(r.TotalFiles, 10)
	},
	set: func(r *Row, text string) (err error) {
		r.TotalFiles = -1
		if text != "" {
			r.TotalFiles, err = parseCount(text)
		}
		return err
	},
}

var complete = column{
	name: "complete",
	get:  func(r *Row) string { return strconv.FormatBool(r.Complete) },
	set: func(r *Row, text string) error {
		if text != "true" && text != "false" {
			return fmt.Errorf("%q: want true or false", text)
		}
		r.Complete = text == "true"
		return nil
	},
}

func moment(name string, of func(*Row) *time.Time) column {
	return column{
		name: name,
		get:  func(r *Row) string { return of(r).UTC().Format(time.RFC3339) },
		set: func(r *Row, text string) error {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil || t.UTC().Format(time.RFC3339) != text {
				return fmt.Errorf("%q: want a time such as 2026-07-01T12:00:00Z", text)
			}
			*of(r) = t
			return nil
		},
	}
}

// maxTotal bounds the numbers of a ledger: they are sums over some 10,000 shards.
const maxTotal = 1 << 53

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxTotal || strconv.FormatInt(n, 10) != text {
		return 0, fmt.Errorf("%q: want a number", text)
	}
	return n, nil
}
