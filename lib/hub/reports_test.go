package hub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// on is a fault of requests of a route.
func on(route hubtest.Route, do hubtest.Effect, status int, message string) hubtest.Fault {
	return hubtest.Fault{On: hubtest.Match{Route: route}, Do: do, Status: status, Message: message}
}

// xml is a fault of the store, as S3 writes it.
func xml(route hubtest.Route, status int, code, message string) hubtest.Fault {
	f := on(route, hubtest.Answer, status, "")
	f.Header = map[string]string{"Content-Type": "application/xml"}
	f.Body = "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>"
	return f
}

// inParts has files of 100 bytes and more sent in parts of 40.
func inParts(s *hubtest.Settings) { s.MultipartFrom, s.PartSize = 100, 40 }

var (
	small = files{"README.md": "# demo\n", "a.parquet": parquet(1, 90)}
	large = files{"README.md": "# demo\n", "big.parquet": parquet(2, 100)}
)

// TestReportsOfUploads replays public bug reports, each under its number at
// https://github.com/huggingface/huggingface_hub/issues unless another project is
// named. After each the repository holds exactly what was meant, once.
func TestReportsOfUploads(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings func(*hubtest.Settings)
		faults   []hubtest.Fault
		files    files
		route    hubtest.Route // that is counted
		requests int
	}{
		{name: "2533 the store fails requests with a token", settings: inParts, files: large, route: hubtest.RoutePutPart, requests: 3},
		{
			name: "1311 a signed URL has expired", files: small, route: hubtest.RouteBatch, requests: 2,
			faults: []hubtest.Fault{xml(hubtest.RoutePutObject, 403, "AccessDenied", "Request has expired")},
		},
		{
			name: "1312 a signed URL of a part has expired", settings: inParts, files: large, route: hubtest.RouteBatch, requests: 2,
			faults: []hubtest.Fault{xml(hubtest.RoutePutPart, 403, "SignatureDoesNotMatch", "The request signature…").After(1)},
		},
		{
			name: "2539 a part that failed is sent whole again", settings: inParts, files: large, route: hubtest.RoutePutPart, requests: 4,
			faults: []hubtest.Fault{xml(hubtest.RoutePutPart, 500, "InternalError", "We encountered an internal error.")},
		},
		{
			name: "2539 a part is cut on the way", settings: inParts, files: large, route: hubtest.RoutePutPart, requests: 4,
			faults: []hubtest.Fault{{On: hubtest.Match{Route: hubtest.RoutePutPart, URL: "partNumber=2"}, Do: hubtest.CutUpload, Bytes: 7}},
		},
		{
			name: "2409 the completion does not get through", settings: inParts, files: large, route: hubtest.RoutePutPart, requests: 3,
			faults: []hubtest.Fault{on(hubtest.RouteComplete, hubtest.Drop, 0, "").Times(2)},
		},
		{
			name: "2409 the answer to the completion is lost", settings: inParts, files: large, route: hubtest.RoutePutPart, requests: 3,
			faults: []hubtest.Fault{on(hubtest.RouteComplete, hubtest.ApplyThenDrop, 0, "")},
		},
		{
			name: "3701 the answer to the commit is lost", files: small, route: hubtest.RouteCommit, requests: 1,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.ApplyThenDrop, 0, "")},
		},
		{
			name: "3701 and preupload does not tell what is there", files: small, route: hubtest.RouteCommit, requests: 1,
			settings: func(s *hubtest.Settings) { s.Oid = hubtest.OidHidden },
			faults:   []hubtest.Fault{on(hubtest.RouteCommit, hubtest.ApplyThenDrop, 0, "")},
		},
		{
			name: "3701 and reads lag behind", files: small, route: hubtest.RouteCommit, requests: 1,
			settings: func(s *hubtest.Settings) { s.StaleReads = 1 },
			faults:   []hubtest.Fault{on(hubtest.RouteCommit, hubtest.ApplyThenDrop, 0, "")},
		},
		{
			name: "2860 the gateway gives up a commit that lands", files: small, route: hubtest.RouteCommit, requests: 1,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.ApplyThenAnswer, 504, "Gateway Timeout")},
		},
		{
			name: "2375 the gateway gives up a commit that does not land", files: small, route: hubtest.RouteCommit, requests: 2,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.Answer, 504, "")},
		},
		{
			name: "datasets 7708 a 500 although the commit happened", files: small, route: hubtest.RouteCommit, requests: 1,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.ApplyThenAnswer, 500, "Internal Error")},
		},
		{
			name: "every_eval_ever 263 a lock while the head has not moved", files: small, route: hubtest.RouteCommit, requests: 4,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.Answer, 409, "Another commit operation is in progress for this repository. Please try again later.").Times(3)},
		},
		{
			name: "every_eval_ever 265 a 412 without a parent", files: small, route: hubtest.RouteCommit, requests: 2,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.Answer, 412, "A commit has happened since. Please refresh and try again.")},
		},
		{
			name: "946 an empty file that LFS would keep", files: files{"e.parquet": "", "e.txt": ""}, route: hubtest.RoutePutObject, requests: 0,
		},
		{
			name: "git-lfs 4573 a 429 of the batch", files: small, route: hubtest.RouteBatch, requests: 2,
			faults: []hubtest.Fault{{On: hubtest.Match{Route: hubtest.RouteBatch}, Status: 429, Header: map[string]string{"Retry-After": "7"}}},
		},
		{
			name: "4786 a hub without Xet", files: small, route: hubtest.RouteXetToken, requests: 0,
			faults: nil,
		},
		{
			name: "1521 the store keeps a part of an object", files: small, route: hubtest.RoutePutObject, requests: 2,
			faults: []hubtest.Fault{{On: hubtest.Match{Route: hubtest.RoutePutObject}, Do: hubtest.TruncateUpload, Bytes: 11}},
		},
		{
			name: "S3 gives a timeout as a 400", files: small, route: hubtest.RoutePutObject, requests: 2,
			faults: []hubtest.Fault{xml(hubtest.RoutePutObject, 400, "RequestTimeout", "Your socket connection to the server was not read from or written to within the timeout period.")},
		},
		{
			name: "parts out of order and no transfer", files: files{"many.parquet": parquet(3, 700)}, route: hubtest.RoutePutPart, requests: 18,
			settings: func(s *hubtest.Settings) { inParts(s); s.ScatterParts, s.NoTransfer, s.NoVerify = true, true, true },
		},
		{
			name: "a commit that is cut on the way", files: files{"big.txt": strings.Repeat("text ", 400_000)}, route: hubtest.RouteCommit, requests: 4,
			faults: []hubtest.Fault{
				{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.CutUpload, Bytes: 10},
				{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.CutUpload, Bytes: 1 << 20},
				{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.CutUpload, Bytes: 2 << 20},
			},
		},
		{
			name: "answers that end early", files: small, route: hubtest.RouteCommit, requests: 1,
			faults: []hubtest.Fault{
				{On: hubtest.Match{Route: hubtest.RoutePreupload}, Do: hubtest.ShortBody, Bytes: 9},
				{On: hubtest.Match{Route: hubtest.RouteBatch}, Do: hubtest.ShortBody, Bytes: 9},
				{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.ShortBody, Bytes: 9},
			},
		},
		{
			name: "a commit during an outage", files: small, route: hubtest.RouteCommit, requests: 3,
			faults: []hubtest.Fault{on(hubtest.RouteCommit, hubtest.Answer, 503, "").Times(2)},
		},
		{
			name: "preupload and paths-info fail at first", files: small, route: hubtest.RouteCommit, requests: 1,
			faults: []hubtest.Fault{
				on(hubtest.RoutePreupload, hubtest.Answer, 503, ""), on(hubtest.RoutePathsInfo, hubtest.CutBody, 0, ""),
				on(hubtest.RouteBatch, hubtest.Drop, 0, ""), on(hubtest.RouteVerify, hubtest.Answer, 408, ""),
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newServed(t)
			if test.settings != nil {
				w.hub.Set(test.settings)
			}
			for _, f := range test.faults {
				w.hub.Fail(f)
			}
			landed := w.put(test.files)
			w.holds(test.files, 1)
			if landed.Commit != w.hub.Head("me/demo", "main") {
				t.Errorf("landed as %s, the head is %s", landed.Commit, w.hub.Head("me/demo", "main"))
			}
			for path, state := range statesOf(landed) {
				if state != hub.Added {
					t.Errorf("%s: %s", path, state)
				}
			}
			if n := w.count(test.route); n != test.requests {
				t.Errorf("%d requests of %s, want %d", n, test.route, test.requests)
			}
			if w.sent.Load() != test.files.size() {
				t.Errorf("%d bytes were told of, want %d", w.sent.Load(), test.files.size())
			}
			sent := w.hub.StorageBytes()
			again := w.put(test.files)
			w.holds(test.files, 1)
			if slices.ContainsFunc(again.Files, func(o hub.Outcome) bool { return o.State != hub.Unchanged }) || w.hub.StorageBytes() != sent {
				t.Errorf("the same again: %+v", again)
			}
		})
	}
}

// TestReportsOfFailures replays those that cannot end well: nothing lands, tries are
// bounded, and the error says what to do.
func TestReportsOfFailures(t *testing.T) {
	for _, test := range []struct {
		name     string
		fault    hubtest.Fault
		kind     error
		later    bool
		texts    []string
		route    hubtest.Route
		requests int
	}{
		{
			name: "1311 every signed URL is refused", fault: xml(hubtest.RoutePutObject, 403, "SignatureDoesNotMatch", "The request signature…"),
			texts: []string{"me/demo: upload a.parquet", "SignatureDoesNotMatch", "127.0.0.1:"}, route: hubtest.RoutePutObject, requests: 3,
		},
		{
			name: "3325 storage patterns tripped", fault: on(hubtest.RouteCommit, hubtest.Answer, 403, "Your storage patterns tripped our internal systems! Please contact us."),
			kind: hub.ErrDenied, texts: []string{"me/demo: commit", "storage patterns tripped", "request Root="}, route: hubtest.RouteCommit, requests: 1,
		},
		{
			name: "datasets 7777 a 412 for ever", fault: on(hubtest.RouteCommit, hubtest.Answer, 412, "A commit has happened since. Please refresh and try again."),
			later: true, texts: []string{"A commit has happened since", "pull request"}, route: hubtest.RouteCommit, requests: 8,
		},
		{
			name: "3829 a recreated repository", fault: on(hubtest.RouteBatch, hubtest.ClaimPresent, 0, ""),
			kind: hub.ErrLost, texts: []string{"LFS pointer pointed to a file that does not exist", "Offending file: - a.parquet"}, route: hubtest.RouteCommit, requests: 2,
		},
		{
			name: "a commit that is always locked", fault: on(hubtest.RouteCommit, hubtest.Answer, 409, "Another commit operation is in progress for this repository. Please try again later."),
			later: true, texts: []string{"given up after 8 tries", "in progress"}, route: hubtest.RouteCommit, requests: 8,
		},
		{
			name: "the batch refuses an object", fault: on(hubtest.RouteBatch, hubtest.ObjectError, 422, "This repository is over its quota"),
			texts: []string{"me/demo", "a.parquet", "over its quota"}, route: hubtest.RouteBatch, requests: 1,
		},
		{
			name: "a bad request", fault: on(hubtest.RouteCommit, hubtest.Answer, 400, "Bad front matter"),
			texts: []string{"Bad front matter", "400 Bad Request"}, route: hubtest.RouteCommit, requests: 1,
		},
		{
			name: "an error page of HTML", fault: hubtest.Fault{On: hubtest.Match{Route: hubtest.RoutePreupload}, Status: 502, Body: "<!DOCTYPE html><html>Bad gateway</html>"},
			later: true, texts: []string{"502 Bad Gateway"}, route: hubtest.RoutePreupload, requests: 8,
		},
		{
			name: "an answer that is no JSON", fault: hubtest.Fault{On: hubtest.Match{Route: hubtest.RoutePreupload}, Status: 200, Body: "<html>log in to the hotel's network</html>"},
			texts: []string{"me/demo: prepare the commit", "cannot be read"}, route: hubtest.RoutePreupload, requests: 1,
		},
		{
			name: "1521 the store never keeps the whole", fault: hubtest.Fault{On: hubtest.Match{Route: hubtest.RoutePutObject}, Do: hubtest.TruncateUpload, Bytes: 11},
			texts: []string{"a.parquet", "11 bytes, not 90"}, route: hubtest.RoutePutObject, requests: 3,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newServed(t)
			w.hub.Fail(test.fault.Times(hubtest.Always))
			_, err := w.Commit(t.Context(), hub.Change{Adds: small.adds()})
			w.fails(err, test.kind, test.texts...)
			if test.later {
				w.later(err)
			}
			if n := w.count(test.route); n != test.requests {
				t.Errorf("%d requests of %s, want %d", n, test.route, test.requests)
			}
			w.holds(files{}, 0)
			w.hub.Heal()
			w.hub.Lose(sha(small["a.parquet"])) // what was not verified
			w.put(small)
			w.holds(small, 1)
		})
	}
}

func TestReportsOfLimits(t *testing.T) {
	quota := func(s *hubtest.Settings) { s.CommitQuota = 1 }
	t.Run("datasets 6257 the quota of commits while RateLimit shows another", func(t *testing.T) {
		w := newServed(t, hubtest.WithSettings(quota))
		w.put(files{"first": "1"})
		w.hub.Forget()
		_, err := w.Commit(t.Context(), hub.Change{Adds: files{"second": "2"}.adds()})
		w.fails(err, nil, "(1 per hour)", "after one try", "asks to wait 1h0m0s", "try again at 03:25 UTC")
		if later := w.later(err); later.After != time.Hour || w.count(hubtest.RouteCommit) != 1 {
			t.Errorf("after %s, %d tries", later.After, w.count(hubtest.RouteCommit))
		}
		w.holds(files{"first": "1"}, 1)
	})
	t.Run("datasets 6257 and it is waited for", func(t *testing.T) {
		w := newServed(t, hubtest.WithSettings(quota))
		w.hub.Before(hubtest.RoutePathsInfo, func() {
			if len(w.clock.Waits()) > 0 {
				w.hub.Set(func(s *hubtest.Settings) { s.CommitQuota = 2 })
			}
		})
		w.put(files{"first": "1"})
		patient := w.dial("me/demo", w.hub.Token(), hub.Options{Wait: true})
		if _, err := patient.Commit(t.Context(), hub.Change{Adds: files{"second": "2"}.adds()}); err != nil {
			t.Fatal(err)
		}
		w.holds(files{"first": "1", "second": "2"}, 2)
		if waits := w.clock.Waits(); len(waits) != 1 || waits[0] < time.Hour {
			t.Errorf("waited %v", waits)
		}
	})
	t.Run("a quota that is used up is waited for as RateLimit says", func(t *testing.T) {
		w := newServed(t)
		w.hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteTree}, Status: 429, Header: map[string]string{"RateLimit": `"api";r=0;t=200`}})
		w.list("")
		if waits := w.clock.Waits(); len(waits) != 1 || waits[0] < 201*time.Second || waits[0] > 203*time.Second {
			t.Errorf("waited %v", waits)
		}
		w.sound()
	})
	t.Run("1503 more paths than the hub takes", func(t *testing.T) {
		w := newServed(t)
		var paths []string
		for i := range 1201 {
			paths = append(paths, fmt.Sprintf("data/%d.parquet", i))
		}
		w.hub.Put("me/demo", paths[1200], []byte("x"))
		w.hub.Fail(on(hubtest.RoutePathsInfo, hubtest.Answer, 413, "too many parameters"))
		found, err := w.Lookup(t.Context(), "", paths)
		if err != nil || len(found) != 1 || found[0].Path != paths[1200] {
			t.Errorf("found %+v, %v", found, err)
		}
		if n := w.count(hubtest.RoutePathsInfo); n != 6 { // 500 refused, then by 250
			t.Errorf("%d requests", n)
		}
		w.sound()
	})
	t.Run("1085 more files than preupload takes", func(t *testing.T) {
		w := newServed(t)
		many := files{}
		for i := range 600 {
			many[fmt.Sprintf("%d.parquet", i)] = parquet(uint64(i), 20)
		}
		w.put(many)
		w.holds(many, 1)
		if n := w.count(hubtest.RoutePreupload) + w.count(hubtest.RouteBatch); n != 6 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestAnswersThatStall(t *testing.T) {
	t.Run("4178 a stalled request is given up and sent again", func(t *testing.T) {
		w := newServed(t)
		hub.SetIdle(w.Repo, 200*time.Millisecond)
		for _, f := range []hubtest.Fault{
			on(hubtest.RoutePathsInfo, hubtest.Stall, 0, ""), on(hubtest.RoutePreupload, hubtest.StallBody, 0, ""),
			on(hubtest.RoutePutObject, hubtest.Stall, 0, ""), on(hubtest.RouteCommit, hubtest.Stall, 0, ""),
		} {
			w.hub.Fail(f)
		}
		w.put(small)
		w.holds(small, 1)
		if n := len(w.clock.Waits()); n != 4 {
			t.Errorf("%d waits, want 4", n)
		}
	})
}

func TestWhoMayNotIsToldWhy(t *testing.T) {
	w := newServed(t,
		hubtest.WithAccount(hubtest.Account{Name: "reader", Token: "hf_reader", Role: hubtest.RoleRead}),
		hubtest.WithAccount(hubtest.Account{Name: "out", Token: "hf_out", Role: hubtest.RoleOutsider}))
	w.hub.CreateRepo("me/secret", hubtest.RepoOptions{Private: true})
	w.hub.CreateRepo("me/gated", hubtest.RepoOptions{Gated: true})
	w.hub.CreateRepo("me/off", hubtest.RepoOptions{Disabled: true})
	for _, test := range []struct {
		repo, token string
		write       bool
		kind        error
		texts       []string
	}{
		{"me/none", "hf_hubtest", false, hub.ErrNoRepo, []string{"me/none: find the head", "check its name and that the token may see it"}},
		{"me/secret", "", false, hub.ErrNoRepo, []string{"if it is private", "HF_TOKEN"}},
		{"me/secret", "hf_out", false, hub.ErrNoRepo, []string{"Repository not found"}},
		{"me/demo", "hf_wrong", false, hub.ErrDenied, []string{"Invalid credentials", "the token is wrong or has expired"}},
		{"me/demo", "", true, hub.ErrDenied, []string{"there is no token"}},
		{"me/demo", "hf_reader", true, hub.ErrDenied, []string{"write token", "needs write access"}},
		{"me/gated", "", false, hub.ErrDenied, []string{"ask for access", "log in"}},
		{"me/gated", "hf_out", false, hub.ErrDenied, []string{"not in the authorized list"}},
		{"me/off", "hf_hubtest", false, hub.ErrDenied, []string{"disabled"}},
		{"me/demo@nope", "hf_hubtest", false, hub.ErrNoRevision, []string{"me/demo@nope", "Invalid rev id: nope"}},
	} {
		repo := w.dial(test.repo, test.token, hub.Options{})
		_, err := repo.Head(t.Context())
		if test.write {
			_, err = repo.Commit(t.Context(), hub.Change{Adds: small.adds()})
		}
		w.fails(err, test.kind, test.texts...)
		if test.token != "" && strings.Contains(err.Error(), test.token) {
			t.Errorf("%q has the token in it", err)
		}
	}
}

func TestWarningsAreToldOnce(t *testing.T) {
	w := newServed(t)
	w.hub.Fail(hubtest.Fault{On: hubtest.Match{Times: hubtest.Always}, Do: hubtest.Edit, Header: map[string]string{"X-HF-Warning": "quota; You are near your quota"}})
	w.put(small)
	if !slices.Equal(w.warnings, []string{"the hub says: You are near your quota"}) {
		t.Errorf("warned %q", w.warnings)
	}
}
