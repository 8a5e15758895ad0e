package hub_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/hub/hubtest"
)

func TestReportsOfListing(t *testing.T) {
	data := files{"a.txt": "1", "b/c.txt": "2", "b/d.txt": "3", "e.txt": "4", "f.txt": "5"}
	want := []string{"a.txt", "b/c.txt", "b/d.txt", "e.txt", "f.txt"}
	for name, form := range map[string]hubtest.LinkForm{
		"opendal 6832 a tree of several pages":             hubtest.LinkAbsolute,
		"hf-mirror-site 65 the next page is of the origin": hubtest.LinkForeign,
		"huggingface.js the next page is relative":         hubtest.LinkRelative,
		"several relations":                                hubtest.LinkSeveral,
	} {
		t.Run(name, func(t *testing.T) {
			w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.PageSize, s.NextLink = 2, form }))
			w.put(data)
			w.hub.Forget()
			if got := w.list(""); !slices.Equal(got, want) {
				t.Errorf("listed %q", got)
			}
			if n := w.count(hubtest.RouteTree); n != 4 || len(w.hub.StorageRequests()) > 0 {
				t.Errorf("%d pages, %d requests to the storage", n, len(w.hub.StorageRequests()))
			}
			w.sound()
		})
	}
	t.Run("the next page is the same for ever", func(t *testing.T) {
		w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.PageSize, s.NextLink = 2, hubtest.LinkRepeated }))
		w.put(data)
		w.fails(listError(w, ""), nil, "me/demo: list", "in a circle", "not whole")
	})
	t.Run("hflow 296 a page that fails", func(t *testing.T) {
		w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.PageSize = 2 }))
		w.put(data)
		for _, f := range []hubtest.Fault{on(hubtest.RouteTree, hubtest.Answer, 503, ""), on(hubtest.RouteTree, hubtest.CutBody, 0, "").After(2)} {
			w.hub.Fail(f)
		}
		if got := w.list(""); !slices.Equal(got, want) {
			t.Errorf("listed %q", got)
		}
		w.sound()
		w.hub.Fail(on(hubtest.RouteTree, hubtest.Answer, 404, "Entry not found").After(2).Times(hubtest.Always))
		w.fails(listError(w, ""), nil, "Entry not found")
	})
	t.Run("a folder that is named and then not there", func(t *testing.T) {
		w := newServed(t)
		w.put(files{"long/x.txt": "1", "loud.txt": "2"})
		if got := w.list("lo"); !slices.Equal(got, []string{"long/x.txt", "loud.txt"}) {
			t.Errorf("listed %q", got)
		}
		gone := on(hubtest.RouteTree, hubtest.Answer, 404, "Entry not found").After(2)
		gone.Code = "EntryNotFound"
		w.hub.Fail(gone)
		w.fails(listError(w, "lo"), nil, "me/demo: list long", "not whole")
	})
	t.Run("a push while it is listed", func(t *testing.T) {
		w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.PageSize = 2 }))
		w.put(data)
		w.hub.Before(hubtest.RouteTree, func() { w.hub.Put("me/demo", fmt.Sprint("z", w.count(hubtest.RouteTree)), []byte("z")) })
		if got := w.list(""); !slices.Equal(got, want) {
			t.Errorf("listed %q", got)
		}
	})
	t.Run("2411 a revision with slashes, and names that need escaping", func(t *testing.T) {
		w := newServed(t)
		odd := files{"c#/a%20b +?.parquet": parquet(1, 50), "ü/é&=.txt": "x", "a b/~%7E;,.txt": "y"}
		if _, err := w.Commit(t.Context(), hub.Change{Adds: odd.adds(), PullRequest: true}); err != nil {
			t.Fatal(err)
		}
		w.Repo = w.dial("me/demo@refs/pr/1", w.hub.Token(), hub.Options{})
		if got := w.list(""); len(got) != len(odd) {
			t.Errorf("listed %q", got)
		}
		if got := w.list("c#/"); !slices.Equal(got, []string{"c#/a%20b +?.parquet"}) {
			t.Errorf("listed %q", got)
		}
		for path, content := range odd {
			if got, err := w.read(path); got != content || err != nil {
				t.Errorf("%s: read %q, %v", path, got, err)
			}
		}
		if _, err := w.Commit(t.Context(), hub.Change{Adds: files{"more.parquet": parquet(9, 30)}.adds()}); err != nil {
			t.Errorf("a commit to the pull request: %v", err)
		}
		w.holds(files{}, 0)
	})
}

// listError is how a listing ends.
func listError(w *served, prefix string) (err error) {
	for _, err = range w.List(w.t.Context(), "", prefix) {
	}
	return err
}

func TestReportsOfReading(t *testing.T) {
	const path = "a.parquet"
	data := files{path: parquet(5, 4000), "README.md": "# demo\n"}
	for name, fault := range map[string]hubtest.Fault{
		"datasets 7685 a 416 about another size":        {On: hubtest.Match{Route: hubtest.RouteDownload}, Do: hubtest.WrongTotal, Bytes: 177},
		"datasets 8328 a signed URL is refused at once": xml(hubtest.RouteDownload, 403, "SignatureError", "invalid key pair id"),
		"4359 a 408":                    on(hubtest.RouteDownload, hubtest.Answer, 408, ""),
		"a body that is cut":            {On: hubtest.Match{Route: hubtest.RouteDownload}, Do: hubtest.CutBody, Bytes: 1000},
		"a 503 of the hub":              on(hubtest.RouteResolve, hubtest.Answer, 503, ""),
		"parquet-tools 536 no HEAD":     on(hubtest.RouteResolve, hubtest.Slow, 0, ""),
		"3778 the range is ignored":     {On: hubtest.Match{Route: hubtest.RouteDownload}, Do: hubtest.IgnoreRange},
		"dragonfly 4710 a relative 307": {On: hubtest.Match{Route: hubtest.RouteResolve}, Do: hubtest.Slow},
	} {
		t.Run(name, func(t *testing.T) {
			w := newServed(t)
			w.put(data)
			w.hub.Forget()
			w.hub.Fail(fault)
			for path, content := range data {
				if got, err := w.read(path); got != content || err != nil {
					t.Errorf("%s: read %d bytes, %v", path, len(got), err)
				}
			}
			for _, r := range w.hub.Requests() {
				if r.Method == http.MethodHead {
					t.Error("a HEAD, which proxies answer otherwise than a GET")
				}
			}
			w.sound()
		})
	}
	t.Run("hub 4739 a mirror sends readers to the hub itself", func(t *testing.T) {
		w := newServed(t)
		w.put(data)
		mirror := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, w.hub.Endpoint()+r.URL.RequestURI(), http.StatusPermanentRedirect)
		}))
		defer mirror.Close()
		repo, err := hub.Dial("me/demo", hub.Options{Getenv: func(key string) string {
			return map[string]string{"HF_ENDPOINT": mirror.URL, "HF_TOKEN": "hf_of_the_mirror"}[key]
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.hub.Forget()
		w.Repo = repo
		if got := w.list(""); len(got) != 2 {
			t.Errorf("listed %q", got)
		}
		if got, err := w.read(path); got != data[path] || err != nil {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
		_, err = repo.Commit(t.Context(), hub.Change{Adds: files{"x": "x"}.adds()})
		w.fails(err, nil, "is not the hub: set HF_ENDPOINT")
		for _, r := range w.hub.Requests() {
			if r.Authorization {
				t.Errorf("the mirror's token went on to %s", r.URL)
			}
		}
	})
	t.Run("a repository that was renamed", func(t *testing.T) {
		w := newServed(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.Renamed = map[string]string{"me/old": "me/demo"} }))
		w.Repo = w.dial("me/old", w.hub.Token(), hub.Options{})
		w.put(data)
		w.holds(data, 1)
		if got := w.list(""); len(got) != 2 {
			t.Errorf("listed %q", got)
		}
		if got, err := w.read(path); got != data[path] || err != nil {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
		w.sound()
	})
}
