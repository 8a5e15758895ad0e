// Package scripttest runs the scripts that specify a command: the files
// testdata/script/*.txtar beside its main.go
// (https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript).
//
// Beside testscript's own commands a script has
//
//	status N COMMAND…   runs a command and checks its exit status
//	gzip FILE…          packs each FILE as one member into stdout
//
// With -update in the arguments of `go test`, expected outputs are rewritten.
package scripttest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of scripts")

// Run runs all scripts of the package under test. Each of options adds what its
// package gives to scripts, such as a server.
func Run(t *testing.T, options ...func(*testscript.Params)) {
	params := testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"gzip":   gzipFiles,
		},
	}
	for _, option := range options {
		option(&params)
	}
	testscript.Run(t, params)
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: status N COMMAND [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func gzipFiles(ts *testscript.TestScript, neg bool, args []string) {
	var out bytes.Buffer
	for _, name := range args {
		w := gzip.NewWriter(&out)
		w.Write([]byte(ts.ReadFile(name)))
		ts.Check(w.Close())
	}
	ts.Stdout().Write(out.Bytes())
}
