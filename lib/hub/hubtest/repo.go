package hubtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// RepoOptions is who may see a repo.
type RepoOptions struct {
	Private  bool // only accounts other than outsiders
	Gated    bool // known to all, its content only to accounts other than outsiders
	Disabled bool // nobody
}

// repo is a dataset repo.
type repo struct {
	RepoOptions
	name    string // namespace/name
	id      string
	created time.Time
	refs    map[string]*commit // by full name: refs/heads/main
	commits map[string]*commit // by id
	pinned  map[string]*node   // trees that pages were made of, by oid
	pulls   int                // pull requests so far
	stale   map[string]int     // reads of a ref that still answer the commit before
	made    []time.Time        // commits through the API
}

const mainRef = "refs/heads/main"

// attributes is what .gitattributes has in a new repo.
const attributes = `*.arrow filter=lfs diff=lfs merge=lfs -text
*.bin filter=lfs diff=lfs merge=lfs -text
*.gz filter=lfs diff=lfs merge=lfs -text
*.parquet filter=lfs diff=lfs merge=lfs -text
*.zip filter=lfs diff=lfs merge=lfs -text
*.zst filter=lfs diff=lfs merge=lfs -text
`

func (h *Hub) newRepo(name string, options RepoOptions, author string) *repo {
	sum := sha256.Sum256([]byte(name))
	r := &repo{
		RepoOptions: options, name: name, id: hex.EncodeToString(sum[:12]), created: h.now(),
		refs: map[string]*commit{}, commits: map[string]*commit{}, pinned: map[string]*node{}, stale: map[string]int{},
	}
	first := &commit{title: "initial commit", author: author, date: h.now()}
	if err := edit(first).put(".gitattributes", regular([]byte(attributes))); err != nil {
		panic(err)
	}
	r.advance(mainRef, first)
	h.repos[name] = r
	return r
}

// advance makes a finished commit the head of a ref.
func (r *repo) advance(ref string, c *commit) {
	c.seal()
	r.commits[c.id] = c
	r.refs[ref] = c
}

// ref is the full name of a branch or other ref that there is.
func (r *repo) ref(rev string) (string, bool) {
	names := []string{"refs/heads/" + rev, "refs/tags/" + rev}
	switch {
	case rev == "":
		names = []string{mainRef}
	case rev == "~parquet":
		names = []string{"refs/convert/parquet"}
	case strings.HasPrefix(rev, "refs/"):
		names = []string{rev}
	}
	for _, name := range names {
		if r.refs[name] != nil {
			return name, true
		}
	}
	return "", false
}

// revision is the commit that a branch, tag, other ref or at least seven digits of an id name.
func (r *repo) revision(rev string) (*commit, error) {
	if name, ok := r.ref(rev); ok {
		return r.refs[name], nil
	}
	if c := r.commits[rev]; c != nil {
		return c, nil
	}
	if len(rev) >= 7 {
		for id, c := range r.commits {
			if strings.HasPrefix(id, rev) {
				return c, nil
			}
		}
	}
	return nil, refuse(404, "RevisionNotFound", "Invalid rev id: "+rev)
}

// seen is the revision as a read of the head sees it, which may lag behind.
func (r *repo) seen(rev string) (*commit, error) {
	c, err := r.revision(rev)
	name, ok := r.ref(rev)
	if err == nil && ok && r.stale[name] > 0 && c.parent != nil {
		r.stale[name]--
		return c.parent, nil
	}
	return c, err
}

// openPull makes the ref of a new pull request.
func (r *repo) openPull(from *commit) (number int, ref string) {
	r.pulls++
	ref = fmt.Sprintf("refs/pr/%d", r.pulls)
	r.refs[ref] = from
	return r.pulls, ref
}
