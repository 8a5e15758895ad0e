package httpmsg

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxLayers is how many codings of one body are undone. Honest bodies have two: compressed by the application and again
// by the server before it.
const maxLayers = 4

// Decode undoes the transfer and content codings that the body really has, and returns at most limit bytes of what comes
// out. changed tells whether anything was undone; if not, decoded is the start of body itself.
//
// The header only says what to look for. A CC-NEWS header of 2016 to 2019 speaks of chunks and gzip that the crawler had
// already undone, so a body is chunked only if its first line is a chunk size, and gzip or zstd only if it has their
// magic bytes. deflate and br have none: they must be declared, decode, and not be readable text as they stand. A body
// with the magic of gzip or zstd that is declared to be text by Content-Type is decoded even if no coding is declared:
// some servers forget to say. An archive offered for download (application/gzip) stays as it is.
//
// The body may be cut anywhere. Where it ends, or where it stops making sense, decoding ends with what there is so far;
// a coding that yields nothing sensible is left alone. Memory is bounded by a few times limit, plus 8 MiB for zstd.
func Decode(header Header, body []byte, limit int) (decoded []byte, changed bool) {
	limit = max(limit, 0)
	room := limit + limit/8 + 64<<10 // for a layer between: a compressed form may be longer than what it holds
	transfer, content := codings(header.Values("Transfer-Encoding")), codings(header.Values("Content-Encoding"))
	if slices.Contains(transfer, "chunked") {
		if plain, ok := dechunk(body, room); ok {
			body, changed = plain, true
		}
	}
	declared := slices.DeleteFunc(append(content, transfer...), func(name string) bool { return !compressions[name] })
	text := isText(header.Get("Content-Type"))
	for layer := 0; layer < maxLayers && (text || len(declared) > 0); layer++ {
		plain, below, ok := undo(body, declared, room)
		if !ok {
			break
		}
		body, declared, changed = plain, below, true
	}
	return body[:min(len(body), limit)], changed
}

// compressions are the coding names that make it worth looking for compressed bytes.
var compressions = map[string]bool{
	"gzip": true, "x-gzip": true, "zstd": true, "deflate": true, "x-deflate": true, "br": true,
}

// codings splits header values into coding names, lower-cased, in the order in which they were applied.
func codings(values []string) []string {
	var names []string
	for _, v := range values {
		for name := range strings.SplitSeq(v, ",") {
			name, _, _ = strings.Cut(name, ";")
			names = append(names, strings.ToLower(strings.Trim(name, blanks+quotes)))
		}
	}
	return names
}

// isText reports whether a Content-Type says that the body is text, which compressed bytes are not.
func isText(contentType string) bool {
	t := strings.ToLower(ContentType(contentType, true))
	switch t {
	case "application/xml", "application/json", "application/javascript":
		return true
	}
	return strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+json")
}

// undo takes off the outermost coding that is there. below is what is still declared under it.
func undo(body []byte, declared []string, limit int) (plain []byte, below []string, ok bool) {
	if unpack := byMagic(body); unpack != nil {
		plain, err := unpack(body, limit)
		return plain, declared[:max(len(declared)-1, 0)], err == nil || len(plain) > 0
	}
	if looksLikeText(body) {
		return nil, nil, false
	}
	for n := len(declared); n > 0; n-- { // the outer ones may be undone already
		unpack := withoutMagic[declared[n-1]]
		if unpack == nil {
			continue
		}
		plain, err := unpack(body, limit)
		if makesSense(plain, err) {
			return plain, declared[:n-1], true
		}
	}
	return nil, nil, false
}

// makesSense judges what came out of bytes that had no magic: all of it decoded, as far as the body goes, or enough text
// came out before the error that it cannot be chance.
func makesSense(plain []byte, err error) bool {
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		return len(plain) > 0
	}
	return len(plain) >= 64 && looksLikeText(plain)
}

// looksLikeText reports whether the body starts like text in any charset a page may have: without control bytes.
func looksLikeText(body []byte) bool {
	start := body[:min(len(body), 1024)]
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return true // UTF-16
	}
	for _, c := range start {
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(c)) || c == 0x7f {
			return false
		}
	}
	return true
}
