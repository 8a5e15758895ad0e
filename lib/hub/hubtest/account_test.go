package hubtest_test

import (
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

func TestWhoMaySeeWhat(t *testing.T) {
	c := start(t, hubtest.WithAccount(hubtest.Account{Name: "r", Token: "hf_read", Role: hubtest.RoleRead}),
		hubtest.WithAccount(hubtest.Account{Name: "o", Token: "hf_outsider", Role: hubtest.RoleOutsider}))
	c.hub.CreateRepo("me/public", hubtest.RepoOptions{})
	c.hub.CreateRepo("me/private", hubtest.RepoOptions{Private: true})
	c.hub.CreateRepo("me/gated", hubtest.RepoOptions{Gated: true})
	c.hub.CreateRepo("me/disabled", hubtest.RepoOptions{Disabled: true})
	const anonymous, missing, bad = "Invalid username or password.", "Repository not found", "Invalid credentials in Authorization header"
	for _, test := range []struct {
		token, repo   string
		status        int
		code, message string
	}{
		{"", "public", 200, "", ""},
		{"", "private", 401, "", anonymous},
		{"", "missing", 401, "", anonymous},
		{"", "gated", 401, "GatedRepo", ""},
		{"hf_bad", "public", 401, "", bad},
		{"hf_outsider", "private", 404, "RepoNotFound", missing},
		{"hf_outsider", "missing", 404, "RepoNotFound", missing},
		{"hf_outsider", "gated", 403, "GatedRepo", ""},
		{"hf_read", "private", 200, "", ""},
		{"hf_read", "gated", 200, "", ""},
		{"hf_read", "disabled", 403, "", "Access to this resource is disabled."},
	} {
		c.token = test.token
		got := c.do("GET", "/api/datasets/me/"+test.repo+"/tree/main", nil)
		message := got.header.Get("X-Error-Message")
		if got.status != test.status || got.header.Get("X-Error-Code") != test.code || test.message != "" && message != test.message {
			t.Errorf("%q at %s: %d %s", test.token, test.repo, got.status, message)
		}
		if asks := got.header.Get("WWW-Authenticate") != ""; asks != (message == anonymous) {
			t.Errorf("%q at %s: WWW-Authenticate %t", test.token, test.repo, asks)
		}
	}
	c.hub.CreateRepo(demo, hubtest.RepoOptions{})
	for token, status := range map[string]int{"": 401, "hf_read": 403, "hf_outsider": 403, c.hub.Token(): 200} {
		c.token = token
		c.commit(status, "main", header("x"), fileLine("a.txt", nil))
	}
}

func TestQuotasHaveWindows(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	c := start(t, hubtest.WithClock(func() time.Time { return now }),
		hubtest.WithSettings(func(s *hubtest.Settings) { s.APIQuota, s.Window = 2, time.Minute }))
	c.hub.Put(demo, "a.txt", nil)
	ask := func(status int, limit string) {
		t.Helper()
		got := c.want(status, nil, "GET", "/api/datasets/me/demo", nil)
		if got.header.Get("RateLimit") != limit || got.header.Get("RateLimit-Policy") != `"fixed window";"api";q=2;w=60` {
			t.Errorf("%v", got.header)
		}
	}
	ask(200, `"api";r=1;t=60`)
	now = now.Add(50 * time.Second)
	ask(200, `"api";r=0;t=10`)
	ask(429, `"api";r=0;t=10`)
	c.want(307, nil, "GET", resolved+"main/a.txt", nil)
	now = now.Add(10 * time.Second)
	ask(200, `"api";r=1;t=60`)
}

func TestCardsAreLookedAt(t *testing.T) {
	c := start(t)
	for content, want := range map[string][2]int{"---\nlicense: mit\n---\n": {0, 0}, "# no card": {0, 1}, "---\nlicense: mit\n": {1, 0}, "---\n\ta: b\n---\n": {1, 0}} {
		var got struct{ Errors, Warnings []struct{ Message string } }
		c.want(200, &got, "POST", "/api/validate-yaml", map[string]any{"content": content, "repoType": "dataset"})
		if len(got.Errors) != want[0] || len(got.Warnings) != want[1] {
			t.Errorf("%q: %+v", content, got)
		}
	}
	c.token = ""
	c.want(401, nil, "POST", "/api/validate-yaml", map[string]any{"content": "", "repoType": "dataset"})
}
