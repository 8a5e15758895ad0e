package ccindex

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/httpmsg"
	"github.com/open-index/ccnews/lib/lang"
	"github.com/open-index/ccnews/lib/pagetext"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/sniff"
	"github.com/open-index/ccnews/lib/surt"
)

var (
	// ErrUndated is the error of [Builder.Row] for a record without a date that
	// can be read: it has no fetch_time, and so no row.
	ErrUndated = errors.New("WARC-Date is missing or unreadable")
	// ErrNoURL is the error for a response without a target URI.
	ErrNoURL = errors.New("WARC-Target-URI is missing")
	// ErrNoBody is the error for a record whose body was left out or cut too
	// early: its computed columns would be wrong.
	ErrNoBody = errors.New("body is missing or was cut too early")
	// ErrNoName is the error for a record that does not say which archive it is from.
	ErrNoName = errors.New("warc_filename is missing")
)

// textLimit is how many bytes of a page's text decide its language.
const textLimit = 2 << 10

// Builder computes rows. It may be used from many goroutines.
type Builder struct {
	Languages lang.Detector
}

// HasRow reports whether a record should have a row: every response does,
// whatever its status and type.
func HasRow(r *record.Record) bool { return r.Type == "response" }

// Row computes the row of a record for which [HasRow] holds. The error is
// [ErrNoURL], [ErrUndated], [ErrNoBody] or [ErrNoName].
func (b *Builder) Row(r *record.Record) (Row, error) {
	switch {
	case r.WARCFilename == "":
		return Row{}, ErrNoName
	case r.URL == "":
		return Row{}, ErrNoURL
	case int64(len(r.Body)) < min(r.BodyLength, BodyPrefix):
		return Row{}, fmt.Errorf("%w: it has %d of %d bytes", ErrNoBody, len(r.Body), r.BodyLength)
	case !r.Dated:
		return Row{}, ErrUndated
	}
	row := Row{
		URLSurtkey:       surt.KeyOrURL(r.URL),
		URL:              r.URL,
		FetchTime:        r.FetchTime,
		FetchStatus:      -1,
		FetchRedirect:    redirect(r),
		ContentDigest:    digest(r.WARCHeaders.Get("warc-payload-digest")),
		ContentTruncated: optional(strings.ToLower(r.WARCHeaders.Get("warc-truncated"))),
		WARCFilename:     r.WARCFilename,
		WARCRecordOffset: r.Offset,
		WARCRecordLength: r.Length,
		ContentLength:    r.BodyLength,
		WARCRecordID:     optional(r.RecordID),
	}
	if r.HTTPStatus != 0 {
		row.FetchStatus = int32(r.HTTPStatus)
	}
	// An error leaves the parts null that cannot be told; the row stays.
	parts, _ := hostname.Split(r.URL)
	row.URLHostName, row.URLProtocol = parts.Host, parts.Protocol
	row.URLHostTLD, row.URLHostRegisteredDomain = parts.TLD, parts.RegisteredDomain
	b.content(&row, r)
	return row, nil
}

// content computes the columns that look into the body.
func (b *Builder) content(row *Row, r *record.Record) {
	declared, present := contentType(r)
	row.ContentMIMEType = httpmsg.ContentType(declared, present)
	body, _ := httpmsg.Decode(r.HTTPHeaders, r.Body[:min(len(r.Body), BodyPrefix)], BodyPrefix)
	detected := sniff.Detect(body, declared, r.URL)
	row.ContentMIMEDetected = &detected

	charset := httpmsg.Charset(declared)
	isPage := detected == "text/html" || detected == "application/xhtml+xml"
	if charset == "" && isPage {
		charset = httpmsg.JavaCharset(pagetext.DeclaredCharset(body))
	}
	row.ContentCharset = optional(charset)
	if !isPage {
		return
	}
	page := pagetext.ToUTF8(body, charset)
	row.ContentLanguageDeclared = optional(pagetext.DeclaredLang(page))
	// Common Crawl identifies languages of successful fetches alone.
	if row.FetchStatus < 200 || row.FetchStatus > 299 {
		return
	}
	if found := b.Languages.Detect(pagetext.Text(page, textLimit)); found.Languages != "" {
		confidence := math.Round(found.Confidence*1e4) / 1e4
		row.ContentLanguages, row.ContentLanguageConfidence = &found.Languages, &confidence
	}
}

// contentType is what the response declares. A response without an HTTP head
// (dns:, ftp:) is declared by its record.
func contentType(r *record.Record) (value string, present bool) {
	h := r.HTTPHeaders
	if r.HTTPStartLine == "" {
		h = r.WARCHeaders
	}
	values := h.Values("content-type")
	if len(values) == 0 || r.HTTPStartLine == "" && strings.HasPrefix(strings.ToLower(values[0]), "application/http") {
		return "", false
	}
	return values[0], true
}

// digest is the value of a WARC digest field without "sha1:"; the prefix of any
// other algorithm stays.
func digest(field string) *string {
	const sha1 = "sha1:"
	if len(field) >= len(sha1) && strings.EqualFold(field[:len(sha1)], sha1) {
		field = field[len(sha1):]
	}
	return optional(field)
}

// optional is null for the empty string: cc-index never has "" for what is absent.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
