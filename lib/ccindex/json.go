package ccindex

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// AppendJSON appends the row as one JSON object, its 22 keys in the order of
// [Columns], null where a value is absent.
func (r *Row) AppendJSON(dst []byte) []byte { return r.AppendSelected(dst, &all) }

var all = SelectAll()

// AppendSelected is [Row.AppendJSON] with the selected keys alone.
func (r *Row) AppendSelected(dst []byte, selection *Selection) []byte {
	w := rowWriter{selection: selection, start: len(dst) + 1}
	w.dst = append(dst, '{')
	w.text(&r.URLSurtkey)
	w.text(&r.URL)
	w.text(r.URLHostName)
	w.text(r.URLHostRegisteredDomain)
	w.text(r.URLHostTLD)
	w.text(r.URLProtocol)
	w.time(r.FetchTime)
	w.integer(int64(r.FetchStatus))
	w.text(r.FetchRedirect)
	w.text(r.ContentDigest)
	w.text(&r.ContentMIMEType)
	w.text(r.ContentMIMEDetected)
	w.text(r.ContentCharset)
	w.text(r.ContentLanguages)
	w.text(r.ContentTruncated)
	w.text(&r.WARCFilename)
	w.integer(r.WARCRecordOffset)
	w.integer(r.WARCRecordLength)
	w.number(r.ContentLanguageConfidence)
	w.text(r.ContentLanguageDeclared)
	w.length(r.ContentLength)
	w.text(r.WARCRecordID)
	return append(w.dst, '}')
}

// rowWriter writes values under the columns' names, one after the other.
type rowWriter struct {
	dst       []byte
	start     int // of the first key in dst
	column    int
	selection *Selection
}

// key writes the name of the next column, and reports whether its value is wanted.
func (w *rowWriter) key() bool {
	i := w.column
	w.column++
	if !w.selection[i] {
		return false
	}
	if len(w.dst) > w.start {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(append(append(w.dst, '"'), Columns[i]...), '"', ':')
	return true
}

func (w *rowWriter) text(s *string) {
	switch {
	case !w.key():
	case s == nil:
		w.dst = append(w.dst, "null"...)
	default:
		w.dst = jsonl.AppendString(w.dst, *s)
	}
}

func (w *rowWriter) time(ms int64) {
	if w.key() {
		w.dst = append(jsonl.AppendTime(append(w.dst, '"'), ms), '"')
	}
}

func (w *rowWriter) integer(n int64) {
	if w.key() {
		w.dst = strconv.AppendInt(w.dst, n, 10)
	}
}

// length writes null for a length that is not known.
func (w *rowWriter) length(n int64) {
	if n < 0 {
		w.text(nil)
		return
	}
	w.integer(n)
}

func (w *rowWriter) number(f *float64) {
	switch {
	case !w.key():
	case f == nil:
		w.dst = append(w.dst, "null"...)
	default:
		w.dst = strconv.AppendFloat(w.dst, *f, 'f', -1, 64)
	}
}

// ParseRow reads a line that [Row.AppendJSON] wrote, or one that means the
// same: the 22 keys in any order, each once and no other, with exactly the
// types of the columns. The error names the key at fault.
func ParseRow(line []byte) (Row, error) {
	var row Row
	var seen [len(Columns)]bool
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) error {
		column := columnIndex(key)
		switch {
		case column < 0:
			return errors.New("no column has this name")
		case seen[column]:
			return errors.New("it is there twice")
		}
		seen[column] = true
		return row.read(iter, column)
	})
	if err != nil {
		return Row{}, err
	}
	for column, ok := range seen {
		if !ok {
			return Row{}, fmt.Errorf("key %q is missing", Columns[column])
		}
	}
	return row, nil
}

func columnIndex(key string) int {
	for i, name := range Columns {
		if name == key {
			return i
		}
	}
	return -1
}

func (r *Row) read(iter *jsonl.Iterator, column int) (err error) {
	switch Columns[column] {
	case "url_surtkey":
		r.URLSurtkey, err = jsonl.String(iter)
	case "url":
		r.URL, err = jsonl.String(iter)
	case "url_host_name":
		r.URLHostName, err = readOptional(iter)
	case "url_host_registered_domain":
		r.URLHostRegisteredDomain, err = readOptional(iter)
	case "url_host_tld":
		r.URLHostTLD, err = readOptional(iter)
	case "url_protocol":
		r.URLProtocol, err = readOptional(iter)
	case "fetch_time":
		r.FetchTime, err = jsonl.Time(iter)
	case "fetch_status":
		r.FetchStatus, err = readStatus(iter)
	case "fetch_redirect":
		r.FetchRedirect, err = readOptional(iter)
	case "content_digest":
		r.ContentDigest, err = readOptional(iter)
	case "content_mime_type":
		r.ContentMIMEType, err = jsonl.String(iter)
	case "content_mime_detected":
		r.ContentMIMEDetected, err = readOptional(iter)
	case "content_charset":
		r.ContentCharset, err = readOptional(iter)
	case "content_languages":
		r.ContentLanguages, err = readOptional(iter)
	case "content_truncated":
		r.ContentTruncated, err = readOptional(iter)
	case "warc_filename":
		r.WARCFilename, err = jsonl.String(iter)
	case "warc_record_offset":
		r.WARCRecordOffset, err = jsonl.Count(iter)
	case "warc_record_length":
		r.WARCRecordLength, err = jsonl.Count(iter)
	case "content_language_confidence":
		r.ContentLanguageConfidence, err = readShare(iter)
	case "content_language_declared":
		r.ContentLanguageDeclared, err = readOptional(iter)
	case "content_length":
		r.ContentLength, err = jsonl.Count(iter)
	case "warc_record_id":
		r.WARCRecordID, err = readOptional(iter)
	}
	return err
}

func readOptional(iter *jsonl.Iterator) (*string, error) {
	if iter.ReadNil() {
		return nil, nil
	}
	s, err := jsonl.String(iter)
	if err != nil {
		return nil, errors.New("want a string or null")
	}
	return &s, nil
}

func readStatus(iter *jsonl.Iterator) (int32, error) {
	n, err := jsonl.Integer(iter)
	if err == nil && (n < -1 || n > math.MaxInt16) {
		err = fmt.Errorf("%d is no HTTP status", n)
	}
	return int32(n), err
}

// readShare reads a number in 0..1, or null.
func readShare(iter *jsonl.Iterator) (*float64, error) {
	if iter.ReadNil() {
		return nil, nil
	}
	if iter.WhatIsNext() != jsoniter.NumberValue {
		return nil, errors.New("want a number or null")
	}
	f := iter.ReadFloat64()
	if f < 0 || f > 1 {
		return nil, fmt.Errorf("%v is not in 0..1", f)
	}
	return &f, nil
}
