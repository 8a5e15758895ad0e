package rangeread

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/open-index/ccnews/lib/transport"
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

// parseContentRange is [transport.ContentRange] as a Range.
func parseContentRange(value string) (r Range, size int64, ok bool) {
	first, last, size := transport.ContentRange(value)
	if size < 0 {
		return Range{}, 0, false
	}
	return Range{first, last - first + 1}, size, true
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
