package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// MaxLength is the longest span that is read, in stored bytes. Common Crawl's archives
// are hardly longer as a whole.
const MaxLength = 1 << 30

// Location is the place of one record, and what is known of the record beforehand.
// "", nil and false stand for what is not known.
type Location struct {
	Filename string // as in warc_filename: a URL, a path, or a name below CC_BASE
	// Offset and Length are the stored span in bytes, as in doc/jsonl.md.
	Offset, Length int64

	Type     string // WARC-Type
	URL      string
	RecordID string // without <>
	// Digest is content_digest: SHA-1 in base32, or another algorithm, ":" and value.
	Digest string
	// Truncated says that the crawler cut the page, so its digest may be that of more.
	Truncated bool

	Language Language

	// Line is the input line that told the location, 0 if none did.
	Line int64
}

// Language is what a row says of a page's language; nil where it does not.
type Language struct {
	Languages  *string
	Confidence *float64
	Declared   *string
}

// String names the location in messages.
func (l Location) String() string {
	place := fmt.Sprintf("%s: offset %d", l.Filename, l.Offset)
	if l.Line > 0 {
		return fmt.Sprintf("line %d: %s", l.Line, place)
	}
	return place
}

// Check tells whether there can be such a span, and whether it is one to read.
func (l Location) Check() error {
	switch {
	case l.Filename == "":
		return errors.New("warc_filename is missing")
	case l.Offset < 0:
		return errors.New("warc_record_offset is missing or negative")
	case l.Length < 1:
		return errors.New("warc_record_length is missing or below 1")
	case l.Length > MaxLength:
		return fmt.Errorf("warc_record_length is %d: no record above %d bytes is read", l.Length, int64(MaxLength))
	case l.Offset > math.MaxInt64-l.Length:
		return fmt.Errorf("warc_record_offset is %d: no archive is that long", l.Offset)
	}
	return nil
}

func (l Location) end() int64 { return l.Offset + l.Length }

// ParseLocation reads an index row (of ours or of Common Crawl's index), a record line,
// or any JSON object that has warc_filename, warc_record_offset and warc_record_length.
// Keys it does not know are skipped, and null is the same as no key.
func ParseLocation(line []byte) (Location, error) {
	l := Location{Offset: -1}
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) error {
		if iter.WhatIsNext() == jsoniter.NilValue {
			iter.Skip()
			return nil
		}
		return l.read(iter, key)
	})
	if err != nil {
		return Location{}, err
	}
	return l, l.Check()
}

func (l *Location) read(iter *jsonl.Iterator, key string) (err error) {
	switch key {
	case "warc_filename":
		l.Filename, err = jsonl.String(iter)
	case "warc_record_offset":
		l.Offset, err = jsonl.Count(iter)
	case "warc_record_length":
		l.Length, err = jsonl.Count(iter)
	case "type":
		l.Type, err = jsonl.String(iter)
	case "url":
		l.URL, err = jsonl.String(iter)
	case "warc_record_id":
		l.RecordID, err = jsonl.String(iter)
	case "content_digest":
		l.Digest, err = jsonl.String(iter)
	case "content_truncated":
		l.Truncated = true
		iter.Skip()
	case "content_languages":
		l.Language.Languages, err = readText(iter)
	case "content_language_declared":
		l.Language.Declared, err = readText(iter)
	case "content_language_confidence":
		l.Language.Confidence, err = readNumber(iter)
	default:
		iter.Skip()
	}
	return err
}

func readText(iter *jsonl.Iterator) (*string, error) {
	s, err := jsonl.String(iter)
	return &s, err
}

func readNumber(iter *jsonl.Iterator) (*float64, error) {
	if iter.WhatIsNext() != jsoniter.NumberValue {
		return nil, errors.New("want a number")
	}
	f := iter.ReadFloat64()
	return &f, nil
}

// Locations gives what the lines of a stream tell. The error of a line is a
// [*jsonl.LineError], and the lines behind it still come; an {"_error":…} line is such
// an error, too. A line behind {"_end":…} or {"_error":…} is an error and the last.
func Locations(r io.Reader) iter.Seq2[Location, error] {
	return func(yield func(Location, error) bool) {
		in := jsonl.NewReader(r, 0)
		for ended := false; ; {
			line, err := in.Next()
			switch {
			case err == io.EOF:
				return
			case err == nil && ended:
				err = in.Fail(errors.New("the stream goes on behind its end"))
			}
			if err != nil {
				yield(Location{}, err)
				return
			}
			end, fault, err := jsonl.Control(line)
			if ended = end != nil || fault != nil; end != nil {
				continue
			}
			l := Location{}
			if err = cmp.Or(err, asError(fault)); err == nil {
				l, err = ParseLocation(line)
			}
			if l.Line = in.Line(); err != nil {
				err = in.Fail(err)
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// asError is nil for a nil fault, which as an error would not be.
func asError(fault *jsonl.Fault) error {
	if fault == nil {
		return nil
	}
	return fault
}
