package rangeread

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestTokenStaysAtItsOrigin(t *testing.T) {
	store := serve(t, src, honest)
	hub := serve(t, src, toStore(store.URL), status(307, "Location", "/api/resolve-cache/x?etag=%22..%22"))
	opt := Options{
		// On purpose of no care for where it goes.
		Header: func(*url.URL) http.Header {
			return http.Header{"Authorization": {"Bearer secret"}, "Range": {"bytes=0-0"}}
		},
	}
	c, _ := newClient(t, opt)
	f, err := c.Open(t.Context(), hub.URL+path, length)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checkRead(t, f, 0, 1000)
	if hub.count() != 2 || store.count() != 1 {
		t.Fatalf("%d and %d requests", hub.count(), store.count())
	}
	for _, r := range hub.Requests() {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("hub got no token for %s", r.URL)
		}
	}
	for name := range store.Requests()[0].Header {
		switch name {
		case "Range", "User-Agent", "Accept-Encoding", "Connection":
		default:
			t.Errorf("store got %s", name)
		}
	}
	if stats := c.Stats(); stats.Resolver != 2 || stats.Storage != 1 {
		t.Errorf("%+v", stats)
	}
}

func TestURLsArriveByteByByte(t *testing.T) {
	w := newWorld(t, src, Options{})
	checkRead(t, w.open(t, length), 0, 10)
	if got := w.hub.Requests()[0].RequestURI; got != path {
		t.Errorf("hub was asked for %s", got)
	}
	if got := w.store.Requests()[0].RequestURI; got != "/xet/o%7E~1?"+signature {
		t.Errorf("store was asked for %s", got)
	}
}

func TestRedirectAddresses(t *testing.T) {
	for _, tt := range []struct{ from, location, want string }{
		{"https://h/a/b?q", "https://s/x?y=%7E~+&&z#f", "https://s/x?y=%7E~+&&z"},
		{"https://h/a/b?q", "https://s/x/../%2e/y", "https://s/x/../%2e/y"},
		{"https://h/a/b?q", "/api/c%2Fd?etag=%22..%22", "https://h/api/c%2Fd?etag=%22..%22"},
		{"https://h/a/b?q", "c", "https://h/a/c"},
		{"https://h/a/b?q", "//s/c", "https://s/c"},
		{"http://h/a", "https://s/c", "https://s/c"},
		{"http://h/a", "http://s/c", "http://s/c"},
		{"https://h/a", "http://h/a", ""},
		{"https://h/a", "gopher://h/a", ""},
		{"https://h/a", "mailto:a@b", ""},
		{"https://h/a", "", ""},
		{"https://h/a", "http://%zz/", ""},
	} {
		from, _ := url.Parse(tt.from)
		got, err := newAddress(from).next(http.Header{"Location": {tt.location}}, time.Now())
		switch {
		case err != nil && tt.want != "", err == nil && tt.want == "":
			t.Errorf("%q from %s: %v", tt.location, tt.from, err)
		case err == nil && got.url.String() != tt.want:
			t.Errorf("%q from %s leads to %s", tt.location, tt.from, got.url)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"https://h/a", "https://H:443/b", true},
		{"http://h", "http://h:80/", true},
		{"http://h:1/", "http://h:2/", false},
		{"http://h/", "https://h/", false},
		{"https://h/", "https://cdn.h/", false},
		{"https://h:80/", "https://h/", false},
	} {
		a, _ := url.Parse(tt.a)
		b, _ := url.Parse(tt.b)
		if (originOf(a) == originOf(b)) != tt.same {
			t.Errorf("%s and %s", tt.a, tt.b)
		}
	}
}

// expiring is a hub whose signed URLs live so long, by its own clock.
func expiring(store string, life time.Duration) behaviour {
	return func(w http.ResponseWriter, r *http.Request, src source) {
		then := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
		w.Header().Set("Date", then.Format(http.TimeFormat))
		w.Header().Set("Location", fmt.Sprintf("%s/o?X-Amz-Expires=9999&Expires=%d", store, then.Add(life).Unix()))
		w.WriteHeader(http.StatusFound)
	}
}

func TestSignedURLIsGivenUpAMinuteEarly(t *testing.T) {
	w := newWorld(t, src, Options{Tail: -1})
	w.hub.Usual = expiring(w.store.URL, time.Hour)
	f := w.open(t, length)
	want := 1
	for _, pass := range []time.Duration{0, 58 * time.Minute, 59 * time.Second, 1 * time.Second, 58 * time.Minute} {
		w.clock.Sleep(t.Context(), pass)
		if pass == time.Second {
			want++
		}
		checkRead(t, f, 0, 10)
		if w.hub.count() != want {
			t.Errorf("after %s: hub was asked %d times; want %d", pass, w.hub.count(), want)
		}
	}
	w.hub.Usual = expiring(w.store.URL, -time.Hour) // a clock that is wrong
	w.clock.Sleep(t.Context(), time.Hour)
	checkRead(t, f, 0, 10)
}

func TestSignedUntil(t *testing.T) {
	for _, tt := range []struct {
		query string
		want  string // "" is none
	}{
		{"", ""},
		{"a=b", ""},
		{"Expires=1796047028&Signature=x", "2026-11-30T13:57:08Z"},
		{"X-Amz-Expires=3600&Expires=1796047028", "2026-11-30T13:57:08Z"},
		{"X-Amz-Date=20261130T120000Z&X-Amz-Expires=3600", "2026-11-30T13:00:00Z"},
		{"X-Goog-Date=20261130T120000Z&X-Goog-Expires=60", "2026-11-30T12:01:00Z"},
		{"X-Amz-Date=20261130T120000Z&X-Amz-Expires=36000&Expires=1796047028", "2026-11-30T13:57:08Z"},
		{"X-Amz-Date=20261130&X-Amz-Expires=3600", ""},
		{"Expires=x", ""},
		{"Expires=99999999999999999999", ""},
		{"Expires=Mon%2C+30+Nov", ""},
		{"%zz&Expires=1796047028", "2026-11-30T13:57:08Z"},
	} {
		end, ok := signedUntil(tt.query)
		got := strings.Repeat(end.UTC().Format(time.RFC3339), map[bool]int{true: 1}[ok])
		if got != tt.want {
			t.Errorf("%q ends at %s; want %s", tt.query, got, tt.want)
		}
	}
}
