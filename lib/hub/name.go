package hub

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Name is a repository's name, taken apart.
type Name struct {
	// Folder is the path of a local repository; "" for one of the hub.
	Folder string
	// ID is "namespace/name" of a repository of the hub, and Revision its branch,
	// tag, commit or "refs/pr/N"; by default "main".
	ID, Revision string
}

// DefaultRevision is the branch that is meant where none is named.
const DefaultRevision = "main"

// validID follows the hub's own rule for names: letters, digits, "-", "_" and ".",
// neither at the ends, at most 96 bytes in each half.
var validID = regexp.MustCompile(`^[\pL\pN_][\pL\pN._-]{0,95}/[\pL\pN_][\pL\pN._-]{0,95}$`)

// ParseName reads
//
//	namespace/name  namespace/name@revision  hf://datasets/namespace/name@revision
//	./folder  ../folder  /folder  ~/folder is the shell's  file:folder
//
// A folder has no revisions, so an "@" belongs to its name.
func ParseName(text string) (Name, error) {
	if path, ok := strings.CutPrefix(text, "file:"); ok {
		// file:///x is the long form of file:/x.
		return folderName(strings.Replace(path, "///", "/", 1))
	}
	if text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || filepath.IsAbs(text) {
		return folderName(text)
	}
	name := text
	if rest, ok := strings.CutPrefix(text, "hf://"); ok {
		if name, ok = strings.CutPrefix(rest, "datasets/"); !ok {
			return Name{}, fmt.Errorf("%q: only hf://datasets/… can be read", text)
		}
	}
	id, revision, found := strings.Cut(strings.TrimSuffix(name, "/"), "@")
	if !found {
		revision = DefaultRevision
	}
	switch {
	case !validID.MatchString(id) || strings.Contains(id, ".."):
		return Name{}, fmt.Errorf("%q: not a repository: it must be namespace/name, or a folder as ./folder", text)
	case revision == "":
		return Name{}, fmt.Errorf("%q: no revision after the @", text)
	}
	return Name{ID: id, Revision: revision}, nil
}

func folderName(path string) (Name, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return Name{}, errors.New("file: needs the path of a folder")
	}
	return Name{Folder: filepath.Clean(path)}, nil
}

// String is the name as [ParseName] takes it.
func (n Name) String() string {
	switch {
	case n.Folder == "":
		if n.Revision != DefaultRevision {
			return n.ID + "@" + n.Revision
		}
		return n.ID
	case filepath.IsAbs(n.Folder), n.Folder == ".", n.Folder == "..", strings.HasPrefix(n.Folder, "../"):
		return n.Folder
	}
	return "./" + n.Folder
}

// CheckPath says what is wrong with a path inside a repository, if anything.
func CheckPath(path string) error {
	if path == "" {
		return errors.New("an empty path in the repository")
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ToLower(segment) {
		case "", ".", "..", ".git", ".cache", ".hub":
			return fmt.Errorf("%q: not a path in a repository: it has a segment %q", path, segment)
		}
	}
	if i := strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r == 0x7F || r == '�' }); i >= 0 {
		return fmt.Errorf("%q: not a path in a repository: a control character or invalid UTF-8 at byte %d", path, i)
	}
	return nil
}
