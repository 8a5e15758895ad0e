package record

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/field"
	"github.com/open-index/ccnews/lib/jsonl"
)

// Parse reads a line that [Record.AppendJSON] wrote, or one that means the same.
// Keys it does not know are skipped: the contract lets new ones come. At most
// maxBody bytes of the body are decoded; BodyCut stays as it was written. A line
// without warc_record_offset is no record.
func Parse(line []byte, maxBody int) (*Record, error) {
	r := new(Record)
	located, row := false, false
	err := jsonl.Object(line, func(iter *jsoniter.Iterator, key string) error {
		located = located || key == "warc_record_offset"
		row = row || key == "url_surtkey"
		return r.read(iter, key, maxBody)
	})
	switch {
	case err != nil:
		return nil, err
	case row:
		return nil, errors.New("an index row, not a record: it has a key \"url_surtkey\"")
	case !located:
		return nil, errors.New("no record: key \"warc_record_offset\" is missing")
	}
	return r, nil
}

func (r *Record) read(iter *jsoniter.Iterator, key string, maxBody int) (err error) {
	switch key {
	case "type":
		r.Type, err = jsonl.String(iter)
	case "warc_filename":
		r.WARCFilename, err = jsonl.String(iter)
	case "warc_record_offset":
		r.Offset, err = jsonl.Count(iter)
	case "warc_record_length":
		r.Length, err = jsonl.Count(iter)
	case "warc_record_id":
		r.RecordID, err = jsonl.String(iter)
	case "url":
		r.URL, err = jsonl.String(iter)
	case "fetch_time":
		r.Dated = true
		r.FetchTime, err = jsonl.Time(iter)
	case "warc_headers":
		r.WARCHeaders, err = readHeader(iter)
	case "http_start_line":
		r.HTTPStartLine, err = jsonl.String(iter)
	case "http_status":
		var n int64
		n, err = jsonl.Count(iter)
		r.HTTPStatus = int(n)
	case "http_headers":
		r.HTTPHeaders, err = readHeader(iter)
	case "body_length":
		r.BodyLength, err = jsonl.Count(iter)
	case "body_cut":
		r.BodyCut = iter.ReadBool()
	case "member_shared":
		r.MemberShared = iter.ReadBool()
	case "body":
		r.Body, err = readBody(iter, maxBody)
	default:
		iter.Skip()
	}
	return err
}

// readHeader reads {"name":["value",…],…}, order kept.
func readHeader(iter *jsoniter.Iterator) (field.Header, error) {
	if iter.WhatIsNext() != jsoniter.ObjectValue {
		return nil, errors.New("want an object of arrays of strings")
	}
	var h field.Header
	iter.ReadMapCB(func(iter *jsoniter.Iterator, name string) bool {
		f := field.Field{Name: name}
		if iter.WhatIsNext() != jsoniter.ArrayValue {
			iter.ReportError(name, "want an array of strings")
			return false
		}
		iter.ReadArrayCB(func(iter *jsoniter.Iterator) bool {
			value, err := jsonl.String(iter)
			if err != nil {
				iter.ReportError(name, err.Error())
			}
			f.Values = append(f.Values, value)
			return err == nil
		})
		h = append(h, f)
		return iter.Error == nil
	})
	return h, nil
}

// readBody decodes the first limit bytes of a base64 string.
func readBody(iter *jsoniter.Iterator, limit int) ([]byte, error) {
	if iter.WhatIsNext() != jsoniter.StringValue {
		return nil, errors.New("want a base64 string")
	}
	text := iter.ReadStringAsSlice()
	if bytes.IndexByte(text, '\\') >= 0 { // some encoders write / as \/
		text = []byte(unescape(text))
	}
	if need := base64.StdEncoding.EncodedLen(limit); len(text) > need {
		text = text[:need]
	}
	body := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(body, text)
	if err != nil {
		return nil, fmt.Errorf("not base64: %w", err)
	}
	return body[:min(n, limit)], nil
}

// unescape undoes the escapes of a JSON string without its quotes.
func unescape(text []byte) (s string) {
	jsoniter.Unmarshal(append(append([]byte{'"'}, text...), '"'), &s)
	return s
}
