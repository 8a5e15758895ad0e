package hub

import (
	"net/http"

	"github.com/open-index/ccnews/lib/transport"
)

// newHTTPClient follows no redirect: those are followed by hand. It asks for
// compressed answers, as those of the API are text, and has no deadline for an answer
// to begin: the watchdog has one for all that moves.
func newHTTPClient(jobs int) *http.Client {
	kept := transport.New(jobs, 0)
	kept.DisableCompression = false
	return &http.Client{
		Transport:     kept,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
