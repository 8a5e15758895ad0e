package rangeread

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// sure is how much older than its answer a Last-Modified must be to be strong: the
// file may be written twice within a second, and two clocks may differ (RFC 9110,
// section 8.8.2.2).
const sure = time.Minute

// validator is what If-Range may say (RFC 9110, section 13.1.5): a strong ETag, or
// a Last-Modified that is strong; "" if the answer has neither.
func validator(header http.Header) string {
	if etag := header.Get("ETag"); strings.HasPrefix(etag, `"`) {
		return etag
	}
	modified := header.Get("Last-Modified")
	then, err := http.ParseTime(modified)
	date, dateErr := http.ParseTime(header.Get("Date"))
	if err == nil && dateErr == nil && date.Sub(then) >= sure {
		return modified
	}
	return ""
}

// parseContentRange reads "bytes 5-9/10" (RFC 9110, section 14.4). ok is false if
// it is anything else, also a range of unknown full length.
func parseContentRange(value string) (r Range, size int64, ok bool) {
	span, isBytes := strings.CutPrefix(value, "bytes ")
	span, total, _ := strings.Cut(span, "/")
	from, to, _ := strings.Cut(span, "-")
	first, last, size := number(from), number(to), number(total)
	if !isBytes || first < 0 || last < first || size <= last {
		return Range{}, 0, false
	}
	return Range{first, last - first + 1}, size, true
}

// parseUnsatisfied reads the full length in "bytes */10", -1 if it is anything else.
func parseUnsatisfied(value string) int64 {
	total, ok := strings.CutPrefix(value, "bytes */")
	if !ok {
		return -1
	}
	return number(total)
}

// number reads digits alone, -1 if they are not a length.
func number(digits string) int64 {
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// checkCoding refuses bytes that are not the stored ones; see Trust in the
// package's documentation.
func checkCoding(header http.Header, path string) error {
	coding := strings.ToLower(strings.Join(header.Values("Content-Encoding"), ", "))
	labelled := strings.HasSuffix(path, ".gz") && (coding == "gzip" || coding == "x-gzip")
	if coding == "" || coding == "identity" || labelled {
		return nil
	}
	return fmt.Errorf("the server sends Content-Encoding %q and not the stored bytes", coding)
}
