package hubtest

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"path"
	"slices"
	"strings"
)

// preuploadFile is a file that a client means to commit.
type preuploadFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Sample string `json:"sample"`
}

// preuploaded is what preupload answers for a path.
type preuploaded struct {
	Path         string `json:"path"`
	UploadMode   string `json:"uploadMode"`
	ShouldIgnore bool   `json:"shouldIgnore"`
	Oid          any    `json:"oid,omitempty"`
}

func (h *Hub) preupload(c *call) (reply, error) {
	var asked struct {
		Files         []preuploadFile `json:"files"`
		GitAttributes *string         `json:"gitAttributes"`
		GitIgnore     *string         `json:"gitIgnore"`
	}
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	if len(asked.Files) > 256 {
		return nil, refuse(http.StatusRequestEntityTooLarge, "", "Payload Too Large: at most 256 files")
	}
	if err := c.who.mayWrite(c.flag("create_pr") || strings.HasPrefix(c.rev, "refs/pr/")); err != nil {
		return nil, err
	}
	at, err := c.repo.revision(c.rev)
	if err != nil {
		return nil, err
	}
	tracked := trackedBy(at.tree)
	if asked.GitAttributes != nil {
		tracked = patterns(*asked.GitAttributes)
	}
	ignored := h.settings.Ignore
	if asked.GitIgnore != nil {
		ignored = append(strings.Fields(*asked.GitIgnore), ignored...)
	}
	files := []preuploaded{}
	for _, f := range asked.Files {
		answer, err := h.preuploaded(f, at.tree, tracked, ignored)
		if err != nil {
			return nil, err
		}
		files = append(files, answer)
	}
	if f, omit := suffers(c.r, Omit); omit {
		files = slices.DeleteFunc(files, func(a preuploaded) bool { return strings.Contains(a.Path, f.Object) })
	}
	files = scatter(h.settings.Shuffle, files, func(a preuploaded) string { return a.Path })
	return jsonReply(200, map[string]any{"files": files, "commitOid": at.id}), nil
}

// preuploaded decides how a file is to be sent, and says what is at its path now.
func (h *Hub) preuploaded(f preuploadFile, tree *node, tracked, ignored []string) (preuploaded, error) {
	sample, err := base64.StdEncoding.DecodeString(f.Sample)
	if err != nil || len(sample) > 512 || int64(len(sample)) > f.Size {
		return preuploaded{}, badRequest("%s: the sample is not base64 of the first 512 bytes", f.Path)
	}
	answer := preuploaded{Path: f.Path, UploadMode: "regular", ShouldIgnore: matchAny(ignored, f.Path)}
	if f.Size >= h.settings.LFSFrom || bytes.IndexByte(sample, 0) >= 0 || matchAny(tracked, f.Path) {
		answer.UploadMode = "lfs"
	}
	n := tree.find(f.Path)
	switch there := n != nil && n.dir == nil; {
	case there && h.settings.Oid != OidHidden:
		answer.Oid = n.file.known()
	case !there && h.settings.Oid == OidNull:
		answer.Oid = (*string)(nil)
	}
	return answer, nil
}

// trackedBy has the patterns of the files that a tree keeps by LFS.
func trackedBy(tree *node) []string {
	n := tree.find(".gitattributes")
	if n == nil || n.dir != nil {
		return nil
	}
	return patterns(string(n.file.content))
}

func patterns(attributes string) []string {
	var all []string
	for line := range strings.Lines(attributes) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "filter=lfs" {
			all = append(all, strings.ReplaceAll(fields[0], "[[:space:]]", "[ ]"))
		}
	}
	return all
}

// trackLine is the line that has a path kept by LFS.
func trackLine(p string) string {
	escape := strings.NewReplacer(" ", "[[:space:]]", "*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`)
	return escape.Replace(p) + " filter=lfs diff=lfs merge=lfs -text\n"
}

// matchAny matches as git does: a pattern without a slash is about the name alone.
func matchAny(patterns []string, p string) bool {
	for _, pattern := range patterns {
		name := p
		if !strings.Contains(pattern, "/") {
			name = path.Base(p)
		}
		if ok, err := path.Match(strings.TrimPrefix(pattern, "/"), name); ok && err == nil {
			return true
		}
	}
	return false
}
