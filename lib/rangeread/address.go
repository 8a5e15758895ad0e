package rangeread

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const maxRedirects = 10

// early is how long before its end an address is given up.
const early = time.Minute

// address is where the bytes of a file were found.
type address struct {
	url    *url.URL
	origin string    // scheme, host and port
	until  time.Time // it may be used; zero: for ever
}

func newAddress(u *url.URL) *address { return &address{url: u, origin: originOf(u)} }

// originOf is the scheme, host and port of u, the default port left out (RFC 9110,
// section 4.3.1).
func originOf(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return scheme + "://" + host + ":" + port
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// next is where a redirect from the address leads, which now is told.
func (a *address) next(header http.Header, now time.Time) (*address, error) {
	location, err := url.Parse(header.Get("Location"))
	if err != nil || location.String() == "" { // the parser's error has the query
		return nil, errors.New("redirected to what is no URL")
	}
	// An absolute one is taken as it is, byte by byte: a signature covers it.
	if !location.IsAbs() {
		location = a.url.ResolveReference(location)
	}
	location.Fragment, location.RawFragment = "", ""
	switch {
	case location.Scheme != "https" && location.Scheme != "http" || location.Host == "":
		return nil, fmt.Errorf("redirected to a URL of scheme %q", location.Scheme)
	case a.url.Scheme == "https" && location.Scheme != "https":
		return nil, errors.New("redirected from https to http")
	}
	next := newAddress(location)
	if end, ok := signedUntil(location.RawQuery); ok {
		next.until = now.Add(lifetime(end, header, now))
	}
	return next, nil
}

// lifetime is how long an address that ends at end is used. It is counted from the
// answer's own Date, so that clocks need not agree.
func lifetime(end time.Time, header http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	left := max(0, end.Sub(now))
	return left - min(early, left/2)
}

// signedUntil finds out when a signed URL ends by its query: at Expires, in seconds
// since 1970 (CloudFront and others), or X-Amz-Expires seconds after X-Amz-Date
// (AWS Signature Version 4; Google's has X-Goog). The first end counts.
func signedUntil(query string) (end time.Time, ok bool) {
	earlier := func(t time.Time) {
		if !ok || t.Before(end) {
			end, ok = t, true
		}
	}
	values, _ := url.ParseQuery(query) // a part that is wrong is left out
	if s, err := strconv.ParseInt(values.Get("Expires"), 10, 48); err == nil {
		earlier(time.Unix(s, 0))
	}
	for _, prefix := range []string{"X-Amz-", "X-Goog-"} {
		date, err := time.Parse("20060102T150405Z", values.Get(prefix+"Date"))
		s, err2 := strconv.ParseInt(values.Get(prefix+"Expires"), 10, 32)
		if err == nil && err2 == nil {
			earlier(date.Add(time.Duration(s) * time.Second))
		}
	}
	return end, ok
}
