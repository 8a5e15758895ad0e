package hubtest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
	"github.com/open-index/ccnews/lib/sharedtest"
)

// exchange is a line of a recorded run of an official client.
type exchange struct {
	N          int               `json:"n"`
	Host       string            `json:"host"`
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	ReqHeaders map[string]string `json:"req_headers"`
	ReqBody    string            `json:"req_body"`
	Status     int               `json:"status"`
	RespHeader map[string]string `json:"resp_headers"`
	RespBody   string            `json:"resp_body"`
	Fault      bool              `json:"fault"`
}

func recorded(t *testing.T, name string) (all []exchange) {
	content, err := os.ReadFile(sharedtest.Path(t, "docs/hub-traffic/"+name))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// shape writes a JSON value with its scalars replaced by their kinds.
func shape(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var all []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, key+":"+shape(v[key]))
		}
		return "{" + strings.Join(all, ",") + "}"
	case []any:
		var all []string
		for _, element := range v {
			all = append(all, shape(element))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return fmt.Sprintf("%T", v)
}

// The requests of the recorded runs get answers of the recorded status, with the
// headers and the JSON keys that the recorded answers have.
func TestAnswersHaveTheRecordedShapes(t *testing.T) {
	for _, name := range []string{"js.jsonl", "py.jsonl", "page.jsonl"} {
		t.Run(name, func(t *testing.T) {
			c := start(t, hubtest.WithSettings(func(s *hubtest.Settings) {
				if name == "page.jsonl" {
					s.PageSize = 2
				}
			}))
			compared := 0
			for _, e := range recorded(t, name) {
				if e.Host != "hub" || e.Fault || strings.HasPrefix(e.Path, "/__faults") ||
					slices.ContainsFunc([]string{"complete_multipart", "cursor=", "resolve-cache"}, func(own string) bool { return strings.Contains(e.Path, own) }) {
					continue // what an earlier answer of that server named
				}
				c.replay(t, e)
				compared++
			}
			if compared == 0 {
				t.Error("no answer was compared")
			}
			t.Logf("%d answers have the recorded shape", compared)
		})
	}
}

func (c client) replay(t *testing.T, e exchange) {
	t.Helper()
	c.token = ""
	var headers []string
	for name, value := range e.ReqHeaders {
		switch strings.ToLower(name) {
		case "authorization":
			c.token = c.hub.Token()
			if e.Status == 401 { // the recording has no token in it, good or bad
				c.token = "hf_bad"
			}
		case "content-type", "range", "accept":
			headers = append(headers, name+": "+value)
		}
	}
	got := c.do(e.Method, e.Path, e.ReqBody, headers...)
	c.hub.HaveObjects(got.body) // what a batch asks for is there from now on
	if got.status != e.Status {
		t.Errorf("%d: %s %s: status %d, recorded %d: %s", e.N, e.Method, e.Path, got.status, e.Status, got.body)
		return
	}
	for name := range e.RespHeader {
		if got.header.Get(name) == "" && !(name == "Content-Length" && e.Method == "HEAD") {
			t.Errorf("%d: %s %s: no %s: %v", e.N, e.Method, e.Path, name, got.header)
		}
	}
	var want, have any
	if json.Unmarshal([]byte(e.RespBody), &want) != nil || json.Unmarshal(got.body, &have) != nil {
		return
	}
	if shape(want) != shape(have) {
		t.Errorf("%d: %s %s:\n%s, recorded\n%s", e.N, e.Method, e.Path, shape(have), shape(want))
	}
}
