// Package e2e tests the commands together, as users pipe them.
//
// The commands are built once and run as processes. Long runs are seeded and
// shortened to a tenth, unless TORTURE is set (make torture).
package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/sharedtest"
)

const newsName = "CC-NEWS-20260701022501-08467"

// bin is the folder of the commands under test.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ccnews-e2e-")
	if err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-o", dir+"/", "../cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	bin = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// tenth is n under TORTURE and a tenth of it otherwise.
func tenth(t *testing.T, n int) int {
	if os.Getenv("TORTURE") == "" {
		n = max(1, n/10)
	}
	t.Logf("%d rounds", n)
	return n
}

// shell runs a script with the commands on its PATH and returns what it printed.
func shell(t *testing.T, dir, script string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("bash", "-c", "set -o pipefail; "+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// must runs a script that has to succeed.
func must(t *testing.T, dir, script string) string {
	t.Helper()
	out, errOut, status := shell(t, dir, script)
	if status != 0 {
		t.Fatalf("%s\nstatus %d: %s", script, status, errOut)
	}
	return out
}

func newsArchive(t *testing.T) string {
	return sharedtest.Path(t, "corpus", "news", newsName+".warc.gz")
}

// serve is a file server as data.commoncrawl.org is one, with the news archive
// in its folder.
func serve(t *testing.T) string {
	archive := newsArchive(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/crawl-data/CC-NEWS/2026/07/"+newsName+".warc.gz" {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, archive)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func readFile(t *testing.T, elem ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lines splits JSONL, without the control line at its end.
func lines(t *testing.T, jsonl string) []string {
	t.Helper()
	all := strings.Split(strings.TrimSuffix(jsonl, "\n"), "\n")
	if last := all[len(all)-1]; strings.HasPrefix(last, `{"_e`) {
		all = all[:len(all)-1]
	}
	return all
}

// feed writes b to w in small pieces, so that a process can be killed between
// two of them.
func feed(w io.WriteCloser, b []byte) {
	defer w.Close()
	for len(b) > 0 {
		n := min(32<<10, len(b))
		if _, err := w.Write(b[:n]); err != nil {
			return
		}
		b = b[n:]
	}
}
