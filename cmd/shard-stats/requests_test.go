package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/ledger"
	"github.com/open-index/ccnews/lib/shard"
)

// bigShard is longer than what is read of it: 200 KB.
func bigShard(t *testing.T) []byte {
	t.Helper()
	b := shard.NewBuilder(0)
	defer b.Close()
	for i := range 6000 {
		digest := fmt.Sprintf("%X", i*i*7919)
		row := ccindex.Row{
			URLSurtkey: fmt.Sprintf("org,example)/%d", i), URL: fmt.Sprintf("https://example.org/%d/%s", i, digest),
			FetchTime: 1782864000000, FetchStatus: 200, ContentDigest: &digest, WARCFilename: "a.warc.gz", WARCRecordOffset: int64(i) * 977,
		}
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "x.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := b.Write(context.Background(), f, nil, nil); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// counter counts what a server was asked and what it sent.
type counter struct {
	mu       sync.Mutex
	requests int
	tokens   int
	bytes    int64
}

func (c *counter) serve(t *testing.T, h http.HandlerFunc) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests++
		if r.Header.Get("Authorization") != "" {
			c.tokens++
		}
		h(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func run(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status = cli.Run(context.Background(), usage, new(command), &cli.IO{In: strings.NewReader(stdin), Out: &out, Err: &errOut}, args)
	return status, out.String(), errOut.String()
}

const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// A shard costs one request to the hub and one to its store, and 64 KiB; a known one
// costs nothing. The token goes to the hub alone.
func TestRequests(t *testing.T) {
	content := bigShard(t)
	var hub, store counter
	storeURL := store.serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		var from, to int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err == nil {
			store.bytes += to - from + 1
		} else if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=-%d", &to); err == nil {
			store.bytes += to
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
	hubURL := hub.serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", storeURL+r.URL.Path)
		w.WriteHeader(http.StatusFound)
	})
	t.Setenv("HF_ENDPOINT", hubURL)
	t.Setenv("HF_TOKEN", "hf_secret")

	const shards = 40
	var listing strings.Builder
	for i := range shards {
		fmt.Fprintf(&listing, `{"path":"data/2026/07/%02d.parquet","size":%d,"sha256":"%s","url":"%s/%02d.parquet"}`+"\n", i, len(content), sum, hubURL, i)
	}
	status, out, errOut := run(t, listing.String())
	if status != 0 || hub.requests != shards || store.requests != shards || store.bytes > shards*64<<10 {
		t.Errorf("status %d, %d and %d requests, %d bytes\n%s", status, hub.requests, store.requests, store.bytes, errOut)
	}
	if hub.tokens != shards || store.tokens != 0 {
		t.Errorf("the token went to the hub %d times, to its store %d times", hub.tokens, store.tokens)
	}
	if want := "shard-stats: shards: 40, known: 0, read: 40, failed: 0; requests: 80, bytes: 2621440\n"; errOut != want {
		t.Errorf("%s, want %s", errOut, want)
	}
	checkOrder(t, out, shards)

	known := filepath.Join(t.TempDir(), "known.jsonl")
	lines := strings.SplitAfter(out, "\n")
	changed := strings.Replace(lines[7], sum, strings.Repeat("f", 64), 1) // another content
	if err := os.WriteFile(known, []byte(strings.Join(lines[:7], "")+changed+strings.Join(lines[8:], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	hub.requests = 0
	status, again, _ := run(t, listing.String(), "--known", known, "--known", known+".absent")
	if status != 0 || hub.requests != 1 || again != out {
		t.Errorf("status %d, %d requests, the same lines: %v", status, hub.requests, again == out)
	}
}

func checkOrder(t *testing.T, out string, shards int) {
	t.Helper()
	n := 0
	for line, err := range ledger.Lines(strings.NewReader(out)) {
		if want := fmt.Sprintf("data/2026/07/%02d.parquet", n); err != nil || line.Path != want || line.Rows != 6000 || line.SHA256 != sum {
			t.Fatalf("line %d: %v, %+v", n, err, line)
		}
		n++
	}
	if n != shards {
		t.Errorf("%d lines", n)
	}
}

// A server that fails for good is a failure, one that fails today is for later.
func TestStatus(t *testing.T) {
	t.Setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
	var c counter
	url := c.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/later" {
			w.WriteHeader(http.StatusServiceUnavailable)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	for _, tt := range []struct {
		shards []string
		want   int
		stderr string
	}{
		{[]string{"/later"}, 75, "given up after one try"},
		{[]string{"/absent?sig=secret"}, 1, "404"},
		{[]string{"/later", "/absent"}, 1, "failed: 2"},
	} {
		args := []string{"--tries", "1"}
		for _, s := range tt.shards {
			args = append(args, url+s)
		}
		status, out, errOut := run(t, "", args...)
		if status != tt.want || out != "" || !strings.Contains(errOut, tt.stderr) || strings.Contains(errOut, "secret") {
			t.Errorf("%v: status %d, %q, %s", tt.shards, status, out, errOut)
		}
	}
}
