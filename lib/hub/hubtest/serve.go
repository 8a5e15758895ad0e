package hubtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// maxBody is what the hub reads of a request: a commit may carry a gigabyte of regular files.
const maxBody = 1<<30 + 1<<28

// call is a request to the hub's origin, read and looked up.
type call struct {
	target
	r      *http.Request
	header http.Header // of the answer
	body   []byte
	who    *Account // nil: anonymous
	repo   *repo    // nil where the route has none
}

// reply writes an answer, outside the hub's lock.
type reply func(w http.ResponseWriter, r *http.Request)

func jsonReply(status int, v any) reply {
	return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, status, v) }
}

type access int

const (
	anybody  access = iota
	signedIn        // any account
	reads           // may read the repo
)

type handler struct {
	methods string
	access  access
	serve   func(*Hub, *call) (reply, error) // under the hub's lock
}

var handlers = map[Route]handler{
	RouteWhoami:       {"GET", signedIn, (*Hub).whoami},
	RouteCreateRepo:   {"POST", signedIn, (*Hub).createRepo},
	RouteDeleteRepo:   {"DELETE", signedIn, (*Hub).deleteRepo},
	RouteValidateYAML: {"POST", signedIn, (*Hub).validateYAML},
	RouteComplete:     {"POST", anybody, (*Hub).complete},
	RouteInfo:         {"GET HEAD", reads, (*Hub).info},
	RouteRefs:         {"GET", reads, (*Hub).refs},
	RouteBranch:       {"POST DELETE", reads, (*Hub).branch},
	RouteTag:          {"POST DELETE", reads, (*Hub).tag},
	RouteCommits:      {"GET", reads, (*Hub).history},
	RouteTree:         {"GET", reads, (*Hub).tree},
	RoutePathsInfo:    {"POST", reads, (*Hub).pathsInfo},
	RoutePreupload:    {"POST", reads, (*Hub).preupload},
	RouteCommit:       {"POST", reads, (*Hub).commit},
	RouteDiscussions:  {"POST", reads, (*Hub).discussion},
	RouteBatch:        {"POST", reads, (*Hub).batch},
	RouteVerify:       {"POST", reads, (*Hub).verify},
	RouteResolve:      {"GET HEAD", reads, (*Hub).resolve},
	RouteResolveCache: {"GET HEAD", reads, (*Hub).resolveCache},
}

func (h *Hub) serveHub(w http.ResponseWriter, r *http.Request, to target) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, refuse(http.StatusRequestEntityTooLarge, "", "Payload Too Large: "+err.Error()))
		return
	}
	answer, err := h.lookUp(&call{target: to, r: r, header: w.Header(), body: body})
	if err != nil {
		writeError(w, err)
		return
	}
	answer(w, r)
}

func (h *Hub) lookUp(c *call) (reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var err error
	if c.who, err = h.account(c.r); err != nil {
		return nil, err
	}
	if location, ok := h.movedTo(c); ok {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, nil
	}
	do, ok := handlers[c.route]
	if !ok { // also xet-token: there is no Xet here
		return nil, refuse(http.StatusNotFound, "", "Not Found")
	}
	if !strings.Contains(do.methods, c.r.Method) {
		return nil, refuse(http.StatusMethodNotAllowed, "", c.r.Method+" is not allowed here")
	}
	if do.access == signedIn && c.who == nil {
		return nil, errAnonymous()
	}
	c.repo = h.repos[c.target.repo]
	if do.access == reads {
		if err := c.who.mayRead(c.repo); err != nil {
			return nil, err
		}
	}
	return do.serve(h, c)
}

// movedTo is where a request for a renamed repo goes: the same URL with the new name.
func (h *Hub) movedTo(c *call) (string, bool) {
	name, ok := h.settings.Renamed[c.target.repo]
	if !ok || c.target.repo == "" {
		return "", false
	}
	return strings.Replace(c.r.URL.RequestURI(), c.target.repo, name, 1), true
}

// decode reads the body as JSON.
func (c *call) decode(v any) error {
	if err := json.Unmarshal(c.body, v); err != nil {
		return badRequest("the body is no such JSON: %v", err)
	}
	return nil
}

func (c *call) flag(name string) bool {
	value := c.r.URL.Query().Get(name)
	return value == "1" || value == "true"
}

type faultKey struct{}

// suffers says whether a fault that the handler itself must play is on.
func suffers(r *http.Request, do Effect) (Fault, bool) {
	fault, ok := r.Context().Value(faultKey{}).(Fault)
	return fault, ok && fault.Do == do
}

func withFault(r *http.Request, f Fault) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), faultKey{}, f))
}
