package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

func call(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestServesUntilStdinEnds(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "data", "a.parquet"), []byte("a shard"), 0o666); err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	stdout, printed := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(t.Context(), []string{"--repo", "me/demo", "--seed", folder, "--token", "hf_2=read",
			"--settings", `{"direct":true}`, "--fault", `{"on":{"route":"tree"},"status":503}`}, stdin, printed)
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ Hub, Storage, Token string }
	if err := json.Unmarshal([]byte(line), &at); err != nil {
		t.Fatal(err)
	}
	tree := at.Hub + "/api/datasets/me/demo/tree/main/data"
	for _, want := range []int{503, 200} {
		if status, body := call(t, "GET", tree, ""); status != want {
			t.Errorf("tree: %d %s, want %d", status, body, want)
		}
	}
	control := at.Hub + "/_hubtest/"
	if status, body := call(t, "POST", control+"fault", `{"on":{"route":"tree","times":-1},"status":429}`); status != 200 {
		t.Errorf("fault: %d %s", status, body)
	}
	if status, _ := call(t, "GET", tree, ""); status != 429 {
		t.Errorf("tree: %d, want 429", status)
	}
	call(t, "POST", control+"heal", "")
	if status, body := call(t, "POST", control+"settings", `{"page_size":1}`); status != 200 {
		t.Errorf("settings: %d %s", status, body)
	}
	if status, body := call(t, "POST", control+"settings", `{"page_sise":1}`); status != 400 {
		t.Errorf("settings with a typo: %d %s", status, body)
	}
	for _, bad := range []string{`{"on":{"rout":"tree"},"status":429}`, `{"do":"explode"}`, `{`} {
		if status, _ := call(t, "POST", control+"fault", bad); status != 400 {
			t.Errorf("fault %s: %d", bad, status)
		}
	}
	_, text := call(t, "GET", control+"state", "")
	var state hubtest.State
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		t.Fatal(err)
	}
	if repo := state.Repos["me/demo"]; len(repo.Files) != 2 || repo.Files[1].Size != 7 || repo.Heads["refs/heads/main"] != repo.Commits[0].ID {
		t.Errorf("state: %s", text)
	}
	if _, log := call(t, "GET", control+"log?route=tree", ""); strings.Count(log, "\n") != 3 {
		t.Errorf("log: %s", log)
	}
	_ = end.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRefusesOptionsThatCannotBe(t *testing.T) {
	for _, args := range [][]string{
		{"--nope"}, {"--token", "x"}, {"--token", "x=king"}, {"--settings", "{"}, {"--fault", "{}"},
		{"--repo", "me/demo", "--seed", "/no/such/folder"}, {"--addr", "nowhere"},
	} {
		if err := run(t.Context(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
