package hubtest

import (
	"maps"
	"net/http"
	"strings"
)

// editor makes a commit's tree out of its parent's.
type editor struct {
	commit *commit
	fresh  map[*node]bool // folders of this commit, which may still be changed
}

func edit(c *commit) *editor {
	e := &editor{commit: c, fresh: map[*node]bool{}}
	if c.parent == nil {
		c.tree = e.folder(nil)
	} else {
		c.tree = e.folder(c.parent.tree)
	}
	return e
}

// folder is a folder that may be changed, with what n has.
func (e *editor) folder(n *node) *node {
	if e.fresh[n] {
		return n
	}
	own := &node{dir: map[string]*node{}, last: e.commit}
	if n != nil {
		own.dir = maps.Clone(n.dir)
	}
	e.fresh[own] = true
	return own
}

func (e *editor) put(path string, f *file) error {
	names := strings.Split(path, "/")
	last := len(names) - 1
	dir := e.commit.tree
	for i, name := range names[:last] {
		child := dir.dir[name]
		if child != nil && child.dir == nil {
			return badRequest("%s: %s is a file", path, strings.Join(names[:i+1], "/"))
		}
		child = e.folder(child)
		dir.dir[name] = child
		dir = child
	}
	if old := dir.dir[names[last]]; old != nil && old.dir != nil {
		return badRequest("%s: is a folder", path)
	}
	dir.dir[names[last]] = &node{file: f, last: e.commit}
	return nil
}

// remove takes a file or, if folder says so, a folder away, and folders that it leaves empty.
func (e *editor) remove(path string, folder bool) error {
	path = strings.TrimSuffix(path, "/")
	found := e.commit.tree.find(path)
	if path == "" || found == nil || folder != (found.dir != nil) {
		return refuse(http.StatusNotFound, "EntryNotFound", "A file with this name doesn't exist: "+path)
	}
	e.drop(e.commit.tree, strings.Split(path, "/"))
	return nil
}

func (e *editor) drop(dir *node, names []string) {
	name := names[0]
	if len(names) == 1 {
		delete(dir.dir, name)
		return
	}
	child := e.folder(dir.dir[name])
	dir.dir[name] = child
	e.drop(child, names[1:])
	if len(child.dir) == 0 {
		delete(dir.dir, name)
	}
}
