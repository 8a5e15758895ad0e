// Package record is what the archive says: one [Record] per WARC record, as the
// line of JSON that warc-records writes and record-index reads.
//
// Nothing is computed here that the archive does not say itself; what an index
// makes of it is lib/ccindex's business. doc/jsonl.md has the keys. The names of
// the location triple (warc_filename, warc_record_offset, warc_record_length)
// are those of Common Crawl's index
// (https://commoncrawl.org/columnar-index).
package record

import (
	"strings"

	"github.com/open-index/ccnews/lib/field"
	"github.com/open-index/ccnews/lib/httpmsg"
	"github.com/open-index/ccnews/lib/warc"
)

// DefaultMaxBody is how many bytes of a body a record holds if nothing else is
// asked for.
const DefaultMaxBody = 16 << 20

// MaxBody is the most that can be asked for: the line must stay below
// jsonl.MaxLine, with the base64 of the body and the headers.
const MaxBody = 40 << 20

// Record is one record. "", 0, nil and false stand for an absent key.
type Record struct {
	Type         string // as written: response, request, …
	WARCFilename string
	// Offset and Length are the stored span in bytes: of the gzip member, or of
	// header and block in a plain archive.
	Offset, Length int64
	RecordID       string // without <>
	// URL is the WARC-Target-URI without <>, blanks inside it as %20.
	URL string
	// FetchTime is the WARC-Date in milliseconds since 1970-01-01 UTC; Dated is
	// false if there is none that can be read.
	FetchTime   int64
	Dated       bool
	WARCHeaders field.Header

	// HTTPStartLine and the rest are of records that hold an HTTP message.
	HTTPStartLine string
	HTTPStatus    int // 100 to 999
	HTTPHeaders   field.Header

	// BodyLength is the full length in bytes of the stored payload: the body of
	// an HTTP message, the whole block of other records.
	BodyLength int64
	// BodyCut says that Body is shorter because of a limit.
	BodyCut      bool
	MemberShared bool
	// Body is the start of the payload; nil if bodies were not asked for.
	Body []byte
}

// New makes a record of what a reader found, with at most maxBody bytes of body;
// a negative maxBody leaves the body out.
func New(rec *warc.Record, warcFilename string, maxBody int64) *Record {
	h := rec.Header
	out := &Record{
		Type:         h.Get("warc-type"),
		WARCFilename: warcFilename,
		Offset:       rec.Offset,
		Length:       rec.Length,
		RecordID:     unbracket(h.Get("warc-record-id")),
		URL:          TargetURI(h),
		WARCHeaders:  h,
		BodyLength:   rec.BlockLength,
		MemberShared: rec.Shared,
	}
	if t, ok := warc.ParseDate(h.Get("warc-date")); ok {
		out.FetchTime, out.Dated = t.UnixMilli(), true
	}
	body := rec.Block
	if holdsHTTP(h) {
		if m, ok := httpmsg.Parse(rec.Block); ok {
			out.HTTPStartLine, out.HTTPStatus, out.HTTPHeaders = m.StartLine, m.Status, m.Header
			out.BodyLength -= int64(m.BodyOffset)
			body = body[m.BodyOffset:]
		}
	}
	if maxBody >= 0 {
		out.Body = body[:min(int64(len(body)), maxBody)]
		if out.Body == nil {
			out.Body = []byte{}
		}
		out.BodyCut = int64(len(out.Body)) < out.BodyLength
	}
	return out
}

// TargetURI is the WARC-Target-URI of a record's header: one pair of <> removed,
// as some writers add it, and blanks inside it written as %20, as Common Crawl's
// own writers do.
func TargetURI(h field.Header) string {
	return strings.ReplaceAll(strings.TrimSpace(unbracket(h.Get("warc-target-uri"))), " ", "%20")
}

// unbracket removes one pair of <>.
func unbracket(s string) string {
	if len(s) >= 2 && s[0] == '<' && s[len(s)-1] == '>' {
		return s[1 : len(s)-1]
	}
	return s
}

// holdsHTTP reports whether a record's block should be an HTTP message: its
// Content-Type says so, or there is none and its WARC-Type suggests it.
func holdsHTTP(h field.Header) bool {
	if contentType := h.Get("content-type"); contentType != "" {
		mime, _, _ := strings.Cut(contentType, ";")
		return strings.EqualFold(strings.TrimSpace(mime), "application/http")
	}
	switch strings.ToLower(h.Get("warc-type")) {
	case "response", "request", "revisit":
		return true
	}
	return false
}
