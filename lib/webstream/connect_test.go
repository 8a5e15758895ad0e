package webstream

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	server := serve(t, src, cut(10))
	opt, _ := options(t)
	if _, _, err := readAll(t.Context(), server.URL+"/a%2Fb?c=d#e", opt); err != nil {
		t.Fatal(err)
	}
	for i, want := range []http.Header{
		{"Accept-Encoding": {"identity"}},
		{"Accept-Encoding": {"identity"}, "Range": {"bytes=10-"}, "If-Range": {src.ETag}},
	} {
		r := server.Requests()[i]
		if agent := r.UserAgent(); !regexp.MustCompile(`^ccnews/\S+ \(\+https://\S+\)$`).MatchString(agent) {
			t.Errorf("User-Agent %q", agent)
		}
		r.Header.Del("User-Agent")
		for name := range r.Header {
			if r.Header.Get(name) != want.Get(name) || len(want) != len(r.Header) {
				t.Errorf("request %d: header %v; want %v", i, r.Header, want)
			}
		}
		if r.Method != http.MethodGet || r.RequestURI != "/a%2Fb?c=d" {
			t.Errorf("request %d: %s %s", i, r.Method, r.RequestURI)
		}
	}
}

func TestOpenWantsAnAddress(t *testing.T) {
	for _, address := range []string{"", "x.warc", "/x.warc", "file:///x.warc", "s3://commoncrawl/x", "http://", "http:///x", "http://a b/", "https:x"} {
		if s, err := Open(t.Context(), address, Options{}); err == nil || !strings.HasSuffix(err.Error(), ": not an http or https URL") {
			t.Errorf("%q: %v, %v", address, s, err)
		}
	}
}

func redirect(to string) answer { return status(http.StatusFound, "Location", to) }

// Each request goes to the address that was given: what it leads to may expire.
func TestRedirects(t *testing.T) {
	storage := serve(t, src, cut(20000), honest)
	hub := serve(t, src, redirect("/moved?to=a"), redirect(storage.URL+"/signed?by=%7Eme"), redirect(storage.URL+"/signed?by=%7Eyou"))
	opt, _ := options(t)
	address := strings.Replace(hub.URL, "http://", "http://user:secret@", 1)
	data, _, err := readAll(t.Context(), address+"/x", opt)
	checkBytes(t, data, err, nil)
	if err != nil || hub.ranges() != "- - 20000-" || storage.ranges() != "- 20000-" {
		t.Fatalf("requests %s and %s, %v", hub.ranges(), storage.ranges(), err)
	}
	if got := hub.Requests()[1].RequestURI + storage.Requests()[0].RequestURI + storage.Requests()[1].RequestURI; got !=
		"/moved?to=a/signed?by=%7Eme/signed?by=%7Eyou" {
		t.Errorf("%s", got)
	}
	if user, _, _ := hub.Requests()[0].BasicAuth(); user != "user" {
		t.Error("the credentials of the address were not sent to it")
	}
	for _, r := range storage.Requests() {
		if r.Header.Get("Authorization") != "" || r.Referer() != "" {
			t.Errorf("storage was sent %v", r.Header)
		}
	}
	if got := storage.Requests()[1].Header.Get("If-Range"); got != src.ETag {
		t.Errorf("If-Range %q was sent to storage", got)
	}
}

func TestRefusedRedirects(t *testing.T) {
	for to, want := range map[string]string{
		"/again":             "more than 10 redirects",
		"ftp://127.0.0.1/x":  `redirected to a URL of scheme "ftp"`,
		"file:///etc/passwd": `redirected to a URL of scheme "file"`,
	} {
		server := serve(t, src, repeated(redirect(to))...)
		opt, clock := options(t)
		_, err := Open(t.Context(), server.URL, opt)
		if err == nil || err.Error() != server.URL+": "+want || len(clock.Waits()) != 0 {
			t.Errorf("%s: waits %v, %v", to, clock.Waits(), err)
		}
	}
	ask := func(url string) *http.Request {
		r, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	tests := []struct {
		from, to string
		ok       bool
	}{{"https://a", "http://a", false}, {"https://a", "https://b", true}, {"http://a", "https://a", true}, {"http://a", "http://b", true}}
	for _, tt := range tests {
		if err := checkRedirect(ask(tt.to), []*http.Request{ask(tt.from)}); (err == nil) != tt.ok {
			t.Errorf("%s to %s: %v", tt.from, tt.to, err)
		}
	}
}

// The password in an address stays out of messages.
func TestMessagesHideThePassword(t *testing.T) {
	server := serve(t, src, status(404))
	opt, _ := options(t)
	_, err := Open(t.Context(), strings.Replace(server.URL, "http://", "http://user:secret@", 1), opt)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}
