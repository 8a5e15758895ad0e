package retry_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

func TestStatusOfReadsTheHeader(t *testing.T) {
	const date = "Wed, 01 Jul 2026 02:25:01 GMT"
	tests := []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Retry-After": {"120"}}, 2 * time.Minute},
		{http.Header{"Retry-After": {" 7 "}}, 7 * time.Second},
		{http.Header{"Retry-After": {"0"}}, 0},
		{http.Header{"Retry-After": {"-5"}}, 0},
		{http.Header{"Retry-After": {"1.5"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"18446744073709551615"}}, 100 * 365 * 24 * time.Hour},
		{http.Header{"Retry-After": {"Wed, 01 Jul 2026 02:26:31 GMT"}, "Date": {date}}, 90 * time.Second},
		{http.Header{"Retry-After": {"Wednesday, 01-Jul-26 02:26:31 GMT"}, "Date": {date}}, 90 * time.Second},
		{http.Header{"Retry-After": {"Wed, 01 Jul 2026 02:24:00 GMT"}, "Date": {date}}, 0},
		{http.Header{"Retry-After": {"Sat, 01 Jan 2000 00:00:10 GMT"}}, 10 * time.Second}, // a bubble's start

		{http.Header{"Ratelimit": {`"api";r=0;t=271`}}, 272 * time.Second},
		{http.Header{"Ratelimit": {`"api"; r=0 ; t=1`}}, 2 * time.Second},
		{http.Header{"Ratelimit": {`"api";t=5;r=0`}}, 6 * time.Second},
		// The hub's commit quota: this header speaks of another limit.
		{http.Header{"Ratelimit": {`"api";r=949;t=271`}}, 0},
		{http.Header{"Ratelimit": {`"api";r=949;t=271`}, "Retry-After": {"3600"}}, time.Hour},
		{http.Header{"Ratelimit": {`"api";r=0;t=60`}, "Retry-After": {"5"}}, 61 * time.Second},
		{http.Header{"Ratelimit": {`"api";r=0;t=60, "pages";r=0;t=90`, `"x";r=1;t=999`}}, 91 * time.Second},
		{http.Header{"Ratelimit": {`"api";r=0`}}, 0},
		{http.Header{"Ratelimit": {`"api";t=9`}}, 0},
		{http.Header{"Ratelimit": {`"api";r=-0;t=x`, `;;=,`}}, 0},
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range tests {
			err := retry.StatusOf(&http.Response{StatusCode: 429, Header: tt.header})
			if err.Status != 429 || err.After != tt.want {
				t.Errorf("%v: %d, %v; want %v", tt.header, err.Status, err.After, tt.want)
			}
		}
	})
}
