package hubtest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// withDownload has a hub with one object, and the URL of its bytes.
func withDownload(t *testing.T) (c client, content []byte, location string) {
	c = start(t)
	content = noise(4000)
	c.hub.Put(demo, "a.parquet", content)
	return c, content, c.want(302, nil, "GET", resolved+"main/a.parquet", nil).header.Get("Location")
}

func TestFaultsOnDownloads(t *testing.T) {
	c, content, location := withDownload(t)
	on := hubtest.Match{Route: hubtest.RouteDownload}
	ranged := "Range: bytes=1000-1999"
	fail := func(f hubtest.Fault) answer {
		t.Helper()
		f.On = on
		c.hub.Fail(f)
		got := c.do("GET", location, nil, ranged)
		if left := c.hub.Unused(); len(left) != 0 {
			t.Errorf("%s befell nothing", f.Do)
		}
		if after := c.want(206, nil, "GET", location, nil, ranged); !bytes.Equal(after.body, content[1000:2000]) {
			t.Errorf("%s is not over", f.Do)
		}
		return got
	}
	if got := fail(hubtest.Fault{Do: hubtest.Drop}); got.err == nil {
		t.Error("drop: there was an answer")
	}
	if got := fail(hubtest.Fault{Do: hubtest.CutBody, Bytes: 10}); got.status != 206 || got.err == nil || !bytes.Equal(got.body, content[1000:1010]) {
		t.Errorf("cut-body: %d %v, %d bytes", got.status, got.err, len(got.body))
	}
	if got := fail(hubtest.Fault{Do: hubtest.CutBody}); got.status != 206 || got.err == nil || len(got.body) != 0 {
		t.Errorf("cut-body at 0: %d %v, %d bytes", got.status, got.err, len(got.body))
	}
	if got := fail(hubtest.Fault{Do: hubtest.ShortBody, Bytes: 10}); got.err != nil || len(got.body) != 10 || got.header.Get("Content-Range") != "bytes 1000-1999/4000" {
		t.Errorf("short-body: %v, %d bytes, %v", got.err, len(got.body), got.header)
	}
	if got := fail(hubtest.Fault{Do: hubtest.FlipByte, Bytes: 10}); got.err != nil || len(got.body) != 1000 || got.body[10] != content[1010]^0xff || got.body[11] != content[1011] {
		t.Errorf("flip-byte: %v, %d bytes", got.err, len(got.body))
	}
	if got := fail(hubtest.Fault{Do: hubtest.IgnoreRange}); got.status != 200 || !bytes.Equal(got.body, content) {
		t.Errorf("ignore-range: %d, %d bytes", got.status, len(got.body))
	}
	if got := fail(hubtest.Fault{Do: hubtest.WrongTotal, Bytes: 177}); got.status != 416 || got.header.Get("Content-Range") != "bytes */177" {
		t.Errorf("wrong-total: %d %v", got.status, got.header)
	}
	got := fail(hubtest.Fault{Do: hubtest.GzipWhole})
	zipped, err := gzip.NewReader(bytes.NewReader(got.body))
	if err != nil || got.status != 200 || got.header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("gzip-whole: %d %v", got.status, err)
	}
	if whole, err := io.ReadAll(zipped); err != nil || !bytes.Equal(whole, content) {
		t.Errorf("gzip-whole: %d bytes, %v", len(whole), err)
	}
	got = fail(hubtest.Fault{Do: hubtest.Edit, Header: map[string]string{"Content-Range": "bytes 1000-1999/5000", "ETag": ""}})
	if got.header.Get("Content-Range") != "bytes 1000-1999/5000" || got.header.Get("ETag") != "" || len(got.body) != 1000 {
		t.Errorf("edit: %v", got.header)
	}
	if got := fail(hubtest.Fault{Do: hubtest.Edit, Header: map[string]string{"Content-Length": ""}}); got.header.Get("Content-Length") != "" || len(got.body) != 1000 {
		t.Errorf("edit of the length: %v", got.header)
	}
	if got := fail(hubtest.Fault{Status: 403, Body: "SignatureError"}); got.status != 403 || string(got.body) != "SignatureError" {
		t.Errorf("answer: %d %q", got.status, got.body)
	}
}

func TestStallsEndWithTheClient(t *testing.T) {
	c, content, location := withDownload(t)
	for _, do := range []hubtest.Effect{hubtest.Stall, hubtest.StallBody} {
		c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteDownload}, Do: do, Bytes: 100})
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, "GET", location, nil)
		if err != nil {
			t.Fatal(err)
		}
		if do == hubtest.Stall {
			timer := time.AfterFunc(20*time.Millisecond, cancel)
			if got := roundTrip(request); got.err == nil {
				t.Errorf("stall: %d", got.status)
			}
			timer.Stop()
			continue
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 100)
		if _, err := io.ReadFull(response.Body, first); err != nil || !bytes.Equal(first, content[:100]) {
			t.Errorf("stall-body: %v", err)
		}
		time.AfterFunc(20*time.Millisecond, cancel)
		if n, err := response.Body.Read(first); n != 0 || err == nil {
			t.Errorf("stall-body: %d bytes more, %v", n, err)
		}
		_ = response.Body.Close()
	}
}

func TestFaultsOnCommits(t *testing.T) {
	for name, test := range map[string]struct {
		fault   hubtest.Fault
		status  int // 0: no answer
		applied bool
	}{
		"locked":    {hubtest.CommitLocked(), 409, false},
		"moved":     {hubtest.CommitMoved(), 412, false},
		"tripped":   {hubtest.CommitTripped(), 403, false},
		"throttled": {hubtest.CommitThrottled(), 429, false},
		"pointer":   {hubtest.PointerLost(), 400, false},
		"lost":      {hubtest.CommitLost(), 0, true},
		"timed out": {hubtest.CommitTimedOut(), 504, true},
		"503":       {hubtest.Status(hubtest.RouteCommit, 503), 503, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t)
			c.hub.CreateRepo(demo, hubtest.RepoOptions{})
			c.hub.Fail(test.fault)
			send := func() answer {
				return c.do("POST", "/api/datasets/me/demo/commit/main", header("x")+"\n"+fileLine("a", nil), "Content-Type: application/x-ndjson")
			}
			got := send()
			if got.status != test.status || (got.err == nil) != (test.status != 0) {
				t.Errorf("status %d, error %v", got.status, got.err)
			}
			if got := got.header.Get("RateLimit"); (got == "") != (test.status == 0) {
				t.Errorf("RateLimit is %q", got)
			}
			if _, there := c.hub.Files(demo, "main")["a"]; there != test.applied {
				t.Errorf("applied: %t", there)
			}
			if got := send(); got.status != 200 {
				t.Errorf("again: %d", got.status)
			}
			if log := c.hub.Requests(hubtest.RouteCommit); len(log) != 2 || log[0].Fault == "" || log[0].Status != test.status || log[1].Fault != "" {
				t.Errorf("record: %+v", log)
			}
		})
	}
}

func TestFaultsOnUploads(t *testing.T) {
	c := start(t)
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	content := noise(3000)
	put := func() answer { return c.do("PUT", c.batch(content).Objects[0].Actions["upload"].Href, content) }

	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RoutePutObject}, Do: hubtest.CutUpload, Bytes: 100})
	if got := put(); got.err == nil {
		t.Errorf("cut-upload: %d", got.status)
	}
	c.hub.Fail(hubtest.Expired(hubtest.RoutePutObject))
	if got := put(); got.status != 403 || !strings.Contains(string(got.body), "Request has expired") {
		t.Errorf("expired: %d %s", got.status, got.body)
	}
	c.hub.Fail(hubtest.UploadTimedOut(hubtest.RoutePutObject))
	if got := put(); got.status != 400 || !strings.Contains(string(got.body), "<Code>RequestTimeout</Code>") {
		t.Errorf("timed out: %d %s", got.status, got.body)
	}
	if len(c.hub.Objects()) != 0 {
		t.Error("something was kept")
	}
	c.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RoutePutObject}, Do: hubtest.TruncateUpload, Bytes: 10})
	if got := put(); got.status != 200 || c.hub.Objects()[sum(content)] != 10 {
		t.Errorf("truncate-upload: %d, %v", got.status, c.hub.Objects())
	}
	c.want(422, nil, "POST", "/datasets/me/demo.git/info/lfs/objects/verify", map[string]any{"oid": sum(content), "size": 3000})
	c.commit(200, "main", header("x"), lfsLine("a.parquet", content))
	if got := c.do("HEAD", resolved+"main/a.parquet", nil); got.header.Get("X-Linked-Size") != "10" {
		t.Errorf("X-Linked-Size of what was truncated: %v", got.header)
	}
}

func TestWhichRequestsAFaultBefalls(t *testing.T) {
	c := start(t)
	c.hub.PutFiles(demo, map[string][]byte{"a.txt": nil, "b.txt": nil})
	statuses := func(target string, n int) (all string) {
		for range n {
			got := c.do("GET", resolved+target, nil)
			all += map[int]string{307: ".", 503: "x", 429: "t"}[got.status]
		}
		return all
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
		c.hub.Heal()
	}
	fault := hubtest.Status(hubtest.RouteResolve, 503)
	c.hub.Fail(fault)
	check("once", statuses("main/a.txt", 3), "x..")
	c.hub.Fail(fault.After(1).Times(2))
	check("after one, twice", statuses("main/a.txt", 5), ".xx..")
	c.hub.Fail(fault.Times(hubtest.Always))
	check("always", statuses("main/a.txt", 3), "xxx")
	c.hub.Fail(fault)
	c.hub.Fail(hubtest.Throttled(hubtest.RouteResolve, 3))
	check("one after the other", statuses("main/a.txt", 3), "xt.")
	fault.On.URL = "b.txt"
	c.hub.Fail(fault)
	check("another URL", statuses("main/a.txt", 2)+statuses("main/b.txt", 2), "..x.")
	fault.On = hubtest.Match{Route: hubtest.RouteResolve, Chance: 0.5, Times: hubtest.Always}
	c.hub.Fail(fault)
	if got := statuses("main/a.txt", 50); strings.Count(got, "x") < 10 || strings.Count(got, ".") < 10 {
		t.Errorf("by chance: %s", got)
	}
	c.hub.Heal()

	c.hub.Fail(hubtest.StaleEdge())
	if left := c.hub.Unused(); len(left) != 1 || left[0].Do != hubtest.WrongTotal {
		t.Errorf("unused: %+v", left)
	}
	for _, bad := range []hubtest.Fault{{Do: "explode"}, {Do: hubtest.Answer}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is taken", bad)
				}
			}()
			c.hub.Fail(bad)
		}()
	}
}

func TestHooksAndLatencyComeFirst(t *testing.T) {
	c := start(t, hubtest.WithSettings(func(s *hubtest.Settings) { s.Latency = 5 * time.Millisecond }))
	c.hub.Put(demo, "a.txt", nil)
	began := time.Now()
	c.hub.Before(hubtest.RouteTree, func() { c.hub.Put(demo, "pushed.txt", nil) })
	var page []entry
	c.want(200, &page, "GET", "/api/datasets/me/demo/tree/main", nil)
	if len(page) != 3 || time.Since(began) < 5*time.Millisecond {
		t.Errorf("%q after %v", paths(page), time.Since(began))
	}
}
