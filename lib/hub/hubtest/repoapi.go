package hubtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

const stamp = "2006-01-02T15:04:05.000Z"

func (h *Hub) whoami(c *call) (reply, error) {
	role := c.who.Role
	if role != RoleWrite {
		role = RoleRead
	}
	return jsonReply(200, map[string]any{
		"type": "user", "id": "62f0000000000000000000aa", "name": c.who.Name, "fullname": c.who.Name,
		"isPro": false, "orgs": []any{},
		"auth": map[string]any{"type": "access_token", "accessToken": map[string]any{
			"displayName": "hubtest", "role": role, "createdAt": h.now().UTC().Format(stamp)}},
	}), nil
}

// repoRequest is the body of create and delete.
type repoRequest struct {
	Name         string  `json:"name"`
	Organization *string `json:"organization"`
	Type         string  `json:"type"`
	Private      bool    `json:"private"`
	Visibility   string  `json:"visibility"`
}

func (c *call) repoRequest() (repoRequest, string, error) {
	var asked repoRequest
	if err := c.decode(&asked); err != nil {
		return asked, "", err
	}
	if asked.Type != "dataset" {
		return asked, "", badRequest("type: this hub has datasets alone, not %q", asked.Type)
	}
	namespace := c.who.Name
	if asked.Organization != nil {
		namespace = *asked.Organization
	}
	name := namespace + "/" + asked.Name
	if strings.Contains(asked.Name, "/") {
		name = asked.Name
	}
	if strings.Count(name, "/") != 1 || strings.HasSuffix(name, "/") || strings.HasPrefix(name, "/") {
		return asked, "", badRequest("name: %q is no repo name", name)
	}
	return asked, name, c.who.mayWrite(false)
}

func (h *Hub) createRepo(c *call) (reply, error) {
	asked, name, err := c.repoRequest()
	if err != nil {
		return nil, err
	}
	at := h.hubURL + "/datasets/" + name
	if h.repos[name] != nil {
		e := refuse(http.StatusConflict, "", "You already created this dataset repo")
		e.extra = map[string]any{"url": at}
		return nil, e
	}
	r := h.newRepo(name, RepoOptions{Private: asked.Private || asked.Visibility == "private"}, c.who.Name)
	return jsonReply(200, map[string]any{"url": at, "name": name, "id": r.id}), nil
}

func (h *Hub) deleteRepo(c *call) (reply, error) {
	_, name, err := c.repoRequest()
	if err != nil {
		return nil, err
	}
	if h.repos[name] == nil {
		return nil, refuse(http.StatusNotFound, "RepoNotFound", "Repository not found")
	}
	delete(h.repos, name)
	return jsonReply(200, "OK"), nil
}

func (h *Hub) info(c *call) (reply, error) {
	at, err := c.repo.seen(c.rev)
	if err != nil {
		return nil, err
	}
	author, _, _ := strings.Cut(c.repo.name, "/")
	gated := any(false)
	if c.repo.Gated {
		gated = "auto"
	}
	siblings, used := []map[string]any{}, int64(0)
	for _, e := range at.tree.list(true) {
		if e.dir != nil {
			continue
		}
		used += e.file.size
		sibling := map[string]any{"rfilename": e.path}
		if c.flag("blobs") {
			sibling["size"], sibling["blobId"] = e.file.size, e.oid
			if lfs := lfsOf(e.node); lfs != nil {
				sibling["lfs"] = map[string]any{"sha256": lfs.Oid, "size": lfs.Size, "pointerSize": lfs.PointerSize}
			}
		}
		siblings = append(siblings, sibling)
	}
	all := map[string]any{
		"_id": c.repo.id, "id": c.repo.name, "author": author, "sha": at.id, "lastModified": at.date.UTC().Format(stamp),
		"private": c.repo.Private, "gated": gated, "disabled": c.repo.Disabled, "tags": []string{}, "downloads": 0, "likes": 0,
		"siblings": siblings, "createdAt": c.repo.created.UTC().Format(stamp), "usedStorage": used,
	}
	if wanted := c.r.URL.Query()["expand[]"]; len(wanted) > 0 {
		wanted = append(wanted, "_id", "id")
		maps.DeleteFunc(all, func(key string, _ any) bool { return !slices.Contains(wanted, key) })
	}
	return jsonReply(200, all), nil
}

// validateYAML looks at the front matter as far as to see whether it is one.
func (h *Hub) validateYAML(c *call) (reply, error) {
	var asked struct {
		Content  string `json:"content"`
		RepoType string `json:"repoType"`
	}
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	type note struct {
		Message string `json:"message"`
	}
	problems := map[string][]note{"errors": {}, "warnings": {}}
	front, ok := strings.CutPrefix(asked.Content, "---\n")
	front, _, closed := strings.Cut("\n"+front, "\n---")
	switch {
	case !ok:
		problems["warnings"] = append(problems["warnings"], note{"empty or missing yaml metadata in repo card"})
	case !closed:
		problems["errors"] = append(problems["errors"], note{"the yaml metadata has no end"})
	case strings.Contains(front, "\n\t"):
		problems["errors"] = append(problems["errors"], note{"bad indentation: tabs are not allowed"})
	}
	return jsonReply(200, problems), nil
}
