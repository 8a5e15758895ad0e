package hub

import (
	"bufio"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"strings"
)

// journal says, line by line, what a commit does to the tree. Its last line is the
// new head. It can be gone through any number of times, from any point on: what it
// deletes it does not put, and what is not in the stage any more is in place.
type journal struct {
	file    *os.File
	out     *bufio.Writer
	head    headInfo
	changes int
	id      hash.Hash // becomes the commit's
}

// journalLine is a line of a journal: it has a Delete, a Put with all below, or a Head.
type journalLine struct {
	Delete string `json:"delete,omitempty"`
	Put    string `json:"put,omitempty"`
	From   string `json:"from,omitempty"`
	fileSums
	Head  *headInfo `json:"head,omitempty"`
	Stage string    `json:"stage,omitempty"`
}

const journalDamaged = journalFile + " is damaged"

func newJournal(s *stage, parent string, change Change) (*journal, error) {
	file, err := s.root.Create(s.name + "/journal")
	if err != nil {
		return nil, err
	}
	j := &journal{file: file, out: bufio.NewWriter(file), id: sha1.New()}
	j.head = headInfo{Parent: parent, Message: change.summary(), Description: change.Description}
	fmt.Fprintf(j.id, "parent %s\nmessage %q\ndescription %q\n", parent, j.head.Message, j.head.Description)
	return j, nil
}

func (j *journal) add(e journalLine) error {
	j.changes++
	fmt.Fprintf(j.id, "delete %q put %q sha256 %s\n", e.Delete, e.Put, e.SHA256)
	return j.write(e)
}

func (j *journal) write(e journalLine) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = j.out.Write(append(line, '\n'))
	return err
}

// place makes the commit land, and gives its id.
func (j *journal) place(s *stage) (string, error) {
	j.head.Commit = hexSum(j.id)
	if err := j.write(journalLine{Head: &j.head, Stage: s.name}); err != nil {
		return "", err
	}
	if err := errors.Join(j.out.Flush(), j.file.Sync()); err != nil {
		return "", err
	}
	if err := syncFolder(s.root, s.name); err != nil {
		return "", err
	}
	atStep("journal written")
	s.placed = true
	if err := s.root.Rename(s.name+"/journal", journalFile); err != nil {
		s.placed = false
		return "", err
	}
	atStep("journal placed")
	return j.head.Commit, syncFolder(s.root, stateDir)
}

// syncFolder makes renames and the like in a folder last. One that is gone has none.
func syncFolder(root *os.Root, name string) error {
	dir, err := root.Open(name)
	if err != nil {
		return ignoreAbsent(err)
	}
	defer dir.Close()
	return dir.Sync()
}

// replay does what the journal says, if there is one, and removes it. again says
// that somebody may have begun with it.
func (t *tree) replay(again bool) error {
	file, err := t.root.Open(journalFile)
	if err != nil {
		return ignoreAbsent(err)
	}
	defer file.Close()
	last, err := eachEntry(file, func(journalLine) error { return nil })
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := &replaying{tree: t, again: again, dir: "."}
	if _, err := eachEntry(file, r.apply); err != nil {
		return err
	}
	if err := r.sync(); err != nil {
		return err
	}
	t.leave()
	return t.finish(last)
}

// eachEntry gives the entries of a whole journal, and then its last one.
func eachEntry(file io.Reader, do func(journalLine) error) (last journalLine, err error) {
	lines := json.NewDecoder(bufio.NewReader(file))
	for {
		var e journalLine
		err := lines.Decode(&e)
		switch {
		case err != nil:
			return e, fmt.Errorf("%s: %w", journalDamaged, err)
		case e.Head != nil && isHex(e.Head.Commit, 40) && isStage(e.Stage):
			return e, nil
		case CheckPath(e.Put+e.Delete) != nil:
			return e, fmt.Errorf("%s: %w", journalDamaged, CheckPath(e.Put+e.Delete))
		case e.Put != "" && !isStage(path.Dir(e.From)):
			return e, fmt.Errorf("%s: %q is not in a stage", journalDamaged, e.From)
		}
		if err := do(e); err != nil {
			return e, err
		}
	}
}

func isStage(name string) bool {
	return path.Dir(name) == stateDir && strings.HasPrefix(path.Base(name), stagePrefix)
}

// finish writes the new head and clears up.
func (t *tree) finish(last journalLine) error {
	text, err := json.Marshal(last.Head)
	if err != nil {
		return err
	}
	if err := writeSynced(t.root, headFile+temporary, append(text, '\n')); err != nil {
		return err
	}
	if err := t.root.Rename(headFile+temporary, headFile); err != nil {
		return err
	}
	if err := syncFolder(t.root, stateDir); err != nil {
		return err
	}
	atStep("head written")
	if err := t.root.Remove(journalFile); err != nil {
		return err
	}
	atStep("journal removed")
	t.root.RemoveAll(last.Stage) // or the next sweep does
	return syncFolder(t.root, stateDir)
}

func writeSynced(root *os.Root, name string, content []byte) error {
	file, err := root.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}

// replaying goes through a journal.
type replaying struct {
	*tree
	again   bool
	dir     string // where something changed and is not synced
	folders bool   // folders above it were made or removed, too
}

func (r *replaying) apply(e journalLine) error {
	name := e.Put + e.Delete
	if dir := path.Dir(name); dir != r.dir {
		if err := r.sync(); err != nil {
			return err
		}
		r.dir = dir
	}
	if e.Put != "" {
		return r.put(e)
	}
	return r.delete(name)
}

func (r *replaying) put(e journalLine) error {
	if _, err := r.root.Lstat(r.dir); err != nil {
		r.folders = true
		if err := r.root.MkdirAll(r.dir, 0o777); err != nil {
			return err
		}
	}
	if err := r.root.Rename(e.From, e.Put); ignoreAbsent(err) != nil {
		return err
	}
	atStep("put")
	dir, err := r.within(e.Put)
	if dir == nil || err != nil {
		return err
	}
	if info, err := dir.root.Lstat(path.Base(e.Put)); err == nil && e.fit(info) {
		dir.remember(info.Name(), e.fileSums)
	}
	return nil
}

// delete removes a file and the folders that it leaves empty.
func (r *replaying) delete(name string) error {
	info, err := r.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ignoreAbsent(err)
	}
	if err := r.root.Remove(name); err != nil {
		return err
	}
	atStep("deleted")
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := r.root.Lstat(dir); err != nil || !info.IsDir() || r.root.Remove(dir) != nil {
			break
		}
		r.folders = true
	}
	return nil
}

// sync makes what happened in a directory last.
func (r *replaying) sync() error {
	for dir := r.dir; ; dir = path.Dir(dir) {
		if err := syncFolder(r.root, dir); err != nil {
			return err
		}
		if dir == "." || !r.folders && !r.again {
			break
		}
	}
	r.folders = false
	return nil
}
