package retry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// asked is how long an answer's header asks to wait, counted from now; 0 if it
// does not. Where two fields disagree the later time is right for both.
func asked(header http.Header, now time.Time) time.Duration {
	return max(retryAfter(header, now), rateLimit(header.Values("RateLimit")))
}

// retryAfter reads Retry-After (RFC 9110, section 10.2.3): seconds or a date. A
// date is counted from the answer's own Date, so that clocks need not agree.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseUint(value, 10, 64); err == nil {
		return seconds(s)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return max(0, at.Sub(now))
}

// rateLimit reads items such as
//
//	RateLimit: "api";r=0;t=271
//
// where r is what remains of the quota "api" and t the seconds until it is whole
// again. Only a quota that is used up asks to wait: the hub sends this header with
// every answer, also when it is another limit that was hit. One second is added
// because t is rounded.
func rateLimit(values []string) time.Duration {
	var wait time.Duration
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		remaining, reset := uint64(math.MaxUint64), uint64(0)
		for parameter := range strings.SplitSeq(item, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
			n, err := strconv.ParseUint(value, 10, 64)
			switch {
			case err != nil:
			case name == "r":
				remaining = n
			case name == "t":
				reset = n
			}
		}
		if remaining == 0 && reset > 0 {
			wait = max(wait, seconds(reset)+time.Second)
		}
	}
	return wait
}

// seconds is n seconds, at most a century: a Duration holds less than three.
func seconds(n uint64) time.Duration {
	const century = 100 * 365 * 24 * 3600
	return time.Duration(min(n, century)) * time.Second
}
