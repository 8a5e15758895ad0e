package hubtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// File is what a revision has at a path.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`   // bytes
	Oid    string `json:"oid"`    // git's id of the blob, of the pointer for an LFS file
	SHA256 string `json:"sha256"` // of the content of an LFS file; "" for a regular one
}

// Commit is a revision in a history.
type Commit struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Author  string `json:"author"`
}

// CreateRepo makes a repo, with a first commit that has a .gitattributes.
func (h *Hub) CreateRepo(name string, options RepoOptions) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.newRepo(name, options, "me")
}

// DeleteRepo deletes a repo with its history; its objects stay in the store.
func (h *Hub) DeleteRepo(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.repos, name)
}

// Put commits a file to main as somebody else would, and returns the commit's id.
// A repo that is missing is made.
func (h *Hub) Put(repo, path string, content []byte) string {
	return h.PutFiles(repo, map[string][]byte{path: content})
}

// PutFiles is Put for many files in one commit.
func (h *Hub) PutFiles(repo string, files map[string][]byte) string {
	return h.seed(repo, slices.Sorted(maps.Keys(files)), func(tracked []string, path string) *file {
		content := files[path]
		size := int64(len(content))
		if size == 0 || size < h.settings.LFSFrom && !matchAny(tracked, path) {
			return regular(content)
		}
		sum := sha256.Sum256(content)
		oid := hex.EncodeToString(sum[:])
		h.store.objects[oid] = &object{size: size, pieces: []piece{{size: size, data: content}}}
		return pointed(oid, size)
	})
}

// PutLocal is PutFiles for files on disk, which are read in place when they are
// asked for and must stay as they are: paths in the repo to names on disk. All become LFS files.
func (h *Hub) PutLocal(repo string, files map[string]string) (string, error) {
	objects := map[string]*file{}
	for path, name := range files {
		oid, size, err := hashFile(name)
		if err != nil {
			return "", err
		}
		objects[path] = pointed(oid, size)
		h.mu.Lock()
		h.store.objects[oid] = &object{size: size, pieces: []piece{{size: size, file: name}}}
		h.mu.Unlock()
	}
	return h.seed(repo, slices.Sorted(maps.Keys(files)), func(_ []string, path string) *file { return objects[path] }), nil
}

func hashFile(name string) (oid string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	size, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), size, err
}

// Remove commits the deletion of files to main. One that is not there is a panic.
func (h *Hub) Remove(repo string, paths ...string) string {
	return h.seed(repo, paths, func([]string, string) *file { return nil })
}

// seed commits a file, or its deletion if it is nil, at each path. content is told
// the patterns of what the repo keeps by LFS.
func (h *Hub) seed(repo string, paths []string, content func(tracked []string, path string) *file) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.repos[repo]
	if r == nil {
		r = h.newRepo(repo, RepoOptions{}, "me")
	}
	var changes []change
	tracked := trackedBy(r.refs[mainRef].tree)
	for _, path := range paths {
		one := change{key: "file", path: path, file: content(tracked, path)}
		if one.file == nil {
			one.key = "deletedFile"
		}
		changes = append(changes, one)
	}
	next, err := h.build(r.refs[mainRef], commitHeader{Summary: "seed"}, changes, "somebody")
	if err != nil {
		panic("hubtest: " + repo + ": " + err.Error())
	}
	r.advance(mainRef, next)
	return next.id
}

// Lose takes an object out of the store, as a store does that collects what no commit points at.
func (h *Hub) Lose(sha256 string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.store.objects, sha256)
}

// Objects are the sha256 and the sizes in bytes of all objects in the store.
func (h *Hub) Objects() map[string]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[string]int64{}
	for oid, o := range h.store.objects {
		all[oid] = o.size
	}
	return all
}

// Files are the files of a revision by path, .gitattributes included. An unknown repo or revision has none.
func (h *Hub) Files(repo, rev string) map[string]File {
	h.mu.Lock()
	defer h.mu.Unlock()
	files := map[string]File{}
	if at := h.at(repo, rev); at != nil {
		for _, e := range at.tree.list(true) {
			if e.dir == nil {
				files[e.path] = File{e.path, e.file.size, e.oid, e.file.sha256}
			}
		}
	}
	return files
}

// Content is the bytes of a file.
func (h *Hub) Content(repo, rev, path string) ([]byte, error) {
	h.mu.Lock()
	at := h.at(repo, rev)
	var n *node
	if at != nil {
		n = at.tree.find(path)
	}
	if n == nil || n.dir != nil {
		h.mu.Unlock()
		return nil, fmt.Errorf("%s@%s: %s: is not there", repo, rev, path)
	}
	object := h.store.objects[n.file.sha256]
	h.mu.Unlock()
	if n.file.sha256 == "" {
		return n.file.content, nil
	}
	if object == nil {
		return nil, fmt.Errorf("%s@%s: %s: the store has no object %s", repo, rev, path, n.file.sha256)
	}
	c, err := object.open()
	if err != nil {
		return nil, fmt.Errorf("%s@%s: %s: %w", repo, rev, path, err)
	}
	defer c.Close()
	return io.ReadAll(c)
}

// Commits is the history of a revision, newest first, with the commit that made the repo.
func (h *Hub) Commits(repo, rev string) []Commit {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []Commit
	for c := h.at(repo, rev); c != nil; c = c.parent {
		all = append(all, Commit{c.id, c.title, c.text, c.author})
	}
	return all
}

// Head is the id of the commit that a revision names; "" if there is none.
func (h *Hub) Head(repo, rev string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.at(repo, rev); c != nil {
		return c.id
	}
	return ""
}

func (h *Hub) at(repo, rev string) *commit {
	r := h.repos[repo]
	if r == nil {
		return nil
	}
	c, err := r.revision(rev)
	if err != nil {
		return nil
	}
	return c
}
