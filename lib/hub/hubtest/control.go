package hubtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// RepoState is a repo as the control path shows it.
type RepoState struct {
	Heads   map[string]string `json:"heads"`   // commit ids by full name of the ref
	Commits []Commit          `json:"commits"` // of main, newest first
	Files   []File            `json:"files"`   // of main, sorted by path
}

// State is everything that tests in other languages assert on.
type State struct {
	Repos        map[string]RepoState `json:"repos"`
	Objects      map[string]int64     `json:"objects"` // sizes in bytes by sha256
	Uploads      int                  `json:"uploads"` // multipart ones that were not completed
	StorageBytes int64                `json:"storage_bytes"`
	TokenLeaked  bool                 `json:"token_leaked"`
}

// State is the hub as it stands.
func (h *Hub) State() State {
	state := State{Repos: map[string]RepoState{}, Objects: h.Objects(), StorageBytes: h.StorageBytes(), TokenLeaked: h.TokenLeaked()}
	heads := map[string]map[string]string{}
	h.mu.Lock()
	state.Uploads = len(h.uploads)
	for name, r := range h.repos {
		heads[name] = map[string]string{}
		for ref, c := range r.refs {
			heads[name][ref] = c.id
		}
	}
	h.mu.Unlock()
	for name := range heads {
		files := h.Files(name, "main")
		one := RepoState{Heads: heads[name], Commits: h.Commits(name, "main"), Files: []File{}}
		for _, path := range slices.Sorted(maps.Keys(files)) {
			one.Files = append(one.Files, files[path])
		}
		state.Repos[name] = one
	}
	return state
}

// Control serves what tests in other languages need, beside the hub's own origin
// and never recorded:
//
//	GET  /_hubtest/state     State as JSON
//	GET  /_hubtest/log       the requests, a JSON object a line; ?route=NAME for one route
//	POST /_hubtest/fault     a Fault
//	POST /_hubtest/heal      takes all faults away
//	POST /_hubtest/settings  the Settings that change, the others stay
//	POST /_hubtest/forget    empties the log
//	POST /_hubtest/lose      {"sha256":…} takes an object out of the store
func (h *Hub) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_hubtest/state", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, h.State()) })
	mux.HandleFunc("GET /_hubtest/log", func(w http.ResponseWriter, r *http.Request) {
		lines := json.NewEncoder(w)
		for _, request := range h.Requests() {
			if route := Route(r.FormValue("route")); route == "" || route == request.Route {
				_ = lines.Encode(request)
			}
		}
	})
	post := func(path string, do func(*json.Decoder) error) {
		mux.HandleFunc("POST /_hubtest/"+path, func(w http.ResponseWriter, r *http.Request) {
			body := json.NewDecoder(r.Body)
			body.DisallowUnknownFields()
			if err := do(body); err != nil {
				writeError(w, badRequest("%s: %v", path, err))
				return
			}
			writeJSON(w, 200, struct{}{})
		})
	}
	post("fault", h.decodeFault)
	post("settings", func(body *json.Decoder) error {
		var text json.RawMessage
		err := body.Decode(&text)
		if err == nil {
			err = h.SetJSON(text)
		}
		return err
	})
	post("lose", func(body *json.Decoder) error {
		var asked struct {
			SHA256 string `json:"sha256"`
		}
		err := body.Decode(&asked)
		h.Lose(asked.SHA256)
		return err
	})
	post("heal", func(*json.Decoder) error { h.Heal(); return nil })
	post("forget", func(*json.Decoder) error { h.Forget(); return nil })
	return mux
}

// FailJSON is [Hub.Fail] for a fault written as JSON.
func (h *Hub) FailJSON(text []byte) error {
	body := json.NewDecoder(bytes.NewReader(text))
	body.DisallowUnknownFields()
	return h.decodeFault(body)
}

func (h *Hub) decodeFault(body *json.Decoder) error {
	var f Fault
	if err := body.Decode(&f); err != nil {
		return err
	}
	return h.addFault(f)
}

// SetJSON is [Hub.Set] for the settings that change, written as JSON.
func (h *Hub) SetJSON(text []byte) (err error) {
	body := json.NewDecoder(bytes.NewReader(text))
	body.DisallowUnknownFields()
	h.Set(func(s *Settings) {
		changed := *s
		if err = body.Decode(&changed); err == nil {
			*s = changed
		}
	})
	return err
}
