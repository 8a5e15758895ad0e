// Package shard is the file of an index: one archive's rows as one Parquet
// file, laid so that a host is found in it by few and small reads.
//
// A [Builder] takes rows in any order and writes a shard; [Open] reads any
// file with the columns of Common Crawl's URL index, whoever wrote it and
// however damaged it is. doc/shard.md tells the layout and what it was chosen
// by. The columns themselves are lib/ccindex's, Parquet is lib/table's on the
// writing and lib/parquetread's on the reading side.
package shard

import (
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/extsort"
	"github.com/open-index/ccnews/lib/table"
)

// layout is how a shard lies in its file. The figures behind every choice are
// in doc/shard.md.
//
// Bounds of 64 bytes tell neighbouring keys of one host apart, the default of
// 16 do not; identifiers have no bounds, for they have no order worth one.
var layout = table.Layout{
	Columns: []table.Column{
		{Name: "url_surtkey", Bounds: 64},
		{Name: "url"},
		{Name: "url_host_name", Optional: true, Dictionary: true, Filter: true, Bounds: 64},
		{Name: "url_host_registered_domain", Optional: true, Dictionary: true, Filter: true, Bounds: 64},
		{Name: "url_host_tld", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "url_protocol", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "fetch_time", Kind: table.Time, Bounds: 8},
		{Name: "fetch_status", Kind: table.Int32, Dictionary: true, Bounds: 8},
		{Name: "fetch_redirect", Optional: true},
		{Name: "content_digest", Optional: true},
		{Name: "content_mime_type", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "content_mime_detected", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "content_charset", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "content_languages", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "content_truncated", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "warc_filename", Dictionary: true, Bounds: 128},
		{Name: "warc_record_offset", Kind: table.Int64, Bounds: 8},
		{Name: "warc_record_length", Kind: table.Int64, Bounds: 8},
		{Name: "content_language_confidence", Kind: table.Double, Optional: true, Bounds: 8},
		{Name: "content_language_declared", Optional: true, Dictionary: true, Bounds: 16},
		{Name: "content_length", Kind: table.Int64, Bounds: 8},
		{Name: "warc_record_id", Optional: true},
	},
	SortedBy:  []string{"url_surtkey", "fetch_time", "warc_record_offset"},
	GroupRows: 3072,
	PageBytes: 1 << 20,
	Level:     zstd.SpeedBetterCompression,
}

// appendKey appends the key by which rows are sorted.
func appendKey(key []byte, r *ccindex.Row) []byte {
	key = extsort.AppendText(key, r.URLSurtkey)
	key = extsort.AppendInt(key, r.FetchTime)
	return extsort.AppendInt(key, r.WARCRecordOffset)
}

// appendCells appends the row's cells in the order of the columns.
func appendCells(row []byte, r *ccindex.Row) []byte {
	row = table.AppendText(row, r.URLSurtkey)
	row = table.AppendText(row, r.URL)
	row = appendOptional(row, r.URLHostName)
	row = appendOptional(row, r.URLHostRegisteredDomain)
	row = appendOptional(row, r.URLHostTLD)
	row = appendOptional(row, r.URLProtocol)
	row = table.AppendInt(row, r.FetchTime)
	row = table.AppendInt(row, int64(r.FetchStatus))
	row = appendOptional(row, r.FetchRedirect)
	row = appendOptional(row, r.ContentDigest)
	row = table.AppendText(row, r.ContentMIMEType)
	row = appendOptional(row, r.ContentMIMEDetected)
	row = appendOptional(row, r.ContentCharset)
	row = appendOptional(row, r.ContentLanguages)
	row = appendOptional(row, r.ContentTruncated)
	row = table.AppendText(row, r.WARCFilename)
	row = table.AppendInt(row, r.WARCRecordOffset)
	row = table.AppendInt(row, r.WARCRecordLength)
	if r.ContentLanguageConfidence == nil {
		row = table.AppendNull(row)
	} else {
		row = table.AppendDouble(row, *r.ContentLanguageConfidence)
	}
	row = appendOptional(row, r.ContentLanguageDeclared)
	row = table.AppendInt(row, r.ContentLength)
	return appendOptional(row, r.WARCRecordID)
}

func appendOptional(row []byte, s *string) []byte {
	if s == nil {
		return table.AppendNull(row)
	}
	return table.AppendText(row, *s)
}
