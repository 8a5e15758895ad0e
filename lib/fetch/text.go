package fetch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/open-index/ccnews/lib/httpmsg"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/pagetext"
	"github.com/open-index/ccnews/lib/sniff"
)

// text is what a person would read, or a line of JSON with it. What is no text, such as
// a picture, has none: that is worth a warning, and not a failure.
func (p *printed) text(rec *found, format Format) error {
	body, err := decoded(rec)
	if err != nil {
		return err
	}
	title, text, kind := readable(rec, body)
	if kind != "" {
		p.warning = fmt.Errorf("%v: no text: it is %s", p.span.Location, kind)
	}
	if format == TextLines {
		p.bytes = append(appendText(nil, rec, p.span.Language, title, text), '\n')
		return nil
	}
	if p.bytes = []byte(text); text != "" {
		p.bytes = append(p.bytes, '\n')
	}
	return nil
}

// readable is the title and the text of a body, in UTF-8 and without controls but line
// ends. notText is the media type of what has none.
func readable(rec *found, body []byte) (title, text, notText string) {
	declared := rec.HTTPHeaders.Get("content-type")
	if rec.HTTPStartLine == "" {
		declared = rec.WARCHeaders.Get("content-type")
	}
	kind := sniff.Detect(body, declared, rec.URL)
	charset := httpmsg.Charset(declared)
	switch {
	case len(body) == 0:
		return "", "", ""
	case kind == "text/html" || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "/xml"):
		page := pagetext.ToUTF8(body, charset)
		return pagetext.Title(page), pagetext.Text(page, maxBlock), ""
	case strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || kind == "application/javascript":
		return "", plainText(pagetext.ToUTF8(body, charset)), ""
	}
	return "", "", kind
}

// plainText keeps lines as they are, without blanks around them all.
func plainText(text []byte) string {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	kept := bytes.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r != '\n' && r != '\t' && unicode.IsControl(r) || r == '\ufeff':
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(string(kept))
}

// appendText appends the text with where it is from, as one JSON object.
func appendText(dst []byte, rec *found, language Language, title, text string) []byte {
	dst = append(dst, '{')
	key := func(name string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
	}
	optional := func(name, value string) {
		if value != "" {
			key(name)
			dst = jsonl.AppendString(dst, value)
		}
	}
	optional("url", rec.URL)
	if rec.Dated {
		key("fetch_time")
		dst = append(jsonl.AppendTime(append(dst, '"'), rec.FetchTime), '"')
	}
	optional("warc_filename", rec.WARCFilename)
	key("warc_record_offset")
	dst = strconv.AppendInt(dst, rec.Offset, 10)
	key("warc_record_length")
	dst = strconv.AppendInt(dst, rec.Length, 10)
	optional("warc_record_id", rec.RecordID)
	if language.Languages != nil {
		optional("content_languages", *language.Languages)
	}
	if language.Confidence != nil {
		key("content_language_confidence")
		dst = strconv.AppendFloat(dst, *language.Confidence, 'f', -1, 64)
	}
	if language.Declared != nil {
		optional("content_language_declared", *language.Declared)
	}
	optional("title", title)
	key("text")
	return append(jsonl.AppendString(dst, text), '}')
}
