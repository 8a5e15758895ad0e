package hub

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// fileSums are a file's sums, and what the file looked like when they were taken. A
// file of the same size and time of change counts as the same, as for make.
type fileSums struct {
	Sums
	Time int64 `json:"mtime_ns"`
}

func (s fileSums) fit(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.Time == info.ModTime().UnixNano()
}

// namedSums is a line of a file in .hub/sums.
type namedSums struct {
	Name string `json:"name"`
	fileSums
}

// directory is a directory of the tree whose files are asked for. Their sums are
// remembered in a file for each directory, so that memory does not grow with the
// tree.
type directory struct {
	tree  *tree
	path  string // "." is the root
	root  *os.Root
	known map[string]fileSums // by name; nil until it is needed
	dirty bool
}

// directory opens a directory; it is nil if there is none of that path, or if a
// symbolic link is on the way.
func (t *tree) directory(dir string) (*directory, error) {
	if dir != "." {
		for i := range len(dir) + 1 {
			if i < len(dir) && dir[i] != '/' {
				continue
			}
			switch info, err := t.root.Lstat(dir[:i]); {
			case isAbsent(err) || err == nil && !info.IsDir():
				return nil, nil
			case err != nil:
				return nil, err
			}
		}
	}
	root, err := t.root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &directory{tree: t, path: dir, root: root}, nil
}

// within is the directory of a path, kept open until another is asked for.
func (t *tree) within(file string) (*directory, error) {
	dir := path.Dir(file)
	if t.last != nil && t.last.path == dir {
		return t.last, nil
	}
	t.leave()
	var err error
	t.last, err = t.directory(dir)
	return t.last, err
}

func (t *tree) leave() {
	if t.last != nil {
		t.last.close()
		t.last = nil
	}
}

// find gives the sums of a file; nil if there is none of that path.
func (t *tree) find(ctx context.Context, file string) (*fileSums, error) {
	if CheckPath(file) != nil {
		return nil, nil
	}
	dir, err := t.within(file)
	if dir == nil || err != nil {
		return nil, err
	}
	info, err := dir.root.Lstat(path.Base(file))
	if isAbsent(err) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	sums, err := dir.sums(ctx, info)
	return &sums, err
}

// isAbsent tells the error of a path that does not exist, or that is below a file.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (d *directory) close() {
	d.save()
	d.root.Close()
}

// settled is how old a change must be for its file to be remembered: a clock that
// ticks more slowly than we read would not show the next change.
const settled = 2 * time.Second

// sums are those of a file in the directory, remembered or taken now.
func (d *directory) sums(ctx context.Context, info fs.FileInfo) (fileSums, error) {
	d.load()
	sums, ok := d.known[info.Name()]
	if ok && sums.fit(info) {
		return sums, nil
	}
	file, err := d.root.Open(info.Name())
	if err != nil {
		return sums, err
	}
	defer file.Close()
	sums.Sums, err = copySums(ctx, io.Discard, file, info.Size())
	sums.Time = info.ModTime().UnixNano()
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		if now, statErr := file.Stat(); statErr != nil || !sums.fit(now) {
			err = fmt.Errorf("%s: the file changed while it was read: run again when nothing writes to it", path.Join(d.path, info.Name()))
		}
	}
	if err == nil && time.Since(info.ModTime()) > settled {
		d.remember(info.Name(), sums)
	}
	return sums, err
}

func (d *directory) remember(name string, sums fileSums) {
	d.load()
	d.known[name] = sums
	d.dirty = true
}

func (d *directory) sumsFile() string {
	id := sha1.Sum([]byte(d.path))
	return sumsDir + "/" + hex.EncodeToString(id[:])
}

// load reads the remembered sums. What is not there or damaged is taken anew.
func (d *directory) load() {
	if d.known != nil {
		return
	}
	d.known = map[string]fileSums{}
	text, _ := d.tree.root.ReadFile(d.sumsFile())
	for line := range bytes.Lines(text) {
		var s namedSums
		if json.Unmarshal(line, &s) == nil && isHex(s.SHA256, 64) && isHex(s.OID, 40) {
			d.known[s.Name] = s.fileSums
		}
	}
}

// temporary ends the names of files in .hub that are being written.
const temporary = ".tmp"

// save writes the sums of files that are still there. It may fail, as in a folder
// that we may not write to: they are taken anew then.
func (d *directory) save() {
	if !d.dirty {
		return
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	names := make([]string, 0, len(d.known))
	for name := range d.known {
		if _, err := d.root.Lstat(name); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		lines.Encode(namedSums{name, d.known[name]})
	}
	root, name := d.tree.root, stateDir+"/"+strings.ToLower(rand.Text())+temporary
	if root.MkdirAll(sumsDir, 0o777) != nil {
		return
	}
	if root.WriteFile(name, text.Bytes(), 0o666) != nil || root.Rename(name, d.sumsFile()) != nil {
		root.Remove(name)
	}
	d.dirty = false
}
