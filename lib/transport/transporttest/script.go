package transporttest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Script is a server that answers each request in turn, and as it usually does at
// the end.
type Script struct {
	*httptest.Server
	mu  sync.Mutex
	src Source
	// Usual is how requests are answered that no answer was lined up for. It is not to be
	// changed while requests come.
	Usual    Answer
	answers  []Answer
	requests []*http.Request
}

// NewScript is a [Script] that is not started: its Server is nil.
func NewScript(src Source, usual Answer, answers ...Answer) *Script {
	return &Script{src: src, Usual: usual, answers: answers}
}

// Serve starts a [Script].
func Serve(t testing.TB, src Source, usual Answer, answers ...Answer) *Script {
	s := NewScript(src, usual, answers...)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	next := s.Usual
	if i := len(s.requests); i < len(s.answers) {
		next = s.answers[i]
	}
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	next(w, r, s.src)
}

// Then has the server answer the next requests so.
func (s *Script) Then(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.answers) < len(s.requests) {
		s.answers = append(s.answers, s.Usual)
	}
	s.answers = append(s.answers[:len(s.requests)], answers...)
}

// Requests are those that came so far.
func (s *Script) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Ranges are what the requests had as Range, such as "5-9", "" without one.
func (s *Script) Ranges() (ranges []string) {
	for _, r := range s.Requests() {
		ranges = append(ranges, strings.TrimPrefix(r.Header.Get("Range"), "bytes="))
	}
	return ranges
}
