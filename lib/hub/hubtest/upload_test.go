package hubtest_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

func noise(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(content)
	return content
}

// small parts, so that tests of multipart uploads need no megabytes
func small(s *hubtest.Settings) { s.MultipartFrom, s.PartSize = 1001, 1000 }

type partETag struct {
	PartNumber int    `json:"partNumber"`
	ETag       string `json:"etag"`
}

// putParts uploads the parts of an object in the reverse order and returns their ETags in the right one.
func (c client) putParts(o object, content []byte) []partETag {
	c.t.Helper()
	header := o.Actions["upload"].Header
	var etags []partETag
	for i := (len(content) - 1) / 1000; i >= 0; i-- {
		href := header["0000"+string(rune('1'+i))]
		got := c.want(200, nil, "PUT", href, content[i*1000:min(len(content), i*1000+1000)])
		etags = append(etags, partETag{i + 1, got.header.Get("ETag")})
	}
	slices.Reverse(etags)
	return etags
}

func testMultipart(t *testing.T, keeps bool, options ...hubtest.Option) {
	c := start(t, append(options, hubtest.WithSettings(small))...)
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	content, single := noise(2500), noise(700)
	got := c.batch(content, single)
	if got.Transfer != "multipart" || len(got.Objects[0].Actions["upload"].Header) != 4 || got.Objects[1].Actions["upload"].Header["chunk_size"] != "" {
		t.Fatalf("batch: %+v", got)
	}
	c.want(200, nil, "PUT", got.Objects[1].Actions["upload"].Href, single)
	o := got.Objects[0]
	c.want(400, nil, "PUT", o.Actions["upload"].Header["00003"], content[:1000])
	etags := c.putParts(o, content)
	href := o.Actions["upload"].Href
	body := func(parts []partETag) map[string]any { return map[string]any{"oid": o.Oid, "parts": parts} }
	c.want(400, nil, "POST", href, body(etags[:2]))
	c.want(400, nil, "POST", href, body([]partETag{etags[1], etags[0], etags[2]}))
	c.want(400, nil, "POST", href, body([]partETag{etags[0], etags[1], {3, strings.Trim(etags[2].ETag, `"`)}}))
	c.want(403, nil, "POST", strings.Replace(href, "%2F", "/", 1), body(etags))
	c.want(200, nil, "POST", href, body(etags))
	c.want(404, nil, "POST", href, body(etags))
	c.commit(200, "main", header("both"), lfsLine("a.parquet", content), lfsLine("b.parquet", single))
	if objects := c.hub.Objects(); objects[o.Oid] != 2500 || len(objects) != 2 {
		t.Errorf("objects: %v", objects)
	}
	for path, want := range map[string][]byte{"a.parquet": content, "b.parquet": single} {
		if read, err := c.hub.Content(demo, "main", path); keeps != (err == nil && bytes.Equal(read, want)) {
			t.Errorf("%s: %d bytes, error %v", path, len(read), err)
		}
	}
	if got := c.hub.StorageBytes(); got < 3200 {
		t.Errorf("the storage read %d bytes", got)
	}
}

func TestMultipartInMemory(t *testing.T) { testMultipart(t, true) }

func TestMultipartInAFolder(t *testing.T) {
	dir := t.TempDir()
	testMultipart(t, true, hubtest.KeepIn(dir))
	kept, err := os.ReadDir(dir)
	if err != nil || len(kept) != 4 {
		t.Errorf("%d files are kept for four pieces, error %v", len(kept), err)
	}
}

func TestMultipartDiscarded(t *testing.T) { testMultipart(t, false, hubtest.Discard()) }

func TestPartsMustHaveTheBytes(t *testing.T) {
	c := start(t, hubtest.WithSettings(small))
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	content := noise(2500)
	o := c.batch(content).Objects[0]
	other := bytes.Clone(content)
	other[1234] ^= 1
	etags := c.putParts(o, other)
	c.want(400, nil, "POST", o.Actions["upload"].Href, map[string]any{"oid": o.Oid, "parts": etags})
	if len(c.hub.Objects()) != 0 {
		t.Error("the store has it all the same")
	}
}

func TestStorageRefusals(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	c := start(t, hubtest.WithClock(func() time.Time { return now }))
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	content := noise(500)
	href := c.batch(content).Objects[0].Actions["upload"].Href
	empty := c.batch(nil).Objects[0].Actions["upload"].Href
	for _, test := range []struct {
		name, href string
		body       any
		header     string
		status     int
		code       string
	}{
		{"token", href, content, "Authorization: Bearer x", 400, "InvalidArgument"},
		{"chunked", href, io.LimitReader(bytes.NewReader(content), 500), "A: b", 501, "NotImplemented"},
		{"empty", empty, http.NoBody, "A: b", 501, "NotImplemented"},
		{"short", href, content[:499], "A: b", 400, "EntityTooSmall"},
		{"other bytes", href, noise(501)[:500], "A: b", 400, "BadDigest"},
		{"escape undone", strings.Replace(href, "%2F", "/", 1), content, "A: b", 403, "SignatureDoesNotMatch"},
		{"not signed", c.hub.StorageURL() + "/lfs/" + sum(content), content, "A: b", 403, "SignatureDoesNotMatch"},
		{"elsewhere", c.hub.StorageURL() + "/api/datasets/me/demo", content, "A: b", 403, "AccessDenied"},
	} {
		got := c.want(test.status, nil, "PUT", test.href, test.body, test.header)
		if !strings.Contains(string(got.body), "<Code>"+test.code+"</Code>") {
			t.Errorf("%s: %s", test.name, got.body)
		}
	}
	if !c.hub.TokenLeaked() {
		t.Error("the token came to the storage, and nobody saw it")
	}
	now = now.Add(15 * time.Minute)
	if got := c.want(403, nil, "PUT", href, content); !strings.Contains(string(got.body), "Request has expired") {
		t.Errorf("expired: %s", got.body)
	}
}

func TestPreuploadRules(t *testing.T) {
	c := start(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.Ignore, s.Oid = []string{"*.tmp"}, hubtest.OidNull }))
	c.hub.Put(demo, "there.txt", []byte("there"))
	type mode struct {
		Path, UploadMode string
		ShouldIgnore     bool
		Oid              *string
	}
	ask := func(body map[string]any) map[string]mode {
		var got struct{ Files []mode }
		c.want(200, &got, "POST", "/api/datasets/me/demo/preupload/main", body)
		all := map[string]mode{}
		for _, m := range got.Files {
			all[m.Path] = m
		}
		return all
	}
	file := func(path string, size int, sample string) map[string]any {
		return map[string]any{"path": path, "size": size, "sample": sample}
	}
	files := []any{file("a.tmp", 1, "YQ=="), file("d/a.parquet", 0, ""), file("big.txt", 10<<20, "YQ=="), file("nul", 3, "YQAA"), file("there.txt", 5, "")}
	got := ask(map[string]any{"files": files})
	if !got["a.tmp"].ShouldIgnore || got["there.txt"].Oid == nil || got["nul"].Oid != nil {
		t.Errorf("%+v", got)
	}
	for path, want := range map[string]string{"a.tmp": "regular", "d/a.parquet": "lfs", "big.txt": "lfs", "nul": "lfs", "there.txt": "regular"} {
		if got[path].UploadMode != want {
			t.Errorf("%s is %s", path, got[path].UploadMode)
		}
	}
	got = ask(map[string]any{"files": files, "gitAttributes": "*.tmp filter=lfs -text\n", "gitIgnore": "d/*\n"})
	if got["a.tmp"].UploadMode != "lfs" || got["d/a.parquet"].UploadMode != "regular" || !got["d/a.parquet"].ShouldIgnore {
		t.Errorf("with its own attributes: %+v", got)
	}
	c.want(413, nil, "POST", "/api/datasets/me/demo/preupload/main", map[string]any{"files": make([]map[string]any, 257)})
	c.want(400, nil, "POST", "/api/datasets/me/demo/preupload/main", map[string]any{"files": []any{file("a", 1, "YWE=")}})
	c.want(404, nil, "POST", "/api/datasets/me/demo/preupload/nobranch", map[string]any{"files": files})
}

func TestBatchForms(t *testing.T) {
	c := start(t, hubtest.WithSettings(small), hubtest.WithSettings(func(s *hubtest.Settings) {
		s.NoTransfer, s.NoVerify, s.ScatterParts = true, true, true
	}))
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteBatch}, Do: hubtest.ObjectError, Object: sum(noise(2)), Status: 422, Message: "no"})
	got := c.batch(noise(1), noise(2), noise(5500))
	if _, verify := got.Objects[0].Actions["verify"]; got.Transfer != "" || verify {
		t.Errorf("%+v", got)
	}
	if got.Objects[0].Error != nil || got.Objects[1].Error.Code != 422 || got.Objects[1].Actions != nil {
		t.Errorf("%+v", got.Objects)
	}
	requests := c.hub.Requests(hubtest.RouteBatch)
	if body := requests[0].Body; !strings.Contains(body, `"operation":"upload"`) || requests[0].Header.Get("Authorization") != "" || !requests[0].Authorization {
		t.Errorf("recorded: %+v", requests[0])
	}
	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteBatch}, Do: hubtest.ClaimPresent})
	if got := c.batch(noise(1)).Objects[0]; got.Actions != nil || got.Error != nil {
		t.Errorf("claimed present: %+v", got)
	}
	if got := c.batch(noise(1)).Objects[0]; got.Actions == nil {
		t.Errorf("the claim is made once: %+v", got)
	}

	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteBatch}, Do: hubtest.LosePart})
	if got := c.batch(noise(5500)).Objects[0].Actions["upload"].Header; len(got) != 6 || got["00005"] == "" || got["00006"] != "" {
		t.Errorf("lose-part: %v", got)
	}
	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteBatch}, Do: hubtest.Omit, Object: sum(noise(2))})
	if got := c.batch(noise(1), noise(2), noise(3)).Objects; len(got) != 2 || got[1].Oid != sum(noise(3)) {
		t.Errorf("omit: %+v", got)
	}
	var modes struct{ Files []struct{ Path string } }
	c.hub.Set(func(s *hubtest.Settings) { s.Shuffle = true })
	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RoutePreupload}, Do: hubtest.Omit, Object: "b"})
	c.want(200, &modes, "POST", "/api/datasets/me/demo/preupload/main", map[string]any{"files": []any{
		map[string]any{"path": "a"}, map[string]any{"path": "b"}, map[string]any{"path": "c"}, map[string]any{"path": "d"}}})
	if order := fmt.Sprint(modes.Files); len(modes.Files) != 3 || order == "[{a} {c} {d}]" || strings.Contains(order, "{b}") {
		t.Errorf("preupload, shuffled, without b: %s", order)
	}
}
