package shard

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/parquetread"
)

// rowReader reads whole rows of one row group at a time, some of them.
type rowReader struct {
	shard   *Shard
	wanted  ccindex.Selection
	release func() // what was fetched for the group
	cursors [len(ccindex.Columns)]*parquetread.Cursor
	at      int64 // the row that the cursors are at
	column  int   // the column being read, for errors
	err     error
}

// open goes to the first row of a row group.
func (r *rowReader) open(group int) (err error) {
	if r.release != nil {
		r.release()
	}
	if r.release, err = r.shard.fetchRows(group, r.wanted); err != nil {
		return err
	}
	for i := range r.cursors {
		if r.shard.missing[i] || !r.wanted[i] {
			continue
		}
		if r.cursors[i] == nil {
			r.cursors[i] = r.shard.file.Cursor(r.shard.columns[i])
		}
		r.cursors[i].Open(group)
	}
	r.at = 0
	return nil
}

func (r *rowReader) close() {
	if r.release != nil {
		r.release()
	}
	for _, cursor := range r.cursors {
		if cursor != nil {
			cursor.Close()
		}
	}
}

// read reads the row at a place in the row group, which is not before the row
// that was read last.
func (r *rowReader) read(at int64) (row ccindex.Row, err error) {
	for _, cursor := range r.cursors {
		if cursor != nil {
			if err := cursor.Skip(at - r.at); err != nil {
				return row, err
			}
		}
	}
	r.at, r.column, r.err = at+1, 0, nil
	row = ccindex.Row{
		URLSurtkey:              r.text(),
		URL:                     r.text(),
		URLHostName:             r.optional(),
		URLHostRegisteredDomain: r.optional(),
		URLHostTLD:              r.optional(),
		URLProtocol:             r.optional(),
		FetchTime:               r.time(),
		FetchStatus:             r.status(),
		FetchRedirect:           r.optional(),
		ContentDigest:           r.optional(),
		ContentMIMEType:         r.text(),
		ContentMIMEDetected:     r.optional(),
		ContentCharset:          r.optional(),
		ContentLanguages:        r.optional(),
		ContentTruncated:        r.optional(),
		WARCFilename:            r.text(),
		WARCRecordOffset:        r.count(),
		WARCRecordLength:        r.count(),
	}
	row.ContentLanguageConfidence = r.share()
	row.ContentLanguageDeclared = r.optional()
	row.ContentLength = r.count()
	row.WARCRecordID = r.optional()
	return row, r.err
}

// next reads the value of the next column, null if the file does not have it or it
// is not wanted.
func (r *rowReader) next() (v parquetread.Value, null bool) {
	i := r.column
	r.column++
	if r.err != nil || r.cursors[i] == nil {
		return v, true
	}
	v, err := r.cursors[i].Next()
	if err != nil {
		r.err = err
	}
	return v, v.Null || err != nil
}

// unread reports that the column which next was asked for is not read at all.
func (r *rowReader) unread() bool { return r.cursors[r.column-1] == nil }

func (r *rowReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("column %s: "+format, append([]any{ccindex.Columns[r.column-1]}, args...)...)
	}
}

// text reads a value that is never null.
func (r *rowReader) text() string {
	v, null := r.next()
	if null && r.unread() {
		return ""
	}
	if null {
		r.fail("null in a column that has none")
	}
	return valid(v.Bytes)
}

func (r *rowReader) optional() *string {
	v, null := r.next()
	if null || len(v.Bytes) == 0 && !r.shard.columns[r.column-1].Optional {
		return nil
	}
	s := valid(v.Bytes)
	return &s
}

// valid copies text; whatever in it is not UTF-8 becomes U+FFFD.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}

func (r *rowReader) time() int64 {
	v, null := r.next()
	if null && !r.unread() {
		r.fail("null in a column that has none")
	}
	switch r.shard.columns[r.column-1].Unit {
	case time.Microsecond:
		return time.UnixMicro(v.Int).UnixMilli()
	case time.Nanosecond:
		return time.Unix(0, v.Int).UnixMilli()
	}
	return v.Int
}

func (r *rowReader) status() int32 {
	v, null := r.next()
	if null {
		return -1
	}
	if v.Int < math.MinInt32 || v.Int > math.MaxInt32 {
		r.fail("%d is no status", v.Int)
	}
	return int32(v.Int)
}

// count reads a length or offset; -1 if the file does not have the column.
func (r *rowReader) count() int64 {
	v, null := r.next()
	switch {
	case r.unread():
		return -1
	case null:
		r.fail("null in a column that has none")
	case v.Int < 0:
		r.fail("%d is negative", v.Int)
	}
	return v.Int
}

func (r *rowReader) share() *float64 {
	v, null := r.next()
	if null || math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
		return nil
	}
	return &v.Float
}
