package hub

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// piece is a range of an object, in bytes.
type piece struct{ offset, length int64 }

// put sends a piece to a signed URL and returns its ETag as the store wrote it, with
// its quotes. A URL that has expired, or
// parts that the store has dropped, fail with again.
func (r *remote) put(ctx context.Context, what string, o *object, to target, p piece) (tag string, err error) {
	req := request{
		method: http.MethodPut,
		url:    to.url,
		header: to.header,
		body:   func() (io.ReadCloser, error) { return o.source.section(p.offset, p.length) },
		length: p.length,
		signed: true,
	}
	err = r.do(ctx, what, req, func(resp *http.Response) error {
		tag = resp.Header.Get("ETag")
		return nil
	})
	if hasStatus(err, http.StatusForbidden, http.StatusUnauthorized, http.StatusNotFound) {
		err = again{err}
	}
	return tag, err
}

// complete has the hub put the parts of an object together. If an earlier success
// was lost on the way, it knows nothing of them any more, and the batch tells.
func (r *remote) complete(ctx context.Context, what string, o *object, to target, tags []string) error {
	type part struct {
		Number int    `json:"partNumber"`
		ETag   string `json:"etag"`
	}
	parts := make([]part, len(tags))
	for i, tag := range tags {
		if tag == "" {
			return fmt.Errorf("%s: the store gave no ETag for part %d, without which the parts cannot be put together", what, i+1)
		}
		parts[i] = part{i + 1, tag}
	}
	req, err := post(to.url, gitLFS, map[string]any{"oid": o.sha256, "parts": parts})
	if err != nil {
		return err
	}
	req.signed = true
	err = r.do(ctx, what+": complete", req, ignore)
	if hasStatus(err, http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound) {
		err = again{err}
	}
	return err
}

// verify asks the hub whether the store has an object in its full size.
func (r *remote) verify(ctx context.Context, what string, o *object, to *target) error {
	req, err := post(to.url, gitLFS, map[string]any{"oid": o.sha256, "size": o.size})
	if err != nil {
		return err
	}
	req.writes = true
	for key, values := range to.header {
		req.header[key] = values
	}
	err = r.do(ctx, what+": verify", req, ignore)
	if hasStatus(err, http.StatusNotFound, http.StatusUnprocessableEntity) {
		err = again{err}
	}
	return err
}
