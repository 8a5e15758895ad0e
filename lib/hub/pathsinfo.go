package hub

import (
	"context"
	"net/http"
)

// maxPaths is how many paths one request asks for: half of what the hub takes.
const maxPaths = 500

func (r *remote) Lookup(ctx context.Context, commit string, paths []string) ([]File, error) {
	commit, err := r.pin(ctx, commit)
	if err != nil || commit == noCommit {
		return nil, err
	}
	found, err := r.lookup(ctx, commit, paths)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, path := range paths {
		if e, ok := found[path]; ok && e.Type == "file" {
			files = append(files, r.file(commit, e))
		}
	}
	return files, nil
}

// lookup gives what a revision has at the paths, files and folders, by path.
func (r *remote) lookup(ctx context.Context, revision string, paths []string) (map[string]entry, error) {
	found := make(map[string]entry, len(paths))
	most := maxPaths
	for len(paths) > 0 {
		batch := paths[:min(most, len(paths))]
		entries, err := r.pathsInfo(ctx, revision, batch)
		if hasStatus(err, http.StatusRequestEntityTooLarge) && len(batch) > 1 {
			most = len(batch) / 2
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			found[e.Path] = e
		}
		paths = paths[len(batch):]
	}
	return found, nil
}

func (r *remote) pathsInfo(ctx context.Context, revision string, paths []string) (entries []entry, err error) {
	req, err := post(r.api("paths-info", revision, ""), jsonType, map[string]any{"paths": paths, "expand": false})
	if err != nil {
		return nil, err
	}
	err = r.do(ctx, r.what("look up files"), req, func(resp *http.Response) (err error) {
		entries, err = decodeEntries(resp)
		return err
	})
	return entries, err
}
