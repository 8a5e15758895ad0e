package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/open-index/ccnews/lib/httpmsg"
	"github.com/open-index/ccnews/lib/record"
)

// Format is the form in which records are written.
type Format int

const (
	// Records is a line of JSON each, the same that warc-records writes.
	Records Format = iota
	// Raw is the stored bytes, so that all of them together are an archive.
	Raw
	// HTTP is the stored message: status line, header, body.
	HTTP
	// Body is the payload without the transfer and content codings that it has.
	Body
	// Text is what a person would read; a line with a form feed alone, which no text
	// holds, stands between two records.
	Text
	// TextLines is a line of JSON each, with the text and where it is from.
	TextLines
)

const separator = "\f\n"

const (
	// smallBlock is how many bytes of a block are held beside others.
	smallBlock = 4 << 20
	// maxBlock is how many bytes of a block are held at all: enough for the largest
	// line of Records.
	maxBlock = record.MaxBody + httpmsg.MaxHead
)

// printed is a record in its format.
type printed struct {
	span    *span
	err     error // names the location; errLarge may be in it
	warning error // likewise
	bytes   []byte
	stored  bool // the bytes are those of the span, and then bytes
}

func (p *printed) reader() io.Reader {
	if p.stored {
		return io.MultiReader(p.span.stored(), bytes.NewReader(p.bytes))
	}
	return bytes.NewReader(p.bytes)
}

// print checks a span and brings its record into its format. most is how many bytes of
// the block may be held: if that is smallBlock and not enough, the error is errLarge.
func (f *Fetcher) print(ctx context.Context, s *span, most int64) *printed {
	p := &printed{span: s, err: s.err}
	if s.err != nil {
		return p
	}
	rec, err := s.check(ctx, most)
	switch {
	case err == nil && most < maxBlock && f.needsMore(rec):
		err = errLarge
	case err == nil:
		err = f.format(p, rec)
	}
	if err != nil {
		p.err = fmt.Errorf("%v: %w", s.Location, err)
	}
	return p
}

// errLarge says that the record's block is longer than what was kept of it.
var errLarge = errors.New("the record is large")

// needsMore reports whether reading the span again, to keep more of the block, is of use.
func (f *Fetcher) needsMore(rec *found) bool {
	return rec.cut() && (rec.length <= maxBlock || f.Format == Records && f.MaxBody > int64(len(rec.Body)))
}

func (f *Fetcher) format(p *printed, rec *found) error {
	if rec.cut() && f.Format != Records && f.Format != Raw {
		return fmt.Errorf("the record has %d bytes: above %d only JSON records (cut) and --raw are written", rec.BodyLength, maxBlock)
	}
	switch f.Format {
	case Raw:
		return p.raw()
	case HTTP:
		if rec.HTTPStartLine == "" {
			return fmt.Errorf("there is no HTTP message in it: its WARC-Type is %q", rec.Type)
		}
		p.bytes = rec.block
	case Body:
		return p.body(rec)
	case Text, TextLines:
		return p.text(rec, f.Format)
	default:
		keep := min(f.MaxBody, int64(len(rec.Body)))
		rec.Body = rec.Body[:keep]
		rec.BodyCut = keep < rec.BodyLength
		p.bytes = append(rec.AppendJSON(slices.Grow([]byte(nil), rec.Size())), '\n')
	}
	return nil
}

// raw is the span as it is. Records of an archive that is not compressed need the blank
// lines behind them that are no part of their span.
func (p *printed) raw() error {
	if p.span.dictionary != nil {
		return errors.New("its bytes cannot be read without the dictionary of its archive: fetch it as JSON")
	}
	p.stored = true
	if p.span.plain() {
		p.bytes = []byte("\r\n\r\n")
	}
	return nil
}

// body is the payload, decoded.
func (p *printed) body(rec *found) error {
	body, err := decoded(rec)
	p.bytes = body
	return err
}

// decoded undoes the codings that a body has.
func decoded(rec *found) ([]byte, error) {
	body, _ := httpmsg.Decode(rec.HTTPHeaders, rec.Body, maxBlock+1)
	if len(body) > maxBlock {
		return nil, fmt.Errorf("its body has more than %d bytes when it is decoded", maxBlock)
	}
	return body, nil
}
