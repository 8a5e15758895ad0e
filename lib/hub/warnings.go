package hub

import (
	"net/http"
	"strings"
	"sync"
)

// warnings passes on what the hub has to say, each topic once.
type warnings struct {
	login *Login
	tell  func(string)
	mu    sync.Mutex
	known map[string]bool
}

const maxTopics = 100

// read reads headers of the form "X-HF-Warning: topic; text".
func (w *warnings) read(header http.Header) {
	if w.tell == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, value := range header.Values("X-HF-Warning") {
		topic, text, found := strings.Cut(value, ";")
		if w.known[topic] || len(w.known) == maxTopics {
			continue
		}
		w.known[topic] = true
		if !found {
			text = topic
		}
		w.tell("the hub says: " + w.login.redact(oneLine(text)))
	}
}
