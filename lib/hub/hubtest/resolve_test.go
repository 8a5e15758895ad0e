package hubtest_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

const resolved = "/datasets/me/demo/resolve/"

func TestResolveSendsObjectsToTheStorage(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	c := start(t, hubtest.WithClock(func() time.Time { return now }))
	shard := noise(5000)
	head := c.hub.Put(demo, "c#/a%20b +?.parquet", shard)
	for _, rev := range []string{"main", head, "refs%2Fheads%2Fmain"} {
		for _, method := range []string{"GET", "HEAD"} {
			got := c.want(302, nil, method, resolved+rev+"/c%23/a%2520b%20+%3F.parquet", nil)
			if got.header.Get("X-Linked-Size") != "5000" || got.header.Get("X-Linked-ETag") != `"`+sum(shard)+`"` || got.header.Get("X-Repo-Commit") != head {
				t.Errorf("%s %s: %v", method, rev, got.header)
			}
		}
	}
	location := c.want(302, nil, "GET", resolved+"main/c%23/a%2520b%20+%3F.parquet", nil).header.Get("Location")
	if !strings.HasPrefix(location, c.hub.StorageURL()+"/") {
		t.Fatalf("Location is %s", location)
	}
	part := c.want(206, nil, "GET", location, nil, "Range: bytes=10-19")
	if !bytes.Equal(part.body, shard[10:20]) || part.header.Get("Content-Range") != "bytes 10-19/5000" || part.header.Get("ETag") == `"`+sum(shard)+`"` {
		t.Errorf("range: %v %d bytes", part.header, len(part.body))
	}
	if whole := c.want(200, nil, "GET", location, nil); !bytes.Equal(whole.body, shard) {
		t.Errorf("%d bytes", len(whole.body))
	}
	c.want(416, nil, "GET", location, nil, "Range: bytes=5000-")
	c.want(400, nil, "GET", location, nil, "Authorization: Bearer x")

	rewritten, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	rewritten.RawQuery = rewritten.Query().Encode()
	c.want(403, nil, "GET", rewritten.String(), nil)
	for _, other := range []string{strings.Replace(location, "%7E", "~", 1), strings.Replace(location, "%3d", "%3D", 1), strings.Replace(location, "+", "%20", 1)} {
		if got := c.want(403, nil, "GET", other, nil); other == location || !strings.Contains(string(got.body), "SignatureDoesNotMatch") {
			t.Errorf("%s: %s", other, got.body)
		}
	}
	now = now.Add(time.Hour)
	if got := c.want(403, nil, "GET", location, nil); !strings.Contains(string(got.body), "Request has expired") {
		t.Errorf("expired: %s", got.body)
	}
	c.hub.Lose(sum(shard))
	c.want(404, nil, "GET", c.want(302, nil, "GET", resolved+"main/c%23/a%2520b%20+%3F.parquet", nil).header.Get("Location"), nil)
}

func TestResolveOfRegularFiles(t *testing.T) {
	c := start(t)
	text := []byte("kept by git")
	head := c.hub.Put(demo, "d/e f.txt", text)
	got := c.want(307, nil, "HEAD", resolved+"main/d/e%20f.txt", nil)
	location := got.header.Get("Location")
	oid := c.hub.Files(demo, "main")["d/e f.txt"].Oid
	if want := "/api/resolve-cache/datasets/me/demo/" + head + "/d%2Fe%20f.txt?etag=%22" + oid + "%22"; location != want {
		t.Errorf("Location is %s, want %s", location, want)
	}
	if got := c.want(206, nil, "GET", location, nil, "Range: bytes=5-6"); string(got.body) != "by" || got.header.Get("ETag") != `"`+oid+`"` {
		t.Errorf("%q %v", got.body, got.header)
	}
	c.want(400, nil, "GET", strings.TrimSuffix(location, "?etag=%22"+oid+"%22"), nil)
	c.hub.Set(func(s *hubtest.Settings) { s.Direct, s.ETag = true, hubtest.ETagWeak })
	if got := c.want(200, nil, "GET", resolved+"main/d/e%20f.txt", nil); !bytes.Equal(got.body, text) || got.header.Get("ETag") != `W/"`+oid+`"` {
		t.Errorf("direct: %q %v", got.body, got.header)
	}
	for target, code := range map[string]string{"main/nope": "EntryNotFound", "main/d": "EntryNotFound", "nobranch/d/e%20f.txt": "RevisionNotFound"} {
		if got := c.want(404, nil, "GET", resolved+target, nil); got.header.Get("X-Error-Code") != code {
			t.Errorf("%s: %v", target, got.header)
		}
	}
	got = c.want(404, nil, "GET", resolved+"main/nope", nil)
	if string(got.body) != "Entry not found" || got.header.Get("X-Repo-Commit") != head || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") {
		t.Errorf("%q %v", got.body, got.header)
	}
	c.want(404, nil, "GET", "/api/datasets/me/demo/xet-write-token/main", nil)
}

func TestRenamedReposRedirect(t *testing.T) {
	c := start(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.Renamed = map[string]string{"old/name": demo} }))
	c.hub.Put(demo, "a.txt", []byte("a"))
	for _, target := range []string{"/api/datasets/old/name/tree/main?recursive=true", "/datasets/old/name/resolve/main/a.txt", "/datasets/old/name.git/info/lfs/objects/batch"} {
		if got := c.want(307, nil, "POST", target, nil).header.Get("Location"); got != strings.Replace(target, "old/name", demo, 1) {
			t.Errorf("%s leads to %s", target, got)
		}
	}
	var page []entry
	c.want(200, &page, "GET", c.do("GET", "/api/datasets/old/name/tree/main", nil).header.Get("Location"), nil)
	if len(page) != 2 {
		t.Errorf("%v", page)
	}
}
