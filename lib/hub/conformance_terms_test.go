package hub_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub"
)

// This file has what the suite is written in.

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fails(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// texts makes Adds of paths and contents.
func texts(pathsAndContents ...string) (adds []hub.Add) {
	for pair := range slices.Chunk(pathsAndContents, 2) {
		adds = append(adds, hub.Add{Path: pair[0], Source: hub.BytesSource("source of "+pair[0], []byte(pair[1]))})
	}
	return adds
}

// pairs gives each file its path as content.
func pairs(paths []string) (pairs []string) {
	for _, name := range paths {
		pairs = append(pairs, name, name)
	}
	return pairs
}

func pattern(size int) []byte {
	b := make([]byte, 0, size+16)
	for i := 0; len(b) < size; i++ {
		b = fmt.Appendf(b, "%d ", i)
	}
	return b[:size]
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func commit(t *testing.T, repo hub.Repo, c hub.Change) hub.Landed {
	t.Helper()
	landed, err := repo.Commit(t.Context(), c)
	ok(t, err)
	return landed
}

func states(landed hub.Landed) (text string) {
	for _, file := range landed.Files {
		text += string(file.State) + " "
	}
	return text
}

func headOf(t *testing.T, repo hub.Repo) string {
	t.Helper()
	head, err := repo.Head(t.Context())
	ok(t, err)
	return head
}

// listed are the paths of a listing, sorted.
func listed(t *testing.T, repo hub.Repo, commit, prefix string) []string {
	t.Helper()
	paths := inOrder(t, repo, commit, prefix)
	slices.Sort(paths)
	return paths
}

// inOrder are the paths of a listing, but for the file that the hub itself adds.
func inOrder(t *testing.T, repo hub.Repo, commit, prefix string) (paths []string) {
	t.Helper()
	for file, err := range repo.List(t.Context(), commit, prefix) {
		ok(t, err)
		if file.Path != ".gitattributes" {
			paths = append(paths, file.Path)
		}
	}
	return paths
}

func open(t *testing.T, repo hub.Repo, name string) hub.Content {
	t.Helper()
	files, err := repo.Lookup(t.Context(), "", []string{name})
	ok(t, err)
	if len(files) != 1 {
		t.Fatalf("%q is not there", name)
	}
	c, err := repo.Open(t.Context(), files[0])
	ok(t, err)
	return c
}

func content(t *testing.T, repo hub.Repo, name string) string {
	t.Helper()
	c := open(t, repo, name)
	defer c.Close()
	var b bytes.Buffer
	_, err := io.Copy(&b, io.NewSectionReader(c, 0, c.Size()))
	ok(t, err)
	return b.String()
}

// tree checks paths and contents of all files.
func tree(t *testing.T, repo hub.Repo, pathsAndContents ...string) {
	t.Helper()
	var got []string
	for _, name := range listed(t, repo, "", "") {
		got = append(got, name, content(t, repo, name))
	}
	if diff := cmp.Diff(pathsAndContents, got); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
}
