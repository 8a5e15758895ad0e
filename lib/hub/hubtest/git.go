package hubtest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// file is what a revision has at a path. Files are never changed.
type file struct {
	oid     string // git's id of the blob: of the pointer, for an object of the store
	size    int64  // bytes of the content
	sha256  string // of the content, if the store has it; else ""
	content []byte // of a regular file
}

func regular(content []byte) *file {
	return &file{oid: gitHash("blob", content), size: int64(len(content)), content: content}
}

func pointed(sha256 string, size int64) *file {
	return &file{oid: gitHash("blob", []byte(pointer(sha256, size))), size: size, sha256: sha256}
}

// known is the oid that preupload compares by.
func (f *file) known() string {
	if f.sha256 != "" {
		return f.sha256
	}
	return f.oid
}

// pointer is the text that git keeps in place of an object
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
func pointer(sha256 string, size int64) string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", sha256, size)
}

func gitHash(kind string, content []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00", kind, len(content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// node is a file or a folder of one or more revisions. A node that a commit has
// is never changed: the next commit copies the folders it touches.
type node struct {
	file *file
	dir  map[string]*node // nil: a file
	last *commit          // that made this node
	oid  string           // set by seal
	flat []entry          // everything below, once asked for
}

// entry is a node with its path below some folder.
type entry struct {
	path string
	*node
}

// commit is a revision.
type commit struct {
	id          string
	parent      *commit
	tree        *node
	title, text string
	author      string
	date        time.Time
}

// seal sets the oids of new nodes below n.
func (n *node) seal() string {
	if n.oid != "" {
		return n.oid
	}
	if n.dir == nil {
		n.oid = n.file.oid
		return n.oid
	}
	type line struct{ key, text string }
	lines := make([]line, 0, len(n.dir))
	for name, child := range n.dir {
		raw, _ := hex.DecodeString(child.seal())
		if child.dir != nil { // git sorts a folder as if its name ended in a slash
			lines = append(lines, line{name + "/", "40000 " + name + "\x00" + string(raw)})
		} else {
			lines = append(lines, line{name, "100644 " + name + "\x00" + string(raw)})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.key, b.key) })
	var body strings.Builder
	for _, l := range lines {
		body.WriteString(l.text)
	}
	n.oid = gitHash("tree", []byte(body.String()))
	return n.oid
}

// seal gives the commit its id. It has no date in it, so that the same history
// has the same ids in every run.
func (c *commit) seal() {
	text := "tree " + c.tree.seal() + "\n"
	if c.parent != nil {
		text += "parent " + c.parent.id + "\n"
	}
	c.id = gitHash("commit", []byte(text+"author "+c.author+"\n\n"+c.title+"\n\n"+c.text))
}

// find is the node at a path, the folder itself for "".
func (n *node) find(path string) *node {
	if path == "" {
		return n
	}
	for name := range strings.SplitSeq(path, "/") {
		if n = n.dir[name]; n == nil {
			return nil
		}
	}
	return n
}

// list has the entries of a folder, or of all folders below it, sorted by name.
func (n *node) list(recursive bool) []entry {
	if recursive && n.flat != nil {
		return n.flat
	}
	all := n.walk(nil, "", recursive)
	if recursive {
		n.flat = all
	}
	return all
}

func (n *node) walk(all []entry, prefix string, recursive bool) []entry {
	for _, name := range slices.Sorted(maps.Keys(n.dir)) {
		child := n.dir[name]
		all = append(all, entry{prefix + name, child})
		if recursive && child.dir != nil {
			all = child.walk(all, prefix+name+"/", true)
		}
	}
	return all
}
