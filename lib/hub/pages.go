package hub

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// errStopped ends a listing whose reader has enough.
var errStopped = errors.New("stopped")

// List asks for the commit first, so that all pages are of one tree.
func (r *remote) List(ctx context.Context, commit, prefix string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		commit, err := r.pin(ctx, commit)
		if err == nil && commit != noCommit {
			err = r.list(ctx, commit, prefix, func(e entry) error {
				if e.Type == "file" && !yield(r.file(commit, e), nil) {
					return errStopped
				}
				return nil
			})
		}
		if err != nil && err != errStopped {
			yield(File{}, err)
		}
	}
}

// list visits what is below the folder prefix, or else what has a path that begins
// with it: the hub itself lists folders alone.
func (r *remote) list(ctx context.Context, commit, prefix string, visit func(entry) error) error {
	if prefix == "" {
		_, err := r.pages(ctx, commit, "", true, visit)
		return err
	}
	folder, onlyFolder := strings.CutSuffix(prefix, "/")
	if isTreePath(folder) {
		if found, err := r.pages(ctx, commit, folder, true, visit); found || err != nil {
			return err
		}
	}
	parent := ""
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		parent = prefix[:i]
	}
	if onlyFolder || strings.HasPrefix(prefix, "/") || parent != "" && !isTreePath(parent) {
		return nil
	}
	_, err := r.pages(ctx, commit, parent, false, func(e entry) error {
		if !strings.HasPrefix(e.Path, prefix) {
			return nil
		}
		if e.Type != "directory" {
			return visit(e)
		}
		found, err := r.pages(ctx, commit, e.Path, true, visit)
		if err == nil && !found {
			err = fmt.Errorf("%s: the hub does not list a folder that it named: the listing is not whole", r.what("list "+e.Path))
		}
		return err
	})
	return err
}

// isTreePath says whether a tree can have a path. Others must not get into a URL,
// where "." and ".." lead elsewhere.
func isTreePath(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == "" || segment == "." || segment == ".."
	})
}

// maxEmpty is how many pages in a row may have no entries: a listing is to end.
const maxEmpty = 16

// pages visits what is in a folder, "" being the root, and with recursive below it.
// It is not found if it has no entries, as git knows no empty folders.
func (r *remote) pages(ctx context.Context, commit, folder string, recursive bool, visit func(entry) error) (found bool, err error) {
	next := r.api("tree", commit, fmt.Sprintf("recursive=%t&expand=false", recursive))
	what := r.what("list")
	if folder != "" {
		next, what = next.JoinPath(escapePath(folder)), r.what("list "+folder)
	}
	seed, seen, empty := maphash.MakeSeed(), map[uint64]bool{}, 0
	for next != nil {
		at := maphash.String(seed, next.String())
		if seen[at] || empty > maxEmpty {
			return found, fmt.Errorf("%s: the hub's pages lead in a circle after %d of them: the listing is not whole", what, len(seen))
		}
		seen[at] = true
		page, after, err := r.page(ctx, what, next)
		if err != nil {
			if len(seen) == 1 && folder != "" && errors.Is(err, ErrNoEntry) {
				return false, nil
			}
			return found, err
		}
		empty++
		for _, e := range page {
			found, empty = true, 0
			if err := visit(e); err != nil {
				return true, err
			}
		}
		next = after
	}
	return found, nil
}

// page gets one page, and where the next one is; nil after the last.
func (r *remote) page(ctx context.Context, what string, at *url.URL) (page []entry, next *url.URL, err error) {
	err = r.do(ctx, what, get(at), func(resp *http.Response) (err error) {
		if page, err = decodeEntries(resp); err != nil {
			return err
		}
		next, err = r.nextPage(at, resp.Header)
		return err
	})
	return page, next, err
}

// nextPage is the page that an answer leads to. A mirror passes on the links of the
// hub that it mirrors, so path and query count and the host does not.
func (r *remote) nextPage(at *url.URL, header http.Header) (*url.URL, error) {
	address, ok := nextLink(header.Values("Link"))
	if !ok {
		return nil, nil
	}
	next, err := at.Parse(address)
	if err != nil {
		return nil, errors.New("the hub's link to the next page is no URL: the listing is not whole")
	}
	if next, err = r.login.resolve(next.String()); err != nil {
		return nil, fmt.Errorf("%w: the listing is not whole", err)
	}
	own := *r.login.Endpoint
	own.Path, own.RawPath, own.RawQuery = next.Path, next.RawPath, next.RawQuery
	return &own, nil
}
