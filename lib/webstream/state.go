package webstream

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// state is what an answer says of the state of the source (RFC 9110, section 8.8).
type state struct {
	etag     string // "" unless it is strong
	modified string // Last-Modified as sent, "" unless it is strong
	size     int64  // full length in bytes, -1 if not announced
}

// sure is how much older than its answer a Last-Modified must be to be strong: the
// source may be written twice within a second, and two clocks may differ (RFC
// 9110, section 8.8.2.2).
const sure = time.Minute

func stateOf(resp *http.Response, size int64) state {
	s := state{size: size}
	if etag := resp.Header.Get("ETag"); strings.HasPrefix(etag, `"`) {
		s.etag = etag
	}
	modified := resp.Header.Get("Last-Modified")
	then, err := http.ParseTime(modified)
	date, dateErr := http.ParseTime(resp.Header.Get("Date"))
	if err == nil && dateErr == nil && date.Sub(then) >= sure {
		s.modified = modified
	}
	return s
}

// validator is what If-Range may say (RFC 9110, section 13.1.5), and "" if nothing
// is strong enough.
func (s state) validator() string {
	if s.etag != "" {
		return s.etag
	}
	return s.modified
}

// changed is an error if now is surely another state than s.
func (s state) changed(now state) error {
	switch {
	case s.etag != "" && now.etag != "" && s.etag != now.etag:
		return fmt.Errorf("%w: its ETag was %s and is %s", ErrChanged, s.etag, now.etag)
	case s.size >= 0 && now.size >= 0 && s.size != now.size:
		return fmt.Errorf("%w: it had %d bytes and has %d", ErrChanged, s.size, now.size)
	}
	return nil
}
