package hubtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// refusal is an answer that is not what was asked for.
type refusal struct {
	status        int
	code, message string // X-Error-Code, X-Error-Message
	header        map[string]string
	extra         map[string]any // more keys of the body
	text          bool           // a text/plain body
}

func (e *refusal) Error() string { return e.message }

func refuse(status int, code, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

func badRequest(format string, a ...any) *refusal {
	return refuse(http.StatusBadRequest, "", fmt.Sprintf(format, a...))
}

// writeError writes err as the hub does: message and code as headers, the message again as JSON.
func writeError(w http.ResponseWriter, err error) {
	var e *refusal
	if !errors.As(err, &e) {
		e = refuse(http.StatusInternalServerError, "", err.Error())
	}
	header := w.Header()
	for name, value := range e.header {
		header.Set(name, value)
	}
	if e.code != "" {
		header.Set("X-Error-Code", e.code)
	}
	header.Set("X-Error-Message", e.message)
	if e.text {
		header.Set("Content-Type", "text/plain; charset=utf-8")
		header.Set("Content-Length", strconv.Itoa(len(e.message)))
		w.WriteHeader(e.status)
		_, _ = w.Write([]byte(e.message))
		return
	}
	body := map[string]any{"error": e.message}
	for key, value := range e.extra {
		body[key] = value
	}
	writeJSON(w, e.status, body)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("hubtest: %T cannot be JSON: %v", v, err))
	}
	header := w.Header()
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json; charset=utf-8")
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// requestID numbers answers, in the form of a trace id.
func (h *Hub) requestID() string {
	h.issued++
	return fmt.Sprintf("Root=1-%08x-%024x", h.now().Unix(), h.issued)
}

// window counts the requests of a fixed time.
type window struct {
	ends time.Time
	used int
}

// admit counts a request against its quota and writes the headers that every answer has.
func (h *Hub) admit(w http.ResponseWriter, route Route) error {
	bucket, quota, shown := "api", h.settings.APIQuota, 1000
	if route == RouteResolve {
		bucket, quota, shown = "resolvers", h.settings.ResolverQuota, 5000
	}
	remaining, seconds := shown-10, 217
	var err error
	if quota > 0 {
		now := h.now()
		win := h.quotas[bucket]
		if win == nil || !now.Before(win.ends) {
			win = &window{ends: now.Add(h.settings.Window)}
			h.quotas[bucket] = win
		}
		win.used++
		shown, remaining = quota, max(0, quota-win.used)
		seconds = int((win.ends.Sub(now) + time.Second - 1) / time.Second)
		if win.used > quota {
			err = refuse(http.StatusTooManyRequests, "", fmt.Sprintf("You have exceeded the rate limit of %d %s requests. Please retry later.", quota, bucket))
		}
	}
	w.Header().Set("RateLimit", fmt.Sprintf(`"%s";r=%d;t=%d`, bucket, remaining, seconds))
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"fixed window";"%s";q=%d;w=%d`, bucket, shown, int(h.settings.Window/time.Second)))
	return err
}
