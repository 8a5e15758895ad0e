package hubtest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// Whatever is asked, there is an answer with a request id, and a commit that is
// refused changes nothing.
func FuzzEveryRequestIsAnswered(f *testing.F) {
	commit := header("x") + "\n" + fileLine("d/a.txt", []byte("a")) + "\n" + line("deletedFolder", map[string]any{"path": "d/"})
	for _, seed := range [][3]string{
		{"POST", "/api/datasets/me/demo/commit/main", commit},
		{"POST", "/api/datasets/me/demo/commit/refs%2Fpr%2F1?create_pr=1", commit},
		{"POST", "/api/datasets/me/demo/preupload/main", `{"files":[{"path":"a","size":1,"sample":"YQ=="}],"gitIgnore":"[a"}`},
		{"POST", "/datasets/me/demo.git/info/lfs/objects/batch", `{"operation":"upload","objects":[{"oid":"` + sum(nil) + `","size":20000000}]}`},
		{"POST", "/api/datasets/me/demo/paths-info/main", `{"paths":["/","d/","d/a.txt/x",""]}`},
		{"GET", "/api/datasets/me/demo/tree/main/d%2F?cursor=Wg==&limit=-1", ""},
		{"GET", "/api/datasets/me/demo/commits/main?p=-1&limit=9999999", ""},
		{"GET", "/datasets/me/demo/resolve/main/d/a.txt", ""},
		{"POST", "/api/complete_multipart?uploadId=x&signature=y", `{"oid":"","parts":[]}`},
		{"POST", "/api/repos/create", `{"name":"//","type":"dataset"}`},
		{"POST", "/api/validate-yaml", `{"content":"---\n---"}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, method, target, body string) {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://hub"+target, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(target, "/") {
			return
		}
		request.RequestURI = target
		h := hubtest.New()
		h.Put(demo, "d/a.txt", []byte("a"))
		head := h.Head(demo, "main")
		request.Header.Set("Authorization", "Bearer "+h.Token())
		request.Header.Set("Content-Type", "application/x-ndjson")
		w := httptest.NewRecorder()
		h.HubHandler().ServeHTTP(w, request)
		if w.Code < 200 || w.Code >= 500 || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		if w.Code >= 300 && h.Head(demo, "main") != head {
			t.Errorf("%s %s: refused with %d, and main moved", method, target, w.Code)
		}
	})
}
