// Package hub is a dataset repository: a tree of files that changes by atomic
// commits. There are two kinds, behind one interface, [Repo]: a repository of the
// Hugging Face hub, over HTTP (https://huggingface.co/docs/hub/api), and a local
// folder of the same layout, for trying things, for tests and for private use.
// [Dial] tells them apart by their name.
//
// What both promise, and one suite of tests checks of both:
//
//   - A reader sees the tree of one commit, never half of one.
//   - A commit lands whole or not at all, and once, whatever is killed or lost on
//     the way: the same call again gives the same tree, sends nothing that is
//     stored already, and makes no commit that changes nothing.
//   - No file is taken over that changed while it was read.
//   - Memory grows neither with the size of files nor with that of the tree.
package hub

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Repo is a repository at one revision, such as its branch main. It may be used by
// several goroutines at once. Errors name the repository and, where there is one,
// the path; see errors.go for those that callers tell apart.
type Repo interface {
	// String is the repository's name as [Dial] takes it.
	String() string

	// Create makes the repository if there is none; one that is there stays as it is.
	Create(ctx context.Context, private bool) error

	// Head is the commit that the revision names now: 40 hex digits, all of them 0
	// for a repository without commits.
	Head(ctx context.Context) (string, error)

	// List gives the files of a commit, "" being the head, in the order of the
	// repository: a folder's is that of the paths, the hub's is its own and the same
	// each time. If prefix is a folder, its files at any depth are given; otherwise every file
	// whose path begins with prefix; "" stands for all. Of a prefix that ends with
	// a slash only a folder is meant. No file is no error. After an error nothing
	// more comes, and the listing is not whole.
	List(ctx context.Context, commit, prefix string) iter.Seq2[File, error]

	// Lookup gives the files of a commit, "" being the head, that have one of the
	// paths, in the order of paths, one for each time that a path is named; others
	// are left out. It costs one request for 500 paths.
	Lookup(ctx context.Context, commit string, paths []string) ([]File, error)

	// Open opens a file that List or Lookup gave. ctx bounds all reads from it.
	Open(ctx context.Context, file File) (Content, error)

	// Upload stores the content of files without a commit, so that a later Commit,
	// of any process, can name it by SHA-256 and size. What no commit names for
	// some hours the repository may forget. Every add needs a Source. Sums are filled
	// in in adds.
	Upload(ctx context.Context, adds []Add) error

	// Commit adds and deletes files in one commit. What the repository has already
	// is not sent, and a change that changes nothing makes no commit. It can be
	// repeated after any failure. Sums are filled in in change.Adds.
	Commit(ctx context.Context, change Change) (Landed, error)
}

// File is a file of a repository at a commit: a line of hf-ls.
type File struct {
	Path string // from the repository's root, with slashes, without a leading one
	Size int64  // in bytes; -1 in a listing that does not say
	// SHA256 is that of the content, in hex; "" where the repository does not know
	// it: the hub knows it of LFS files alone, which is where all Parquet goes.
	SHA256 string
	// OID is the SHA-1 of the git blob, in hex: of the content, or for an LFS file
	// of its pointer.
	OID      string
	Repo     string // the repository's name, without its revision
	Revision string // the commit
	// URL is where the content is at that commit, for ever. A local file's is its
	// path.
	URL string
}

// Content is a file that is open for reading at any offset.
type Content interface {
	io.ReaderAt
	io.Closer
	// Size is that of the content in bytes.
	Size() int64
}

// Add is a file that a commit puts into the tree, in place of one with the same
// path.
type Add struct {
	// Path is where it goes: relative, with slashes, no segment being empty, ".",
	// "..", ".git", ".cache" or ".hub" (see [CheckPath]).
	Path string
	// Source gives the content. nil means that the repository's store has it
	// already, by [Repo.Upload] or another file; SHA256 and Size name it.
	Source Source
	// SHA256 in hex and Size in bytes are those of the content. With a Source they
	// are filled in by Upload and Commit.
	SHA256 string
	Size   int64
}

// Source is content that is to be stored. It is read several times, and several
// readers may be open at once; none is kept open while it is not read.
type Source interface {
	// Open gives the content, as it was when the Source was made.
	Open() (Content, error)
	// Size is that of the content in bytes.
	Size() int64
	// Check returns an error if the content is no longer what it was.
	Check() error
	// String names the content in messages, such as a file by its path.
	String() string
}

// Change is what a commit does. A path stands in it once: neither twice among the
// adds, nor among adds and deletes, nor as a file and as the folder of another. What
// is added into a folder that is deleted stays.
type Change struct {
	// Parent makes the commit conditional: it lands only if Parent is the head, and
	// fails with [ErrMoved] otherwise. "" takes any head: of two changes of one
	// path the later one holds.
	Parent string
	// Message is the commit's first line; "" means one that counts the files.
	// Description is the rest.
	Message, Description string
	Adds                 []Add
	// Deletes are paths of files, or of folders if they end with a slash. What is
	// not there is deleted already.
	Deletes []string
	// PullRequest proposes the commit instead of landing it; only the hub can.
	PullRequest bool
}

// summary is the commit's first line.
func (c *Change) summary() string {
	if message := strings.TrimSpace(c.Message); message != "" {
		return message
	}
	var parts []string
	if n := len(c.Adds); n > 0 {
		parts = append(parts, fmt.Sprintf("put %d", n))
	}
	if n := len(c.Deletes); n > 0 {
		parts = append(parts, fmt.Sprintf("delete %d", n))
	}
	return strings.Join(parts, " and ") + " paths"
}

// Landed is what became of a [Change].
type Landed struct {
	// Commit is the new head, or the old one if nothing had to change.
	Commit string
	// URL is that of the commit or pull request, for people; "" if there is none.
	URL string
	// Files has an entry for each of Change.Adds and then of Change.Deletes.
	Files []Outcome
}

// Outcome is what became of one path.
type Outcome struct {
	Path   string
	Size   int64  // in bytes; 0 of a deleted one
	SHA256 string // in hex; "" of a deleted one
	State  State
}

// State says what became of a path.
type State string

// The states. An unchanged file is one that the repository had already; an ignored
// one the hub refuses by its .gitignore.
const (
	Added     State = "added"
	Unchanged State = "unchanged"
	Ignored   State = "ignored"
	Deleted   State = "deleted"
	Absent    State = "absent" // was to be deleted and is not there
)
