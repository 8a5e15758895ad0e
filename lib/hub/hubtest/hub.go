package hubtest

import (
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Hub is the state behind both origins. Its methods are safe for concurrent use.
type Hub struct {
	mu       sync.Mutex
	settings Settings
	accounts map[string]Account // by token
	repos    map[string]*repo   // by "namespace/name"
	uploads  map[string]*multipart
	store    *store
	issued   int // numbers upload ids and request ids
	quotas   map[string]*window

	hubURL, storageURL string
	now                func() time.Time
	secret             [32]byte

	faults *faults
	log    *recorder
	hooks  map[Route]func()
	closed chan struct{}
}

// Option is a choice made when a hub is made.
type Option func(*Hub)

// WithAccount adds an account beside the default one.
func WithAccount(a Account) Option { return func(h *Hub) { h.accounts[a.Token] = a } }

// WithSettings changes the settings before the first request.
func WithSettings(change func(*Settings)) Option { return func(h *Hub) { change(&h.settings) } }

// WithClock makes now the hub's time: what signed URLs expire by, quotas are
// counted in and commits are dated with. The default is [time.Now].
func WithClock(now func() time.Time) Option { return func(h *Hub) { h.now = now } }

// KeepIn has uploaded objects kept as files in dir, which must exist, instead of in memory.
func KeepIn(dir string) Option { return func(h *Hub) { h.store.dir = dir } }

// Discard has the bytes of uploaded objects counted and dropped: single uploads
// are still checked against their sha256, multipart ones by length and ETag only,
// and neither can be downloaded.
func Discard() Option { return func(h *Hub) { h.store.discard = true } }

// New makes an empty hub. It serves once [Hub.SetOrigins] has told it where.
func New(options ...Option) *Hub {
	h := &Hub{
		settings: defaultSettings(),
		accounts: map[string]Account{},
		repos:    map[string]*repo{},
		uploads:  map[string]*multipart{},
		store:    newStore(),
		quotas:   map[string]*window{},
		now:      time.Now,
		secret:   sha256.Sum256([]byte("hubtest signs")),
		faults:   &faults{random: rand.New(rand.NewPCG(1, 2))},
		log:      &recorder{},
		hooks:    map[Route]func(){},
		closed:   make(chan struct{}),
	}
	WithAccount(Account{Name: "me", Token: "hf_hubtest", Role: RoleWrite})(h)
	for _, option := range options {
		option(h)
	}
	return h
}

// Start serves a hub on two ports of 127.0.0.1 until the test ends.
func Start(t testing.TB, options ...Option) *Hub {
	t.Helper()
	h := New(options...)
	hub, storage := httptest.NewServer(h.HubHandler()), httptest.NewServer(h.StorageHandler())
	h.SetOrigins(hub.URL, storage.URL)
	t.Cleanup(func() {
		h.Close()
		for _, server := range []*httptest.Server{hub, storage} {
			server.CloseClientConnections()
			server.Close()
		}
	})
	return h
}

// SetOrigins tells the hub the URLs, without a final slash, that its two handlers
// are reached at: answers name them.
func (h *Hub) SetOrigins(hub, storage string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hubURL, h.storageURL = strings.TrimSuffix(hub, "/"), strings.TrimSuffix(storage, "/")
}

// Close ends the requests that a fault has stalled.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closed:
	default:
		close(h.closed)
	}
}

// Endpoint is the URL of the hub's origin, as HF_ENDPOINT takes it.
func (h *Hub) Endpoint() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hubURL
}

// StorageURL is the URL of the storage's origin.
func (h *Hub) StorageURL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.storageURL
}

// Token is the token of the default account, which may do anything.
func (h *Hub) Token() string { return "hf_hubtest" }

// Set changes the settings; requests that come later see all of the change.
func (h *Hub) Set(change func(*Settings)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.settings)
}

// Before has do run before each request of a route is handled, outside the hub's
// lock: so can a test push between a client's two requests. nil takes it away.
func (h *Hub) Before(route Route, do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks[route] = do
}

// HubHandler serves the hub's origin.
func (h *Hub) HubHandler() http.Handler {
	return h.origin("hub", h.serveHub, routeOfHub)
}

// StorageHandler serves the storage's origin.
func (h *Hub) StorageHandler() http.Handler {
	return h.origin("storage", h.serveStorage, routeOfStorage)
}

// origin is what both handlers do around each request: record it, wait, run the
// test's hook, and let the faults have their way.
func (h *Hub) origin(name string, serve func(http.ResponseWriter, *http.Request, target), parse func(*http.Request) target) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := parse(r)
		entry := h.log.begin(name, to.route, r)
		defer h.log.end(entry)
		w, r = h.log.watch(entry, w, r)

		h.mu.Lock()
		hook, latency := h.hooks[to.route], h.settings.Latency
		w.Header().Set("X-Request-Id", h.requestID())
		var refused error
		if name == "hub" {
			refused = h.admit(w, to.route)
		}
		h.mu.Unlock()
		if hook != nil {
			hook()
		}
		h.wait(r, latency)
		if refused != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			writeError(w, refused)
			return
		}
		fault := h.faults.pick(to.route, r)
		if fault == nil {
			serve(w, r, to)
			return
		}
		h.log.faulted(entry, fault.Do)
		h.suffer(*fault, w, r, func(w http.ResponseWriter, r *http.Request) { serve(w, r, to) })
	})
}

// wait passes d unless the client or the hub goes first.
func (h *Hub) wait(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-h.closed:
	}
}
