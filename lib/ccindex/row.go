// Package ccindex is what the index says of a capture: one [Row] of 22 columns.
//
// The first 18 columns carry the names, types, values and nulls of Common
// Crawl's own URL index, so that a query written for cc-index runs unchanged
// on a shard (https://commoncrawl.org/columnar-index); the last four exist
// because a news archive has no other place for them. doc/columns.md has the
// rule of every column.
//
// A [Row] has one spelling as JSON ([Row.AppendJSON], [ParseRow]); how rows
// become a Parquet file is lib/shard's business.
package ccindex

// IndexVersion identifies the rules that compute a row. It is raised whenever
// any row of any archive can change, and is stored in every shard.
const IndexVersion = 2

// BodyPrefix is how many bytes of the stored body, at most, the computed
// columns look at. A record whose body was cut at this length or beyond gives
// the same row as the whole record. It is the limit at which Common Crawl cut
// news pages until August 2026, so that for older archives the prefix is the
// body. On 384 real pages of up to 700 KB, 512 KiB still changes two values and
// 256 KiB nineteen: articles can come late in a page.
const BodyPrefix = 1 << 20

// Row is one capture. A nil pointer is the null of JSON, Parquet and SQL;
// fields that are not pointers are never null. All strings are valid UTF-8.
type Row struct {
	URLSurtkey              string
	URL                     string
	URLHostName             *string
	URLHostRegisteredDomain *string
	URLHostTLD              *string
	URLProtocol             *string
	// FetchTime is the capture time in milliseconds since 1970-01-01 UTC.
	FetchTime int64
	// FetchStatus is the HTTP status, -1 if the status line is unreadable.
	FetchStatus   int32
	FetchRedirect *string
	ContentDigest *string
	// ContentMIMEType is the declared type, "unk" if there is none.
	ContentMIMEType     string
	ContentMIMEDetected *string
	ContentCharset      *string
	ContentLanguages    *string
	ContentTruncated    *string
	WARCFilename        string
	// WARCRecordOffset and WARCRecordLength are the record's span in the
	// archive as stored, in bytes.
	WARCRecordOffset int64
	WARCRecordLength int64
	// ContentLanguageConfidence is in 0..1, nil exactly when ContentLanguages is.
	ContentLanguageConfidence *float64
	ContentLanguageDeclared   *string
	// ContentLength is the length of the stored body in bytes. It is negative in
	// rows that come from shards without this column, Common Crawl's own.
	ContentLength int64
	WARCRecordID  *string
}

// Columns are the names of a row's columns, in the order in which every row
// and shard has them.
var Columns = [...]string{
	"url_surtkey", "url", "url_host_name", "url_host_registered_domain", "url_host_tld", "url_protocol",
	"fetch_time", "fetch_status", "fetch_redirect",
	"content_digest", "content_mime_type", "content_mime_detected", "content_charset", "content_languages", "content_truncated",
	"warc_filename", "warc_record_offset", "warc_record_length",
	"content_language_confidence", "content_language_declared", "content_length", "warc_record_id",
}
