package record

import (
	"encoding/base64"
	"strconv"

	"github.com/open-index/ccnews/lib/field"
	"github.com/open-index/ccnews/lib/jsonl"
)

// AppendJSON appends the record as one JSON object. Keys keep their order for
// ever; body is last.
func (r *Record) AppendJSON(dst []byte) []byte {
	w := writer{append(dst, '{')}
	w.text("type", r.Type)
	w.text("warc_filename", r.WARCFilename)
	w.integer("warc_record_offset", r.Offset)
	w.integer("warc_record_length", r.Length)
	w.text("warc_record_id", r.RecordID)
	w.text("url", r.URL)
	if r.Dated {
		w.key("fetch_time")
		w.dst = append(jsonl.AppendTime(append(w.dst, '"'), r.FetchTime), '"')
	}
	w.header("warc_headers", r.WARCHeaders)
	w.text("http_start_line", r.HTTPStartLine)
	if r.HTTPStatus != 0 {
		w.integer("http_status", int64(r.HTTPStatus))
	}
	if r.HTTPStartLine != "" {
		w.header("http_headers", r.HTTPHeaders)
	}
	w.integer("body_length", r.BodyLength)
	w.flag("body_cut", r.BodyCut)
	w.flag("member_shared", r.MemberShared)
	if r.Body != nil {
		w.key("body")
		w.dst = append(w.dst, '"')
		w.dst = append(base64.StdEncoding.AppendEncode(w.dst, r.Body), '"')
	}
	return append(w.dst, '}')
}

// Size is about how many bytes AppendJSON appends.
func (r *Record) Size() int { return 4<<10 + base64.StdEncoding.EncodedLen(len(r.Body)) }

type writer struct{ dst []byte }

func (w *writer) key(key string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(append(append(w.dst, '"'), key...), '"', ':')
}

// text leaves the key out if the value is empty.
func (w *writer) text(key, value string) {
	if value != "" {
		w.key(key)
		w.dst = jsonl.AppendString(w.dst, value)
	}
}

func (w *writer) integer(key string, n int64) {
	w.key(key)
	w.dst = strconv.AppendInt(w.dst, n, 10)
}

// flag leaves the key out if it is not set.
func (w *writer) flag(key string, set bool) {
	if set {
		w.key(key)
		w.dst = append(w.dst, "true"...)
	}
}

func (w *writer) header(key string, h field.Header) {
	w.key(key)
	w.dst = append(w.dst, '{')
	for i, f := range h {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(jsonl.AppendString(w.dst, f.Name), ':', '[')
		for j, v := range f.Values {
			if j > 0 {
				w.dst = append(w.dst, ',')
			}
			w.dst = jsonl.AppendString(w.dst, v)
		}
		w.dst = append(w.dst, ']')
	}
	w.dst = append(w.dst, '}')
}
