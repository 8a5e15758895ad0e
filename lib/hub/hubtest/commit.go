package hubtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
)

// change is a line of a commit behind its header.
type change struct {
	key  string
	path string
	file *file // to put; nil for one to take away
}

type commitHeader struct {
	Summary      string `json:"summary"`
	Description  string `json:"description"`
	ParentCommit string `json:"parentCommit"`
}

type commitLine struct {
	Key   string `json:"key"`
	Value struct {
		commitHeader
		Path     string `json:"path"`
		Content  string `json:"content"`
		Encoding string `json:"encoding"`
		Algo     string `json:"algo"`
		Oid      string `json:"oid"`
		Size     *int64 `json:"size"`
	} `json:"value"`
}

func (h *Hub) commit(c *call) (reply, error) {
	pull := c.flag("create_pr")
	if kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); kind != "application/x-ndjson" {
		return nil, badRequest("Content-Type: a commit is application/x-ndjson")
	}
	header, changes, err := h.readCommit(c.body)
	if err != nil {
		return nil, err
	}
	ref, ok := c.repo.ref(c.rev)
	if !ok {
		if _, err := c.repo.revision(c.rev); err != nil {
			return nil, err
		}
		return nil, badRequest("%s: is no branch", c.rev)
	}
	if err := c.who.mayWrite(pull || strings.HasPrefix(ref, "refs/pr/")); err != nil {
		return nil, err
	}
	if err := h.commitQuota(c.repo, c.header); err != nil {
		return nil, err
	}
	head := c.repo.refs[ref]
	if p := header.ParentCommit; p != "" && (len(p) < 7 || !strings.HasPrefix(head.id, p)) {
		return nil, refuse(http.StatusPreconditionFailed, "", "A commit has happened since. Please refresh and try again.")
	}
	next, err := h.build(head, header, changes, c.who.Name)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"success": true, "hookOutput": ""}
	if pull {
		var number int
		number, ref = c.repo.openPull(head)
		answer["pullRequestUrl"] = fmt.Sprintf("%s/datasets/%s/discussions/%d", h.hubURL, c.repo.name, number)
	}
	c.repo.advance(ref, next)
	c.repo.stale[ref] = h.settings.StaleReads
	c.repo.made = append(c.repo.made, h.now())
	answer["commitOid"] = next.id
	answer["commitUrl"] = fmt.Sprintf("%s/datasets/%s/commit/%s", h.hubURL, c.repo.name, next.id)
	return jsonReply(200, answer), nil
}

// readCommit reads and checks the lines; nothing is changed by it.
func (h *Hub) readCommit(body []byte) (header commitHeader, changes []change, err error) {
	seen := false
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var l commitLine
		if err := json.Unmarshal(line, &l); err != nil {
			return header, nil, badRequest("a line of the commit is no JSON: %v", err)
		}
		if (l.Key == "header") == seen {
			return header, nil, badRequest("a commit begins with its header, and has one")
		}
		if !seen {
			header, seen = l.Value.commitHeader, true
			continue
		}
		one, err := h.readChange(l)
		if err != nil {
			return header, nil, err
		}
		changes = append(changes, one)
	}
	if !seen || header.Summary == "" {
		return header, nil, badRequest("a commit has a header with a summary")
	}
	return header, changes, nil
}

func (h *Hub) readChange(l commitLine) (change, error) {
	v := l.Value
	one := change{key: l.Key, path: v.Path}
	if err := checkPath(strings.TrimSuffix(v.Path, "/")); err != nil {
		return one, err
	}
	switch l.Key {
	case "file":
		content := []byte(v.Content)
		if v.Encoding != "utf-8" {
			var err error
			if content, err = base64.StdEncoding.DecodeString(v.Content); err != nil || v.Encoding != "base64" {
				return one, badRequest("%s: the content is not %q", v.Path, v.Encoding)
			}
		}
		one.file = regular(content)
	case "lfsFile":
		object := h.store.objects[v.Oid]
		if v.Algo != "sha256" || !sha256Form.MatchString(v.Oid) {
			return one, badRequest("%s: algo or oid is not one", v.Path)
		}
		if object == nil {
			return one, badRequest("Your push was rejected because an LFS pointer pointed to a file that does not exist. For instance, this can happen if you used git push --no-verify to push your changes. Offending file: - %s", v.Path)
		}
		size := object.size
		if v.Size != nil {
			size = *v.Size
		}
		one.file = pointed(v.Oid, size)
	case "deletedFile", "deletedFolder":
	default:
		return one, badRequest("a commit has no %q lines", l.Key)
	}
	return one, nil
}

// checkPath refuses what git has no name for.
func checkPath(p string) error {
	for name := range strings.SplitSeq(p, "/") {
		if slices.Contains([]string{"", ".", "..", ".git"}, name) || strings.ContainsRune(name, 0) {
			return badRequest("%q is no path of a repo", p)
		}
	}
	return nil
}

// build makes the commit that has all the changes; head stays as it is.
func (h *Hub) build(head *commit, header commitHeader, changes []change, author string) (*commit, error) {
	next := &commit{parent: head, title: header.Summary, text: header.Description, author: author, date: h.now()}
	e := edit(next)
	tracked, lines := trackedBy(head.tree), ""
	for _, one := range changes {
		var err error
		switch one.key {
		case "deletedFile", "deletedFolder":
			err = e.remove(one.path, one.key == "deletedFolder")
		default:
			err = e.put(one.path, one.file)
		}
		if err != nil {
			return nil, err
		}
		if one.file != nil && one.file.sha256 != "" && !matchAny(tracked, one.path) {
			lines += trackLine(one.path)
		}
	}
	if lines != "" {
		var old []byte
		if n := next.tree.find(".gitattributes"); n != nil && n.dir == nil {
			old = n.file.content
		}
		if err := e.put(".gitattributes", regular(append(bytes.Clone(old), lines...))); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// commitQuota counts commits an hour. Its 429 shows the api bucket, which is not the one that is empty.
func (h *Hub) commitQuota(r *repo, header http.Header) error {
	quota := h.settings.CommitQuota
	hourAgo := h.now().Add(-time.Hour)
	r.made = slices.DeleteFunc(r.made, func(t time.Time) bool { return !t.After(hourAgo) })
	if quota <= 0 || len(r.made) < quota {
		return nil
	}
	header.Set("RateLimit", `"api";r=949;t=271`)
	return refuse(http.StatusTooManyRequests, "", fmt.Sprintf(
		"You have exceeded the rate limit for repository commits (%d per hour). You can retry this action in about 1 hour. If you need higher limits, please contact us.", quota))
}
