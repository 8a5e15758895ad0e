package hubtest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"time"
)

func errEntry() error {
	e := refuse(http.StatusNotFound, "EntryNotFound", "Entry not found")
	e.text = true
	return e
}

// resolve answers with where a file's bytes are: at the storage for an object, at
// resolve-cache for what git itself keeps.
func (h *Hub) resolve(c *call) (reply, error) {
	at, err := c.repo.revision(c.rev)
	if err != nil {
		return nil, err
	}
	c.header.Set("X-Repo-Commit", at.id)
	c.header.Set("Accept-Ranges", "bytes")
	n := at.tree.find(c.path)
	if n == nil || n.dir != nil {
		return nil, errEntry()
	}
	f := n.file
	c.header.Set("X-Linked-Size", strconv.FormatInt(f.size, 10))
	c.header.Set("X-Linked-ETag", `"`+f.known()+`"`)
	c.header.Set("Cache-Control", "no-cache")
	c.header.Set("Vary", "Origin, Accept")
	if f.sha256 == "" {
		if h.settings.Direct {
			return h.regularContent(c, f), nil
		}
		h.setETag(c.header, f.oid)
		// The slashes of the path are escaped, as live answers have them.
		return redirect(http.StatusTemporaryRedirect, fmt.Sprintf("/api/resolve-cache/datasets/%s/%s/%s?etag=%s",
			c.repo.name, at.id, url.PathEscape(c.path), url.QueryEscape(`"`+f.oid+`"`))), nil
	}
	if object := h.store.objects[f.sha256]; object != nil {
		c.header.Set("X-Linked-Size", strconv.FormatInt(object.size, 10))
	}
	hash := xetHash(f.sha256)
	c.header.Set("X-Xet-Hash", hash)
	c.header.Set("Link", fmt.Sprintf(`<%s/api/datasets/%s/xet-read-token/%s>; rel="xet-auth", <%s/v1/reconstructions/%s>; rel="xet-reconstruction-info"`,
		h.hubURL, c.repo.name, at.id, h.storageURL, hash))
	return redirect(http.StatusFound, h.downloadURL(f.sha256, path.Base(c.path))), nil
}

func redirect(status int, location string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		body := http.StatusText(status)
		w.Header().Set("Location", location)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// resolveCache wants the query that the redirect to it had.
func (h *Hub) resolveCache(c *call) (reply, error) {
	at, err := c.repo.revision(c.rev)
	if err != nil {
		return nil, err
	}
	n := at.tree.find(c.path)
	if n == nil || n.dir != nil || n.file.sha256 != "" {
		return nil, errEntry()
	}
	if c.r.URL.RawQuery != "etag="+url.QueryEscape(`"`+n.oid+`"`) {
		return nil, badRequest("etag: the query of the redirect is missing or was written anew")
	}
	c.header.Set("X-Repo-Commit", at.id)
	return h.regularContent(c, n.file), nil
}

func (h *Hub) regularContent(c *call, f *file) reply {
	c.header.Set("Content-Type", "text/plain; charset=utf-8")
	h.setETag(c.header, f.oid)
	name := path.Base(c.path)
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content))
	}
}

func (h *Hub) setETag(header http.Header, etag string) {
	switch h.settings.ETag {
	case ETagWeak:
		header.Set("ETag", `W/"`+etag+`"`)
	case ETagStrong:
		header.Set("ETag", `"`+etag+`"`)
	}
}
