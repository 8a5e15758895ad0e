package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/open-index/ccnews/lib/rangeread"
)

// remote is a repository of the hub. What it sends:
//
//	Create          repos/create, and the repository itself if that is refused
//	Head            revision
//	List            tree, page by page
//	Lookup          paths-info
//	Open            resolve, and what that leads to; see lib/rangeread
//	Upload          the LFS batch, then for each object the store's PUT, complete, verify
//	Commit          paths-info, preupload, what Upload does, commit
type remote struct {
	*client
	name    Name
	options Options
	files   *rangeread.Client
}

func newRemote(name Name, o Options) (Repo, error) {
	login, err := FindLogin(o.Getenv)
	if err != nil {
		return nil, err
	}
	if o.Jobs < 1 {
		o.Jobs = DefaultJobs
	}
	return &remote{
		client: &client{
			login:  login,
			http:   newHTTPClient(o.Jobs),
			policy: o.Retry,
			slots:  make(chan struct{}, o.Jobs),
			idle:   idleTimeout,
			warn:   warnings{login: login, tell: o.OnWarning, known: map[string]bool{}},
		},
		name:    name,
		options: o,
		files:   rangeread.New(rangeread.Options{Header: login.Header, Retry: o.Retry, MaxInFlight: o.Jobs}),
	}, nil
}

func (r *remote) String() string { return r.name.String() }

// what names an action on the repository in messages.
func (r *remote) what(action string) string { return r.String() + ": " + action }

// escape makes text one segment of a path.
func escape(text string) string { return url.PathEscape(text) }

// escapePath escapes each segment of a path once.
func escapePath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = escape(segment)
	}
	return strings.Join(segments, "/")
}

// api is a URL of the repository's API; revision "" is left out.
func (r *remote) api(kind, revision, query string) *url.URL {
	path := "/api/datasets/" + escapePath(r.name.ID) + "/" + kind
	if revision != "" {
		path += "/" + escape(revision)
	}
	return r.login.at(path, query)
}

func (r *remote) Create(ctx context.Context, private bool) error {
	owner, name, _ := strings.Cut(r.name.ID, "/")
	order := map[string]any{"type": "dataset", "organization": owner, "name": name}
	if private {
		order["private"] = true
	}
	req, err := post(r.login.at("/api/repos/create", ""), jsonType, order)
	if err != nil {
		return err
	}
	req.writes = true
	err = r.do(ctx, r.what("create"), req, ignore)
	switch {
	case hasStatus(err, http.StatusConflict):
		return nil // it is there
	case hasStatus(err, http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden):
		// Who may not make a repository may yet see that it is there.
		info := get(r.login.at("/api/datasets/"+escapePath(r.name.ID), ""))
		if r.do(ctx, r.what("find"), info, ignore) == nil {
			return nil
		}
	}
	return err
}

// ignore takes an answer whose status says all.
func ignore(*http.Response) error { return nil }

func (r *remote) Head(ctx context.Context) (string, error) {
	if isHex(r.name.Revision, 40) {
		return r.name.Revision, nil
	}
	var info struct{ SHA string }
	req := get(r.api("revision", r.name.Revision, "expand%5B%5D=sha"))
	err := r.do(ctx, r.what("find the head"), req, func(resp *http.Response) error { return decode(resp, &info) })
	switch {
	case err != nil:
		return "", err
	case info.SHA == "":
		return noCommit, nil
	case !isHex(info.SHA, 40):
		return "", fmt.Errorf("%s: the hub's answer names no commit as head", r)
	}
	return info.SHA, nil
}

// pin is the commit that is meant; "" is the head.
func (r *remote) pin(ctx context.Context, commit string) (string, error) {
	if commit != "" {
		return commit, nil
	}
	return r.Head(ctx)
}

func (r *remote) Open(ctx context.Context, file File) (Content, error) {
	if file.URL == "" {
		return nil, fmt.Errorf("%s: %s: it has no URL: take it from List or Lookup", r, file.Path)
	}
	opened, err := r.files.Open(ctx, file.URL, file.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return opened, nil
}

// entry is a file or folder as the hub describes it.
type entry struct {
	Type string `json:"type"` // "file" or "directory"
	Path string `json:"path"`
	OID  string `json:"oid"`
	Size int64  `json:"size"`
	LFS  *struct {
		OID  string `json:"oid"` // SHA-256
		Size int64  `json:"size"`
	} `json:"lfs"`
}

// check refuses what cannot be in a tree.
func (e *entry) check() error {
	if !isTreePath(e.Path) || e.Size < 0 || e.LFS != nil && (!isHex(e.LFS.OID, 64) || e.LFS.Size < 0) {
		return fmt.Errorf("the hub's answer has an entry that is wrong: %q of %d bytes", oneLine(e.Path), e.Size)
	}
	return nil
}

// file is what a listing tells of e, which is a file.
func (r *remote) file(commit string, e entry) File {
	f := File{Path: e.Path, Size: e.Size, OID: e.OID, Repo: r.name.ID, Revision: commit}
	if e.LFS != nil {
		f.SHA256, f.Size = e.LFS.OID, e.LFS.Size
	}
	path := "/datasets/" + escapePath(r.name.ID) + "/resolve/" + escape(commit) + "/" + escapePath(e.Path)
	f.URL = r.login.at(path, "").String()
	return f
}

// decodeEntries reads an array of entries.
func decodeEntries(resp *http.Response) ([]entry, error) {
	var entries []entry
	if err := decode(resp, &entries); err != nil {
		return nil, err
	}
	for i := range entries {
		if err := entries[i].check(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// jsonType is what the API speaks, but for LFS.
const jsonType = "application/json"
