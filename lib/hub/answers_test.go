package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"
)

func testLogin(t testing.TB, endpoint string) *Login {
	t.Helper()
	login, err := FindLogin(func(key string) string {
		return map[string]string{"HF_ENDPOINT": endpoint, "HF_TOKEN": "hf_secret"}[key]
	})
	if err != nil {
		t.Fatal(err)
	}
	return login
}

func TestErrorBodies(t *testing.T) {
	for _, test := range []struct{ contentType, body, want string }{
		{"application/json", `{"error":"Repository not found"}`, "Repository not found"},
		{"application/json", `{"error":["a","b"]}`, "a: b"},
		{"application/json", `{"errors":[{"message":"first"},{"message":"second"}]}`, "first: second"},
		{"application/json", `{"error":"invalid_grant","error_description":"The token is old"}`, "invalid_grant: The token is old"},
		{"application/vnd.git-lfs+json", `{"message":"no such object"}`, "no such object"},
		{"application/json", `{"error":{"message":"nested"}}`, "nested"},
		{"application/json", `{"error":7}`, ""},
		{"application/xml", `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message><X/></Error>`, "AccessDenied: Request has expired"},
		{"text/html", "<html><title>502</title></html>", ""},
		{"", "<!DOCTYPE html>\n<p>&nbsp;", ""},
		{"text/plain", "Entry not found\n", "Entry not found"},
		{"text/plain", "two\r\nlines\x1b[31m", "two lines [31m"},
		{"text/html", "Bad gateway", ""},
		{"", "\xff\xfe", ""},
		{"text/plain", strings.Repeat("ü", 4000), strings.Repeat("ü", maxErrorText/2) + "…"},
	} {
		if got := parseErrorBody(test.contentType, []byte(test.body)).text; got != test.want {
			t.Errorf("%q: %q, want %q", test.body, got, test.want)
		}
	}
}

func FuzzErrorTextIsOneShortLine(f *testing.F) {
	for _, body := range []string{`{"error":"a"}`, `{"errors":[{"message":"a"},["b"]]}`, "<Error><Code>x</Code></Error>", "text", "<html>"} {
		f.Add("text/plain", []byte(body))
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		got := parseErrorBody(contentType, body)
		for _, text := range []string{got.text, got.code} {
			if !utf8.ValidString(text) || len(text) > maxErrorText+len("…") || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("%q", text)
			}
		}
	})
}

func TestToldWait(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"You can retry this action in about 1 hour. If you need more": time.Hour,
		"retry in about 25 minutes":                                   25 * time.Minute,
		"Please try again in 30 seconds":                              30 * time.Second,
		"retry in about an hour":                                      time.Hour,
		"You have exceeded our hourly quotas for action: commit":      0,
		"128 per hour": 0,
	} {
		if got := toldWait(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestNextLink(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   string
	}{
		{nil, ""},
		{[]string{`<https://h/a?cursor=x%3D>; rel="next"`}, "https://h/a?cursor=x%3D"},
		{[]string{`</a>; rel=next`}, "/a"},
		{[]string{`<u>; rel="xet-auth", <v>; rel="prev next"; title="a, <b>; rel=next"`}, "v"},
		{[]string{`<u>; rel="first"`, `<v>;REL="NEXT"`}, "v"},
		{[]string{`<u>; title="; rel=next"`}, ""},
		{[]string{`<u>; rel="nextish"`}, ""},
		{[]string{`<u`, `u>; rel="next"`}, ""},
	} {
		if got, ok := nextLink(test.values); got != test.want || ok != (test.want != "") {
			t.Errorf("%q: %q, want %q", test.values, got, test.want)
		}
	}
}

func FuzzNextPageIsOfTheHub(f *testing.F) {
	for _, value := range []string{`<https://elsewhere/a?b=c>; rel="next"`, `<//host/a>;rel=next`, `<../..>; rel="next"`, `<?x>;rel="a next"`, `<javascript:x>;rel=next`} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r := &remote{client: &client{login: testLogin(t, "")}, name: Name{ID: "me/demo", Revision: "main"}}
		next, err := r.nextPage(r.api("tree", "main", ""), http.Header{"Link": {value}})
		if err == nil && next != nil && !r.login.Owns(next) {
			t.Errorf("%q leads to %s", value, next)
		}
	})
}

// oneObject is an object of a size, as the batch is asked for.
func oneObject(size int64) []*object {
	sum := strings.Repeat("a", 64)
	return []*object{{sha256: sum, size: size, files: []*adding{{add: &Add{Path: "a.parquet", SHA256: sum, Size: size}}}}}
}

func TestBatchAnswers(t *testing.T) {
	oid := strings.Repeat("a", 64)
	upload := func(header string) string {
		return `{"objects":[{"oid":"` + oid + `","actions":{"upload":{"href":"https://huggingface.co/api/complete?x=%7E","header":` + header + `}}}]}`
	}
	for _, test := range []struct{ answer, want string }{
		{`{"objects":[]}`, "a.parquet: the hub's answer says nothing of it"},
		{`{"objects":[{"oid":"` + oid + `"}]}`, "[<nil>]"},
		{`{"objects":[{"oid":"` + oid + `","error":{"code":422,"message":"too\nlarge"}}]}`, "a.parquet: the hub refuses it: too large (422)"},
		{upload(`{"chunk_size":"0","1":"https://s/1"}`), `a.parquet: the hub's answer has a chunk_size of "0"`},
		{upload(`{"chunk_size":"x"}`), `a.parquet: the hub's answer has a chunk_size of "x"`},
		{upload(`{"chunk_size":"40","1":"https://s/1","2":"https://s/2"}`), "a.parquet: the hub's answer has URLs for 2 parts: 100 bytes in parts of 40 are 3"},
		{upload(`{"chunk_size":"40","1":"https://s/1","2":"https://s/2","4":"https://s/4"}`), "a.parquet: the hub's answer has no URL for part 3 of 3"},
		{upload(`{"chunk_size":"40","1":"https://s/1","2":"https://s/2","3":"/3"}`), "a.parquet: the hub's answer has an address that is no URL"},
		{`{"objects":[{"oid":"` + oid + `","actions":{"upload":{"href":""}}}]}`, "a.parquet: the hub's answer has an address that is no URL"},
	} {
		var answer batchAnswer
		if err := json.Unmarshal([]byte(test.answer), &answer); err != nil {
			t.Fatal(err)
		}
		transfers, err := answer.transfers(testLogin(t, "https://mirror.example.org"), oneObject(100))
		got := fmt.Sprint(transfers)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.answer, got, test.want)
		}
	}
	var answer batchAnswer
	if err := json.Unmarshal([]byte(upload(`{"chunk_size":"40","00003":"https://s/3?a=%7E+~","00001":"https://s/1","2":"https://s/2","note":"x"}`)), &answer); err != nil {
		t.Fatal(err)
	}
	transfers, err := answer.transfers(testLogin(t, "https://mirror.example.org/hf"), oneObject(100))
	if err != nil {
		t.Fatal(err)
	}
	if got := transfers[0].upload.url.String(); got != "https://mirror.example.org/hf/api/complete?x=%7E" {
		t.Errorf("completed at %s", got)
	}
	if got := transfers[0].parts[2].url.String(); got != "https://s/3?a=%7E+~" {
		t.Errorf("part 3 goes to %s", got)
	}
}

func FuzzBatchCoversTheWholeObject(f *testing.F) {
	oid := strings.Repeat("a", 64)
	for _, header := range []string{`{}`, `{"chunk_size":"40","1":"https://s/1","2":"https://s/2","00003":"https://s/3"}`, `{"chunk_size":"9223372036854775807","1":"https://s/1"}`} {
		f.Add(int64(100), []byte(`{"objects":[{"oid":"`+oid+`","actions":{"upload":{"href":"https://s/x","header":`+header+`},"verify":{"href":"https://s/v"}}}]}`))
	}
	f.Fuzz(func(t *testing.T, size int64, text []byte) {
		var answer batchAnswer
		if size < 1 || json.Unmarshal(text, &answer) != nil {
			return
		}
		transfers, err := answer.transfers(testLogin(t, ""), oneObject(size))
		if err != nil || transfers[0] == nil || transfers[0].parts == nil {
			return
		}
		n, last := int64(len(transfers[0].parts)), int64(0)
		if last = size - (n-1)*transfers[0].partSize; last < 1 || last > transfers[0].partSize {
			t.Errorf("%d parts of %d for %d bytes", n, transfers[0].partSize, size)
		}
		for _, part := range transfers[0].parts {
			if part.url == nil || part.url.Host == "" {
				t.Error("a part without a URL")
			}
		}
	})
}

func FuzzEntriesHaveAPathAndASize(f *testing.F) {
	f.Add([]byte(`[{"type":"file","oid":"9f","size":28,"path":"a"},{"type":"directory","path":"d"}]`))
	f.Add([]byte(`[{"type":"file","path":"a","size":-1}]`))
	f.Add([]byte(`[{"type":"file","path":"../../../api/whoami-v2","size":1}]`))
	f.Add([]byte(`[{"type":"file","path":"a","lfs":{"oid":"zz","size":1}}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &remote{client: &client{login: testLogin(t, "")}, name: Name{ID: "me/demo"}}
		entries, err := decodeEntries(&http.Response{Body: io.NopCloser(strings.NewReader(string(body)))})
		if err != nil {
			return
		}
		for _, e := range entries {
			file := r.file(strings.Repeat("0", 40), e)
			if u, err := url.Parse(file.URL); err != nil || !strings.HasSuffix(u.Path, "/"+file.Path) {
				t.Errorf("%q is at %s: %v", file.Path, file.URL, err)
			}
			if file.Path == "" || file.Size < 0 || file.SHA256 != "" && !isHex(file.SHA256, 64) || !strings.HasPrefix(file.URL, "https://huggingface.co/datasets/me/demo/resolve/") {
				t.Errorf("%+v", file)
			}
		}
	})
}

func FuzzPreuploadSettlesEveryFile(f *testing.F) {
	f.Add([]byte(`{"files":[{"path":"a","uploadMode":"lfs","oid":null},{"path":"b","uploadMode":"regular","shouldIgnore":true}]}`))
	f.Add([]byte(`{"files":[{"path":"a","uploadMode":"xet"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var answer preuploadAnswer
		if json.Unmarshal(body, &answer) != nil {
			return
		}
		files := []*adding{{add: &Add{Path: "a", Size: 1}}, {add: &Add{Path: "b"}}}
		if answer.apply(files) != nil {
			return
		}
		for _, file := range files {
			if file.state == "" || file.lfs && file.add.Size == 0 {
				t.Errorf("%s: %q, lfs %t", file.add.Path, file.state, file.lfs)
			}
		}
	})
}

func TestCommitThatIsTooLargeIsRefused(t *testing.T) {
	tx := &transaction{remote: &remote{name: Name{ID: "me/demo"}}}
	for want, adds := range map[string][]*adding{
		"the hub takes 1000000000 in one commit: make several":                 {{add: &Add{Path: "a.txt", Size: 800_000_000}}},
		"25001 LFS files, and the hub takes 25000 in one commit: make several": slices.Repeat([]*adding{{lfs: true, add: &Add{Path: "a"}}}, maxLFS+1),
	} {
		s := &survey{}
		for _, f := range adds {
			s.adds = append(s.adds, f)
			if f.lfs {
				s.objects = append(s.objects, f)
			}
		}
		if err := tx.write(s, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCommitBodyThatIsNotReadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine stays
		source := BytesSource("big.txt", bytes.Repeat([]byte("text"), 1<<20))
		f := &adding{add: &Add{Path: "big.txt", Source: source, Size: source.Size()}}
		body := openLines([]line{jsonLine("header", nil), contentLine(f)})
		if _, err := io.ReadFull(body, make([]byte, 100)); err != nil {
			t.Error(err)
		}
		body.Close()
	})
}

func FuzzCommitBodyIsAsLongAsAnnounced(f *testing.F) {
	f.Add("README.md", []byte("# demo\n"), "a.parquet")
	f.Add("<&>\u2028", []byte{}, "\xff")
	f.Fuzz(func(t *testing.T, path string, content []byte, other string) {
		source := BytesSource(path, content)
		sums, err := Sum(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		tx := &transaction{remote: &remote{name: Name{ID: "me/demo"}}, change: Change{Message: other}}
		s := &survey{adds: []*adding{
			{add: &Add{Path: path, Source: source, Size: sums.Size}, oid: sums.OID},
			{add: &Add{Path: other, SHA256: sums.SHA256, Size: 1}, lfs: true},
		}}
		if err := tx.write(s, []removal{{"deletedFile", other}}); err != nil {
			t.Fatal(err)
		}
		body := openLines(s.lines)
		defer body.Close()
		text, err := io.ReadAll(body)
		if err != nil || int64(len(text)) != s.size() {
			t.Errorf("%d bytes, %v, want %d", len(text), err, s.size())
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(lines) != 4 {
			t.Fatalf("%d lines", len(lines))
		}
		var line struct {
			Value struct {
				Path    string
				Content []byte
			}
		}
		if err := json.Unmarshal([]byte(lines[2]), &line); err != nil || !bytes.Equal(line.Value.Content, content) {
			t.Errorf("%s: %v", lines[2], err)
		}
	})
}
