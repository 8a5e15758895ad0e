package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A folder is a repository in a local folder. Its files lie where their paths say,
// so that any program can read them in place; everything in it is content, hidden
// files and such as were put there by hand, too, but for symbolic links, names that
// [CheckPath] refuses, and what is ours:
//
//	.hub/lock            locked (flock) by whoever reads, shared, or changes, exclusive
//	.hub/head            the last commit; JSON
//	.hub/journal         a commit that has landed and is not in place yet; JSON lines
//	.hub/stage-ID/       new content, and a lock that its process holds
//	.hub/objects/SHA256  what Upload stored
//	.hub/sums/ID         sums of the files of a directory that were seen already; JSON lines
//
// A commit copies new content into its stage, without a lock. Then, under the
// exclusive one, its journal is renamed into place, and from there on it has
// landed: files are renamed and deleted as the journal says, the head is written
// and the journal removed. Whoever takes the lock and finds a journal, because its
// process died, goes through it again before all else. A stage that nobody holds
// and no journal names is litter. So we see the set of one commit, and other
// programs see whole files.
//
// Nothing below .hub has a name that ends as a data file's does, so a pattern such
// as **/*.parquet finds the tree alone.
//
// The head is all there is: a folder remembers no older commits. What is dropped
// in, changed or removed by hand belongs to the head from then on. A file that
// another program is still copying into it is listed with the size it has: copy
// to elsewhere and rename.
type folder struct {
	name    Name
	options Options
}

const (
	stateDir    = ".hub"
	lockFile    = stateDir + "/lock"
	headFile    = stateDir + "/head"
	journalFile = stateDir + "/journal"
	objectsDir  = stateDir + "/objects"
	sumsDir     = stateDir + "/sums"
	stagePrefix = "stage-"
)

// noCommit is the head of a repository without commits.
var noCommit = strings.Repeat("0", 40)

// atStep is told of every step of a commit. Tests die there.
var atStep = func(step string) {}

func newFolder(name Name, o Options) *folder {
	if o.Jobs < 1 {
		o.Jobs = DefaultJobs
	}
	return &folder{name, o}
}

func (f *folder) String() string { return f.name.String() }

// named puts the repository's name before an error.
func (f *folder) named(err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", f, *err)
	}
}

func (f *folder) warn(format string, args ...any) {
	if f.options.OnWarning != nil {
		f.options.OnWarning(f.String() + ": " + fmt.Sprintf(format, args...))
	}
}

func (f *folder) Create(_ context.Context, private bool) (err error) {
	defer f.named(&err)
	mode := fs.FileMode(0o777)
	if private {
		mode = 0o700
	}
	if err := os.MkdirAll(filepath.Dir(f.name.Folder), 0o777); err != nil {
		return err
	}
	return os.MkdirAll(f.name.Folder, mode)
}

// open opens the folder itself.
func (f *folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.name.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: the folder does not exist: check its name, or make it with mkdir", ErrNoRepo)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: %w", ErrDenied, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoRepo, err) // such as a file
	}
	return root, nil
}

// headInfo is the content of the head's file.
type headInfo struct {
	Commit      string `json:"commit"`
	Parent      string `json:"parent"`
	Message     string `json:"message"`
	Description string `json:"description,omitempty"`
}

func (f *folder) Head(ctx context.Context) (commit string, err error) {
	defer f.named(&err)
	t, err := f.shared(ctx)
	if err != nil {
		return "", err
	}
	defer t.close()
	return t.head()
}

func (t *tree) head() (string, error) {
	text, err := t.root.ReadFile(headFile)
	if errors.Is(err, fs.ErrNotExist) {
		return noCommit, nil
	} else if err != nil {
		return "", err
	}
	var head headInfo
	if err := json.Unmarshal(text, &head); err != nil || !isHex(head.Commit, 40) {
		return "", fmt.Errorf("%s: does not name a commit: remove it, and the repository has no commits but all its files", headFile)
	}
	return head.Commit, nil
}

// at checks that commit is the head, and returns it.
func (t *tree) at(commit string) (string, error) {
	head, err := t.head()
	switch {
	case err != nil || commit == "" || commit == head:
		return head, err
	case !isHex(commit, 40):
		return "", fmt.Errorf("%w: %q: a folder has none but its head", ErrNoRevision, commit)
	}
	return "", fmt.Errorf("%w: from %s to %s, and a folder keeps no older commit: start again from the head", ErrMoved, commit, head)
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

func (f *folder) Open(ctx context.Context, file File) (_ Content, err error) {
	defer f.named(&err)
	t, err := f.shared(ctx)
	if err != nil {
		return nil, err
	}
	defer t.close()
	head, err := t.head()
	if err != nil {
		return nil, err
	}
	found, err := t.find(ctx, file.Path)
	switch {
	case err != nil:
		return nil, err
	case found == nil && (file.Revision == "" || file.Revision == head):
		return nil, fmt.Errorf("%w: %s", ErrNoEntry, file.Path)
	case found == nil || file.SHA256 != "" && found.SHA256 != file.SHA256:
		return nil, fmt.Errorf("%s: %w: it is not the file that was listed: list again", file.Path, ErrMoved)
	}
	opened, err := t.root.Open(file.Path)
	if err != nil {
		return nil, err
	}
	return &folderContent{fileContent{opened, found.Size}, ctx}, nil
}

// folderContent is a file whose reads end with a context.
type folderContent struct {
	fileContent
	ctx context.Context
}

func (c *folderContent) ReadAt(p []byte, offset int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.fileContent.ReadAt(p, offset)
}
