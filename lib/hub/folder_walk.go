package hub

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// walk visits files in the order of their paths.
type walk struct {
	tree    *tree
	ctx     context.Context
	visit   func(d *directory, path string, info fs.FileInfo) error
	leftOut int    // entries that are no content
	example string // one of them
}

// from visits the files of a folder, or those whose paths begin with prefix.
func (w *walk) from(prefix string) error {
	folder := strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return w.all(".", "")
	}
	if CheckPath(folder) == nil {
		if d, err := w.tree.directory(folder); d != nil {
			d.close()
			return w.all(folder, "")
		} else if err != nil {
			return err
		}
	}
	dir, start := path.Split(prefix)
	switch dir = strings.TrimSuffix(dir, "/"); {
	case start == "":
		return nil // only a folder was meant
	case dir == "" && !strings.HasPrefix(prefix, "/"):
		return w.all(".", start)
	case CheckPath(dir) != nil:
		return nil
	}
	return w.all(dir, start)
}

// all visits what is in a directory, at any depth, and has a name that begins with
// start.
func (w *walk) all(dir, start string) error {
	d, err := w.tree.directory(dir)
	if d == nil || err != nil {
		return err
	}
	defer d.close()
	entries, err := w.tree.entries(dir)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), start) || !w.isContent(path.Join(dir, e.Name()), e)
	})
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	for _, e := range entries {
		if err := w.one(d, path.Join(dir, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) one(d *directory, path string, e fs.DirEntry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if e.IsDir() {
		return w.all(path, "")
	}
	info, err := d.root.Lstat(e.Name())
	if isAbsent(err) || err == nil && !info.Mode().IsRegular() {
		return nil // removed by hand just now
	} else if err != nil {
		return err
	}
	return w.visit(d, path, info)
}

// sortName makes the files of a folder come where their paths belong: a/b is behind
// a.b.
func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

func (w *walk) isContent(path string, e fs.DirEntry) bool {
	switch strings.ToLower(e.Name()) {
	case ".git", ".cache", stateDir:
		return false // they never are
	}
	if (e.IsDir() || e.Type().IsRegular()) && CheckPath(e.Name()) == nil {
		return true
	}
	w.leftOut, w.example = w.leftOut+1, path
	return false
}

// report says what a listing has left out.
func (w *walk) report() {
	if w.leftOut > 0 {
		w.tree.warn("left out what is neither a file nor a folder or has no name that a repository can have: %d, such as %q", w.leftOut, w.example)
	}
}
