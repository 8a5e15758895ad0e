package fetch

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/open-index/ccnews/lib/field"
	"github.com/open-index/ccnews/lib/httpmsg"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/warc"
)

// found is the record of a span.
type found struct {
	*record.Record        // its Body is all that is kept of the payload
	block          []byte // as stored, likewise
	length         int64  // of the whole block in bytes
}

// cut says that the block is longer than what is kept of it.
func (f *found) cut() bool { return int64(len(f.block)) < f.length }

// check reads the span and finds the record in it, keeping at most most bytes of its
// block. The error says why the span is not the record that its location promises.
func (s *span) check(ctx context.Context, most int64) (*found, error) {
	stored := io.MultiReader(bytes.NewReader(s.dictionary), s.stored())
	before := int64(len(s.dictionary))
	var damage *warc.Damage // the first
	reader, err := warc.NewReader(ctx, stored, warc.Options{
		Jobs: 1, MaxBlock: most, Size: before + s.Length, OnDamage: func(d warc.Damage) {
			if damage == nil {
				damage = &d
			}
		},
	})
	if err != nil {
		return nil, notWhole(err)
	}
	defer reader.Close()
	choice := choice{want: s.Location}
	for rec, err := range reader.Records() {
		if err != nil {
			return nil, notWhole(err)
		}
		rec.Offset += s.Offset - before
		choice.add(rec)
	}
	rec, err := choice.made()
	switch {
	case damage != nil && (choice.records < 2 || !whole(rec)): // else it is that of another record
		damage.Offset += s.Offset - before
		return nil, notWhole(errors.New(damage.String()))
	case err != nil:
		return nil, err
	case rec.Offset != s.Offset || rec.Length != s.Length:
		return nil, notWhole(fmt.Errorf("one of %d bytes at %d is in it", rec.Length, rec.Offset))
	}
	f := &found{record.New(rec, record.ArchiveName(s.Filename), most), rec.Block, rec.BlockLength}
	return f, f.checkDigest(s.Location)
}

func notWhole(err error) error { return fmt.Errorf("the span is not one whole record: %w", err) }

// whole reports whether a record's block is as long as its header says.
func whole(rec *warc.Record) bool {
	if rec == nil {
		return false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(rec.Header.Get("content-length")), 10, 64)
	return err == nil && n == rec.BlockLength
}

// choice finds the record that a location means among those of its span. There is more
// than one only in archives whose members hold several (member_shared).
type choice struct {
	want    Location
	records int
	misses  error // of the first record that is not meant
	fits    []*warc.Record
}

func (c *choice) add(rec *warc.Record) {
	c.records++
	if err := c.want.differs(rec); err != nil {
		if c.misses == nil {
			c.misses = err
		}
		return
	}
	if len(c.fits) < 2 { // more only make the same error
		c.fits = append(c.fits, rec)
	}
}

func (c *choice) made() (*warc.Record, error) {
	switch {
	case c.records == 0:
		return nil, notWhole(warc.ErrNoRecord)
	case len(c.fits) == 0 && c.records > 1:
		return nil, fmt.Errorf("none of the %d records in the span is the expected one: of the first, %w",
			c.records, c.misses)
	case len(c.fits) == 0:
		return nil, fmt.Errorf("not the expected record: %w", c.misses)
	case len(c.fits) > 1:
		return nil, fmt.Errorf("the span holds %d records, and nothing tells which is meant: a warc_record_id would",
			c.records)
	}
	return c.fits[0], nil
}

// differs says in what a record is not what is known of it.
func (l Location) differs(rec *warc.Record) error {
	r := record.New(rec, "", -1)
	for _, known := range []struct{ what, want, have string }{
		{"WARC-Record-ID", l.RecordID, r.RecordID},
		{"URL", l.URL, r.URL},
		{"WARC-Type", l.Type, r.Type},
	} {
		if known.want != "" && known.want != known.have {
			return fmt.Errorf("its %s is %q and should be %q", known.what, known.have, known.want)
		}
	}
	if digest := headerDigest(rec.Header); l.Digest != "" && digest != "" && !strings.EqualFold(digest, l.Digest) {
		return fmt.Errorf("its digest is %q and should be %q", digest, l.Digest)
	}
	return nil
}

const sha1Label = "sha1:"

// headerDigest is the WARC-Payload-Digest as content_digest spells it.
func headerDigest(h field.Header) string {
	digest := h.Get("warc-payload-digest")
	if len(digest) > len(sha1Label) && strings.EqualFold(digest[:len(sha1Label)], sha1Label) {
		return digest[len(sha1Label):]
	}
	return digest
}

// checkDigest compares the bytes with the expected digest, if that is one of them: a
// page that the crawler cut, or left out as a revisit, may have that of the whole.
//
// Writers disagree on what the payload is: the body without its transfer coding, as the
// standard says, the body as stored, or, in Common Crawl's archives of August 2018, the
// whole block. Each of them proves the bytes.
func (f *found) checkDigest(want Location) error {
	partial := f.cut() || want.Truncated || f.WARCHeaders.Get("warc-truncated") != "" || f.Type == "revisit"
	if partial || strings.Contains(want.Digest, ":") || len(want.Digest) != base32.StdEncoding.EncodedLen(sha1.Size) {
		return nil
	}
	have := sum(f.Body)
	if strings.EqualFold(want.Digest, have) || strings.EqualFold(want.Digest, sum(f.block)) {
		return nil
	}
	chunked := field.Header{{Name: "transfer-encoding", Values: f.HTTPHeaders.Values("transfer-encoding")}}
	plain, changed := httpmsg.Decode(chunked, f.Body, len(f.Body))
	if changed && strings.EqualFold(want.Digest, sum(plain)) {
		return nil
	}
	return fmt.Errorf("not the expected record: the SHA-1 of its payload is %s and should be %s", have, want.Digest)
}

func sum(b []byte) string {
	digest := sha1.Sum(b)
	return base32.StdEncoding.EncodeToString(digest[:])
}
