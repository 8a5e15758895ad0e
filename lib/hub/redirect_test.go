package hub

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestRedirects(t *testing.T) {
	hub, store := "https://huggingface.co/api/x", "https://store.example.org/x"
	for _, test := range []struct {
		method, from, location string
		status                 int
		writes                 bool
		want                   string
	}{
		{"GET", hub, "/api/resolve-cache/a%2Fb?etag=%22x%22", 307, false, "https://huggingface.co/api/resolve-cache/a%2Fb?etag=%22x%22"},
		{"GET", hub, "https://cdn.example.org/a%7Eb+c?Signature=a~b%2B", 302, false, "https://cdn.example.org/a%7Eb+c?Signature=a~b%2B"},
		{"POST", hub, "/api/y", 307, true, "https://huggingface.co/api/y"},
		{"POST", hub, "/api/y", 302, true, "a POST was redirected by 302, which loses what it sends"},
		{"POST", hub, "https://elsewhere.example.org/y", 308, true, "redirected to elsewhere.example.org, which is not the hub: set HF_ENDPOINT to it if it is to be trusted"},
		{"POST", hub, "https://elsewhere.example.org/y", 308, false, "https://elsewhere.example.org/y"},
		{"PUT", store, "https://eu.store.example.org/x", 307, false, "https://eu.store.example.org/x"},
		{"GET", hub, "http://huggingface.co/y", 301, false, "redirected from https to http"},
		{"GET", hub, "file:///etc/passwd", 302, false, `redirected to a URL of scheme "file"`},
		{"GET", hub, "https://[x", 302, false, "redirected to an address that is no URL"},
	} {
		from, err := url.Parse(test.from)
		if err != nil {
			t.Fatal(err)
		}
		c := &client{login: testLogin(t, "")}
		resp := &http.Response{StatusCode: test.status, Header: http.Header{"Location": {test.location}}}
		to, err := c.redirect(request{method: test.method, url: from, writes: test.writes}, resp)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = to.String()
		}
		if got != test.want {
			t.Errorf("%s %s to %s: %s, want %s", test.method, test.from, test.location, got, test.want)
		}
	}
}

func TestRedirectsInACircleEnd(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	repo, err := Dial("me/demo", Options{Getenv: func(key string) string { return map[string]string{"HF_ENDPOINT": server.URL}[key] }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Head(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") || requests != 6 {
		t.Errorf("%d requests, %v", requests, err)
	}
}
