package shard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/hostname"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/surt"
)

// IndexKey is the footer key under which a shard keeps its [Index].
const IndexKey = "ccnews.index"

// Index is what a shard says of itself in its footer, as compact JSON with
// sorted keys, so that it can be counted without being read. What is not known
// is left out.
type Index struct {
	// ByDay counts rows by the UTC day of their capture, "2026-07-01".
	ByDay map[string]int64 `json:"by_day"`
	// ByLanguage counts rows by the first code of content_languages, the page's
	// main language; "" counts those without.
	ByLanguage map[string]int64 `json:"by_language"`
	// ByMIME counts rows by content_mime_detected; "" counts those without.
	ByMIME map[string]int64 `json:"by_mime"`
	// ByStatus counts rows by fetch_status.
	ByStatus map[string]int64 `json:"by_status"`
	// Bytes, Damaged, Members, Records and Responses are the archive's, as its
	// stream said at its end.
	Bytes *int64 `json:"bytes,omitempty"`
	// Complete says that the rows are those of the whole archive.
	Complete bool   `json:"complete"`
	Damaged  *int64 `json:"damaged,omitempty"`
	// FirstFetch and LastFetch are the least and greatest fetch_time, as in JSON
	// rows; "" if there are no rows.
	FirstFetch   string `json:"first_fetch,omitempty"`
	IndexVersion int    `json:"index_version"`
	LastFetch    string `json:"last_fetch,omitempty"`
	Members      *int64 `json:"members,omitempty"`
	Records      *int64 `json:"records,omitempty"`
	// Registries are the names under which the registered domains of the rows lie,
	// such as co.uk and com, and the hosts that have no registered domain, sorted.
	// A domain that is none of them and not above one has only hosts whose
	// registered domain is itself or above it, so that the filter of registered
	// domains can say that it has none. nil if that cannot be said, or if they are
	// many.
	Registries []string `json:"registries,omitzero"`
	Responses  *int64   `json:"responses,omitempty"`
	Rows       int64    `json:"rows"`
	// SURTRegular says that every url_host_name is spelled as Common Crawl spells
	// it, and that the url_surtkey begins with what [surt.Host] makes of it, so that
	// ranges of keys hold all rows of a host.
	SURTRegular bool `json:"surt_regular"`
	// WARCFilename is the archive's name; "" if it is not known or not one.
	WARCFilename string `json:"warc_filename,omitempty"`
}

func (x *Index) encode() string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		panic(err) // an Index is strings, integers and bools
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func decodeIndex(text string) (*Index, error) {
	x := new(Index)
	if err := json.Unmarshal([]byte(text), x); err != nil {
		return nil, fmt.Errorf("footer key %s: %w", IndexKey, err)
	}
	return x, nil
}

// tally counts rows for an Index.
type tally struct {
	Index
	first, last int64
	names       int // different archive names seen, counted up to 2
	registries  registries
}

func newTally() *tally {
	return &tally{
		Index: Index{
			ByDay: map[string]int64{}, ByLanguage: map[string]int64{}, ByMIME: map[string]int64{}, ByStatus: map[string]int64{},
			IndexVersion: ccindex.IndexVersion, SURTRegular: true,
		},
		first: math.MaxInt64, last: math.MinInt64,
	}
}

func (t *tally) add(r *ccindex.Row) {
	t.Rows++
	t.ByDay[string(jsonl.AppendTime(nil, r.FetchTime)[:len("2026-07-01")])]++
	language, _, _ := strings.Cut(text(r.ContentLanguages), ",")
	t.ByLanguage[language]++
	t.ByMIME[text(r.ContentMIMEDetected)]++
	t.ByStatus[strconv.Itoa(int(r.FetchStatus))]++
	t.first, t.last = min(t.first, r.FetchTime), max(t.last, r.FetchTime)
	t.SURTRegular = t.SURTRegular && isRegular(r)
	t.registries.add(text(r.URLHostName), text(r.URLHostRegisteredDomain))
	if t.names < 2 && r.WARCFilename != t.WARCFilename {
		t.names++
		t.WARCFilename = r.WARCFilename
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// isRegular reports whether the key's host is that of url_host_name. A row
// without a host is regular: no search for a host can miss it.
func isRegular(r *ccindex.Row) bool {
	host := text(r.URLHostName)
	if host == "" {
		return true
	}
	rest, ok := strings.CutPrefix(r.URLSurtkey, surt.Host(host))
	return ok && hostname.IsNormal(host) && rest != "" && (rest[0] == ')' || rest[0] == ':')
}

// index is the Index of the rows so far, of a stream that ended with end, or
// without an end if that is nil.
func (t *tally) index(end *jsonl.End) *Index {
	x := t.Index
	if x.SURTRegular {
		x.Registries = t.registries.sorted()
	}
	if t.names > 1 {
		x.WARCFilename = ""
	}
	if t.Rows > 0 {
		x.FirstFetch = string(jsonl.AppendTime(nil, t.first))
		x.LastFetch = string(jsonl.AppendTime(nil, t.last))
	}
	if end != nil {
		x.Complete = !end.Filtered && !end.Cut
		x.Bytes, x.Members, x.Records = &end.Bytes, &end.Members, &end.Records
		x.Responses, x.Damaged = &end.Responses, &end.Damaged
		if end.WARCFilename != "" {
			x.WARCFilename = end.WARCFilename
		}
	}
	return &x
}
