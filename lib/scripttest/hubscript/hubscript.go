// Package hubscript gives each script of a command (see scripttest) a hub of its
// own, hubtest's, to which HF_ENDPOINT leads and HF_TOKEN opens everything:
//
//	func TestScripts(t *testing.T) { scripttest.Run(t, hubscript.Serve) }
//
// READ_TOKEN is a token that may only read, PROPOSE_TOKEN one that may only open
// pull requests. A script has the command hub:
//
//	hub create REPO [private]      makes a repo
//	hub put REPO PATH FILE         commits FILE to main, as somebody else would
//	hub set SETTINGS               changes hubtest.Settings, in JSON
//	hub fault FAULT                adds a hubtest.Fault, in JSON
//	hub append ROUTE FILE          appends a byte to FILE before each request of a route
//	hub head VARIABLE REPO [REV]   sets VARIABLE to the id of the newest commit
//	hub commits REPO [REV]         prints the titles and texts of commits, newest first
//	hub files REPO [REV]           prints "PATH SIZE" for each file
//	hub content REPO REV PATH      prints a file
//	hub requests [ROUTE]...        prints "ROUTE STATUS METHOD URL" for each request
//	hub forget                     empties the record of requests
//
// A script fails in which the token came to the storage.
package hubscript

import (
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

type hubKey struct{}

// Serve is an option of scripttest.Run.
func Serve(p *testscript.Params) {
	p.Setup = setup
	p.Cmds["hub"] = run
}

func setup(env *testscript.Env) error {
	reader := hubtest.Account{Name: "reader", Token: "hf_reader", Role: hubtest.RoleRead}
	proposer := hubtest.Account{Name: "proposer", Token: "hf_proposer", Role: hubtest.RolePR}
	h := hubtest.New(hubtest.WithAccount(reader), hubtest.WithAccount(proposer))
	hub, storage := httptest.NewServer(h.HubHandler()), httptest.NewServer(h.StorageHandler())
	h.SetOrigins(hub.URL, storage.URL)
	env.Values[hubKey{}] = h
	env.Setenv("HF_ENDPOINT", hub.URL)
	env.Setenv("HF_TOKEN", h.Token())
	env.Setenv("READ_TOKEN", reader.Token)
	env.Setenv("PROPOSE_TOKEN", proposer.Token)
	env.Defer(func() {
		h.Close()
		for _, server := range []*httptest.Server{hub, storage} {
			server.CloseClientConnections()
			server.Close()
		}
		if h.TokenLeaked() {
			env.T().Fatal("the token came to the storage")
		}
	})
	return nil
}

// verb is what the command hub does; optional is how many arguments may be left out.
type verb struct {
	args, optional int
	do             func(*script, []string) error
}

var verbs = map[string]verb{
	"create":   {2, 1, (*script).create},
	"put":      {3, 0, (*script).put},
	"set":      {1, 0, func(s *script, args []string) error { return s.hub.SetJSON([]byte(args[0])) }},
	"fault":    {1, 0, func(s *script, args []string) error { return s.hub.FailJSON([]byte(args[0])) }},
	"append":   {2, 0, (*script).appendTo},
	"head":     {3, 1, (*script).head},
	"commits":  {2, 1, (*script).commits},
	"files":    {2, 1, (*script).files},
	"content":  {3, 0, (*script).content},
	"requests": {9, 9, (*script).requests},
	"forget":   {0, 0, func(s *script, _ []string) error { s.hub.Forget(); return nil }},
}

type script struct {
	*testscript.TestScript
	hub *hubtest.Hub
}

func run(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || neg {
		ts.Fatalf("usage: hub VERB [ARG]...")
	}
	verb, known := verbs[args[0]]
	if n := len(args) - 1; !known || n > verb.args || n < verb.args-verb.optional {
		ts.Fatalf("hub %s: no such verb, or not its arguments", args[0])
	}
	ts.Stdout() // printing nothing is printing too
	ts.Check(verb.do(&script{ts, ts.Value(hubKey{}).(*hubtest.Hub)}, args[1:]))
}

func (s *script) create(args []string) error {
	s.hub.CreateRepo(args[0], hubtest.RepoOptions{Private: slices.Contains(args[1:], "private")})
	return nil
}

func (s *script) put(args []string) error {
	s.hub.Put(args[0], args[1], []byte(s.ReadFile(args[2])))
	return nil
}

func (s *script) appendTo(args []string) error {
	name := s.MkAbs(args[1])
	s.hub.Before(hubtest.Route(args[0]), func() {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("+")
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			panic(err)
		}
	})
	return nil
}

// revision is the one that follows a repo in args, or main.
func revision(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "main"
}

func (s *script) head(args []string) error {
	id := s.hub.Head(args[1], revision(args[2:]))
	if id == "" {
		return fmt.Errorf("%s has no commit", args[1])
	}
	s.Setenv(args[0], id)
	return nil
}

func (s *script) commits(args []string) error {
	for _, commit := range s.hub.Commits(args[0], revision(args[1:])) {
		fmt.Fprintln(s.Stdout(), commit.Title)
		if commit.Message != "" {
			fmt.Fprintf(s.Stdout(), "  %s\n", commit.Message)
		}
	}
	return nil
}

func (s *script) files(args []string) error {
	files := s.hub.Files(args[0], revision(args[1:]))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(s.Stdout(), path, files[path].Size)
	}
	return nil
}

func (s *script) content(args []string) error {
	content, err := s.hub.Content(args[0], args[1], args[2])
	s.Stdout().Write(content)
	return err
}

func (s *script) requests(args []string) error {
	var routes []hubtest.Route
	for _, route := range args {
		routes = append(routes, hubtest.Route(route))
	}
	for _, r := range s.hub.Requests(routes...) {
		fmt.Fprintln(s.Stdout(), r.Route, r.Status, r.Method, r.URL)
	}
	return nil
}
