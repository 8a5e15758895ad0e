package hubtest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

const demo = "me/demo"

// client speaks the protocol by hand, one request at a time.
type client struct {
	t     *testing.T
	hub   *hubtest.Hub
	token string
}

type answer struct {
	status int
	header http.Header
	body   []byte
	err    error // of the connection, or of the body
}

func start(t *testing.T, options ...hubtest.Option) client {
	hub := hubtest.Start(t, options...)
	return client{t, hub, hub.Token()}
}

// do sends a request; a target that begins with a slash is the hub's. headers are "Name: value".
func (c client) do(method, target string, body any, headers ...string) answer {
	c.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		reader = bytes.NewReader(b)
	case string:
		reader = strings.NewReader(b)
	case io.Reader:
		reader = b
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		reader = bytes.NewReader(text)
		headers = append([]string{"Content-Type: application/json"}, headers...)
	}
	own := strings.HasPrefix(target, "/")
	if own {
		target = c.hub.Endpoint() + target
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, target, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	if own && c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	return roundTrip(request)
}

func roundTrip(request *http.Request) answer {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, body, err}
}

// want is do for a request whose status must be the one given; into reads the JSON of the answer.
func (c client) want(status int, into any, method, target string, body any, headers ...string) answer {
	c.t.Helper()
	got := c.do(method, target, body, headers...)
	if got.err != nil || got.status != status {
		c.t.Fatalf("%s %s: status %d, error %v, want %d: %s", method, target, got.status, got.err, status, got.body)
	}
	if into != nil {
		if err := json.Unmarshal(got.body, into); err != nil {
			c.t.Fatalf("%s %s: %v: %s", method, target, err, got.body)
		}
	}
	return got
}

type object struct {
	Oid     string
	Size    int64
	Actions map[string]struct {
		Href   string
		Header map[string]string
	}
	Error *struct {
		Code    int
		Message string
	}
}

type batchAnswer struct {
	Transfer string
	Objects  []object
}

func (c client) batch(contents ...[]byte) batchAnswer {
	c.t.Helper()
	var objects []map[string]any
	for _, content := range contents {
		objects = append(objects, map[string]any{"oid": sum(content), "size": len(content)})
	}
	var got batchAnswer
	c.want(200, &got, "POST", "/datasets/"+demo+".git/info/lfs/objects/batch", map[string]any{
		"operation": "upload", "transfers": []string{"basic", "multipart"}, "hash_algo": "sha256",
		"ref": map[string]string{"name": "main"}, "objects": objects}, "Content-Type: application/vnd.git-lfs+json")
	return got
}

// upload has the store take the content in one piece.
func (c client) upload(content []byte) {
	c.t.Helper()
	c.want(200, nil, "PUT", c.batch(content).Objects[0].Actions["upload"].Href, content)
}

func line(key string, value map[string]any) string {
	text, _ := json.Marshal(map[string]any{"key": key, "value": value})
	return string(text)
}

func header(summary string) string { return line("header", map[string]any{"summary": summary}) }

func fileLine(path string, content []byte) string {
	return line("file", map[string]any{"path": path, "content": base64.StdEncoding.EncodeToString(content), "encoding": "base64"})
}

func lfsLine(path string, content []byte) string {
	return line("lfsFile", map[string]any{"path": path, "algo": "sha256", "oid": sum(content), "size": len(content)})
}

func (c client) commit(status int, rev string, l ...string) answer {
	c.t.Helper()
	return c.want(status, nil, "POST", "/api/datasets/"+demo+"/commit/"+rev, strings.Join(l, "\n"), "Content-Type: application/x-ndjson")
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

func TestRecreatesTheRecordedSequence(t *testing.T) {
	c := start(t)
	c.want(200, nil, "POST", "/api/repos/create", map[string]any{"name": "demo", "organization": "me", "type": "dataset"})
	c.want(409, nil, "POST", "/api/repos/create", map[string]any{"name": "demo", "organization": nil, "type": "dataset"})
	card, shard := []byte("---\nlicense: mit\n---\n"), []byte("PAR1 not really PAR1")

	preupload := func() (got struct{ Files []map[string]any }) {
		c.want(200, &got, "POST", "/api/datasets/me/demo/preupload/main", map[string]any{"files": []map[string]any{
			{"path": "README.md", "size": len(card), "sample": base64.StdEncoding.EncodeToString(card)},
			{"path": "data/a.parquet", "size": len(shard), "sample": base64.StdEncoding.EncodeToString(shard)}}})
		return got
	}
	before := preupload().Files
	if before[0]["uploadMode"] != "regular" || before[1]["uploadMode"] != "lfs" || before[0]["oid"] != nil {
		t.Errorf("preupload of new files: %v", before)
	}
	c.upload(shard)
	if again := c.batch(shard); again.Transfer != "basic" || again.Objects[0].Actions != nil {
		t.Errorf("batch of what is there: %+v", again)
	}
	c.want(200, nil, "POST", "/datasets/me/demo.git/info/lfs/objects/verify", map[string]any{"oid": sum(shard), "size": len(shard)})
	c.want(422, nil, "POST", "/datasets/me/demo.git/info/lfs/objects/verify", map[string]any{"oid": sum(shard), "size": 1})
	c.commit(200, "main", header("add"), "", fileLine("README.md", card), lfsLine("data/a.parquet", shard)+"\n")

	after := preupload().Files
	files := c.hub.Files(demo, "main")
	if after[0]["oid"] != files["README.md"].Oid || after[1]["oid"] != sum(shard) {
		t.Errorf("preupload of files that are there: %v", after)
	}
	if content, err := c.hub.Content(demo, "main", "data/a.parquet"); !bytes.Equal(content, shard) {
		t.Errorf("data/a.parquet is %q, error %v", content, err)
	}
	for _, r := range c.hub.Requests() {
		if r.Origin == "hub" && r.Status == 0 {
			t.Errorf("%s %s was not answered", r.Method, r.URL)
		}
	}
	if c.hub.TokenLeaked() {
		t.Error("the token leaked")
	}
}

func TestEveryHubAnswerHasItsHeaders(t *testing.T) {
	c := start(t)
	c.hub.Put(demo, "a.txt", []byte("a"))
	for _, target := range []string{"/api/whoami-v2", "/api/datasets/me/demo", "/api/datasets/me/none", "/datasets/me/demo/resolve/main/a.txt", "/nothing"} {
		got := c.do("GET", target, nil)
		for _, name := range []string{"X-Request-Id", "RateLimit", "RateLimit-Policy"} {
			if got.header.Get(name) == "" {
				t.Errorf("GET %s: no %s", target, name)
			}
		}
	}
	if got := c.do("GET", "/datasets/me/demo/resolve/main/a.txt", nil).header.Get("RateLimit"); !strings.HasPrefix(got, `"resolvers";`) {
		t.Errorf("resolve counts as %s", got)
	}
}

func TestFortyThousandFilesAreQuick(t *testing.T) {
	c := start(t)
	files := map[string][]byte{}
	for i := range 40_000 {
		files[fmt.Sprintf("data/%04d/%02d/%d.parquet", 2016+i%10, 1+i%12, i)] = fmt.Appendf(nil, "shard %d", i)
	}
	c.hub.PutFiles(demo, files)
	c.hub.Put(demo, "one/more.txt", []byte("x"))
	seen, target := map[string]bool{}, "/api/datasets/me/demo/tree/main?recursive=true"
	for target != "" {
		var page []struct{ Type, Path string }
		got := c.want(200, &page, "GET", target, nil)
		for _, e := range page {
			if e.Type == "file" {
				seen[e.Path] = true
			}
		}
		target = next(got)
	}
	if len(seen) != 40_002 || len(c.hub.Requests(hubtest.RouteTree)) != 41 {
		t.Errorf("%d files in %d pages", len(seen), len(c.hub.Requests(hubtest.RouteTree)))
	}
}

// next is the URL of a Link header that has nothing else in it, "" without one.
func next(a answer) string {
	target, _, _ := strings.Cut(strings.TrimPrefix(a.header.Get("Link"), "<"), ">")
	return target
}
