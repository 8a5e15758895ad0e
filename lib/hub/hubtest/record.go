package hubtest

import (
	"io"
	"net/http"
	"slices"
	"sync"
)

// Request is what came in, and what became of it.
type Request struct {
	N             int         `json:"n"`      // counted from 1, over both origins
	Origin        string      `json:"origin"` // "hub" or "storage"
	Route         Route       `json:"route"`
	Method        string      `json:"method"`
	URL           string      `json:"url"`           // path and query, as they were sent
	Header        http.Header `json:"header"`        // without the token
	Authorization bool        `json:"authorization"` // a token or a cookie came along
	Body          string      `json:"body"`          // its first 64 KiB, at the hub
	BytesIn       int64       `json:"bytes_in"`      // of the body that was read
	BytesOut      int64       `json:"bytes_out"`     // of the answer's body
	Status        int         `json:"status"`        // 0: none was sent, or not yet
	Fault         Effect      `json:"fault"`         // "": it was handled as it should be
}

// keptBody is how much of a request's body the record keeps, in bytes.
const keptBody = 64 << 10

type recorder struct {
	mu       sync.Mutex
	requests []*Request
	now      map[string]int // in flight, by origin
	peak     map[string]int
}

func (l *recorder) begin(origin string, route Route, r *http.Request) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	header := r.Header.Clone()
	authorized := header.Get("Authorization") != "" || header.Get("Cookie") != ""
	header.Del("Authorization")
	entry := &Request{
		N: len(l.requests) + 1, Origin: origin, Route: route, Method: r.Method, URL: r.RequestURI,
		Header: header, Authorization: authorized,
	}
	l.requests = append(l.requests, entry)
	if l.now == nil {
		l.now, l.peak = map[string]int{}, map[string]int{}
	}
	l.now[origin]++
	l.peak[origin] = max(l.peak[origin], l.now[origin])
	return entry
}

func (l *recorder) end(entry *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now[entry.Origin]--
}

func (l *recorder) faulted(entry *Request, do Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.Fault = do
}

// watch counts what is read and written.
func (l *recorder) watch(entry *Request, w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	watched := *r
	watched.Body = &watchedBody{r.Body, l, entry}
	return &watchedAnswer{w, l, entry}, &watched
}

type watchedBody struct {
	io.ReadCloser
	log   *recorder
	entry *Request
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.log.mu.Lock()
	defer b.log.mu.Unlock()
	b.entry.BytesIn += int64(n)
	if room := keptBody - len(b.entry.Body); b.entry.Origin == "hub" && room > 0 {
		b.entry.Body += string(p[:min(n, room)])
	}
	return n, err
}

type watchedAnswer struct {
	http.ResponseWriter
	log   *recorder
	entry *Request
}

// Unwrap lets a [http.ResponseController] through.
func (a *watchedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *watchedAnswer) WriteHeader(status int) {
	a.log.mu.Lock()
	if a.entry.Status == 0 {
		a.entry.Status = status
	}
	a.log.mu.Unlock()
	a.ResponseWriter.WriteHeader(status)
}

func (a *watchedAnswer) Write(p []byte) (int, error) {
	a.log.mu.Lock()
	if a.entry.Status == 0 {
		a.entry.Status = http.StatusOK
	}
	if a.entry.Method != http.MethodHead {
		a.entry.BytesOut += int64(len(p))
	}
	a.log.mu.Unlock()
	return a.ResponseWriter.Write(p)
}

// Requests are the requests of the given routes, or all, in the order they came in.
func (h *Hub) Requests(routes ...Route) []Request {
	return h.log.where(func(r *Request) bool { return len(routes) == 0 || slices.Contains(routes, r.Route) })
}

// StorageRequests are the requests to the storage's origin.
func (h *Hub) StorageRequests() []Request {
	return h.log.where(func(r *Request) bool { return r.Origin == "storage" })
}

// StorageBytes is how much of uploads the storage has read, retries included.
func (h *Hub) StorageBytes() int64 {
	total := int64(0)
	for _, r := range h.StorageRequests() {
		total += r.BytesIn
	}
	return total
}

// TokenLeaked says whether a token or cookie ever came to the storage's origin.
func (h *Hub) TokenLeaked() bool {
	return slices.ContainsFunc(h.StorageRequests(), func(r Request) bool { return r.Authorization })
}

// Peak is how many requests were ever in flight at once, at "hub" or "storage".
func (h *Hub) Peak(origin string) int {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	return h.log.peak[origin]
}

// Forget empties the record.
func (h *Hub) Forget() {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	h.log.requests, h.log.peak = nil, map[string]int{}
}

func (l *recorder) where(keep func(*Request) bool) []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Request
	for _, r := range l.requests {
		if keep(r) {
			found = append(found, *r)
		}
	}
	return found
}
