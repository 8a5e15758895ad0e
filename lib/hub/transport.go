package hub

import (
	"cmp"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

const connectTimeout = 30 * time.Second

// userAgent says who asks and where to complain.
var userAgent = sync.OnceValue(func() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = strings.Trim(cmp.Or(info.Main.Version, version), "()")
	}
	return "ccnews/" + version + " (+https://github.com/open-index/ccnews)"
})

// newHTTPClient speaks HTTP/1.1 alone: each request has its own connection, so
// that a drop hits one of them and not all.
func newHTTPClient(jobs int) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
			TLSHandshakeTimeout: connectTimeout,
			IdleConnTimeout:     90 * time.Second,
			MaxIdleConnsPerHost: jobs,
			Protocols:           protocols,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
