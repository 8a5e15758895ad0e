package hub

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// maxRules is how many bytes a .gitattributes or .gitignore may have to be told of
// ahead of its commit.
const maxRules = 1 << 20

// preupload asks how the repository will keep files, at most maxBatch of them.
func (t *transaction) preupload(ctx context.Context, files []*adding) error {
	for batch := range slices.Chunk(files, maxBatch) {
		if err := t.preuploadBatch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) preuploadBatch(ctx context.Context, files []*adding) error {
	what := t.what("prepare the commit")
	order, err := t.preuploadOrder(files)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	req, err := post(t.api("preupload", t.name.Revision, t.pullQuery()), jsonType, order)
	if err != nil {
		return err
	}
	req.writes = true
	var answer preuploadAnswer
	err = t.do(ctx, what, req, func(resp *http.Response) error {
		answer = preuploadAnswer{}
		return decode(resp, &answer)
	})
	if err != nil {
		return err
	}
	if err := answer.apply(files); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// preuploadOrder has the rules with it that the same commit changes: they count for
// its own files.
func (t *transaction) preuploadOrder(files []*adding) (map[string]any, error) {
	type file struct {
		Path   string `json:"path"`
		Size   int64  `json:"size"`
		Sample []byte `json:"sample"`
	}
	listed := make([]file, len(files))
	for i, f := range files {
		sample, err := f.start(maxSample)
		if err != nil {
			return nil, err
		}
		listed[i] = file{f.add.Path, f.add.Size, sample}
	}
	order := map[string]any{"files": listed}
	for _, f := range t.files {
		key := map[string]string{".gitattributes": "gitAttributes", ".gitignore": "gitIgnore"}[f.add.Path]
		if key == "" || f.add.Source == nil {
			continue
		}
		text, err := f.start(maxRules)
		if err != nil {
			return nil, err
		}
		order[key] = string(text)
	}
	return order, nil
}

// preuploadAnswer says of each path how it is kept, and what is there now.
type preuploadAnswer struct {
	Files []struct {
		Path   string `json:"path"`
		Mode   string `json:"uploadMode"`
		Ignore bool   `json:"shouldIgnore"`
		OID    string `json:"oid"` // SHA-256 of an LFS file, of others the git blob
	} `json:"files"`
}

// apply settles files that need no adding, and tells of the others how.
func (a *preuploadAnswer) apply(files []*adding) error {
	byPath := make(map[string]int, len(a.Files))
	for i, answer := range a.Files {
		byPath[answer.Path] = i
	}
	for _, f := range files {
		i, ok := byPath[f.add.Path]
		if !ok {
			return fmt.Errorf("%s: the hub's answer says nothing of it", f.add.Path)
		}
		switch answer := a.Files[i]; {
		case answer.Mode != "lfs" && answer.Mode != "regular":
			return fmt.Errorf("%s: the hub wants it uploaded by %q, which is not known here", f.add.Path, oneLine(answer.Mode))
		case answer.Ignore:
			f.state = Ignored
		case answer.OID != "" && (answer.OID == f.oid || answer.OID == f.add.SHA256):
			f.state = Unchanged
		default:
			// The store refuses empty objects.
			f.state, f.lfs = Added, answer.Mode == "lfs" && f.add.Size > 0
		}
	}
	return nil
}
