package hubtest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (h *Hub) refs(c *call) (reply, error) {
	type ref struct {
		Name         string `json:"name"`
		Ref          string `json:"ref"`
		TargetCommit string `json:"targetCommit"`
	}
	answer := map[string][]ref{"branches": {}, "converts": {}, "tags": {}}
	kinds := [][2]string{{"refs/heads/", "branches"}, {"refs/convert/", "converts"}, {"refs/tags/", "tags"}}
	if c.flag("include_prs") || c.flag("include_pull_requests") {
		answer["pullRequests"] = []ref{}
		kinds = append(kinds, [2]string{"refs/pr/", "pullRequests"})
	}
	for _, full := range slices.Sorted(maps.Keys(c.repo.refs)) {
		for _, kind := range kinds {
			if name, ok := strings.CutPrefix(full, kind[0]); ok {
				at, err := c.repo.seen(full)
				if err != nil {
					return nil, err
				}
				answer[kind[1]] = append(answer[kind[1]], ref{name, full, at.id})
			}
		}
	}
	return jsonReply(200, answer), nil
}

// setRef makes or deletes a branch or tag.
func (c *call) setRef(full, from string) (reply, error) {
	if err := c.who.mayWrite(false); err != nil {
		return nil, err
	}
	there := c.repo.refs[full] != nil
	if c.r.Method == http.MethodDelete {
		if !there {
			return nil, refuse(http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+full)
		}
		delete(c.repo.refs, full)
		return jsonReply(200, "OK"), nil
	}
	if there {
		return nil, refuse(http.StatusConflict, "", "Reference already exists")
	}
	at, err := c.repo.revision(from)
	if err != nil {
		return nil, err
	}
	c.repo.refs[full] = at
	return jsonReply(200, map[string]string{"name": full[strings.LastIndex(full, "/")+1:]}), nil
}

func (h *Hub) branch(c *call) (reply, error) {
	var asked struct {
		StartingPoint string `json:"startingPoint"`
	}
	if len(c.body) > 0 {
		if err := c.decode(&asked); err != nil {
			return nil, err
		}
	}
	return c.setRef("refs/heads/"+c.rev, asked.StartingPoint)
}

func (h *Hub) tag(c *call) (reply, error) {
	if c.r.Method == http.MethodDelete {
		return c.setRef("refs/tags/"+c.rev, "")
	}
	var asked struct {
		Tag string `json:"tag"`
	}
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	return c.setRef("refs/tags/"+asked.Tag, c.rev)
}

func (h *Hub) history(c *call) (reply, error) {
	at, err := c.repo.seen(c.rev)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	page, _ := strconv.Atoi(query.Get("p"))
	limit, _ := strconv.Atoi(query.Get("limit"))
	limit = min(cmp.Or(max(limit, 0), 100), h.settings.PageSize)
	for range page * limit {
		if at == nil {
			break
		}
		at = at.parent
	}
	type author struct {
		User string `json:"user"`
	}
	type line struct {
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Message string   `json:"message"`
		Authors []author `json:"authors"`
		Date    string   `json:"date"`
	}
	lines := []line{}
	for ; at != nil && len(lines) < limit; at = at.parent {
		lines = append(lines, line{at.id, at.title, at.text, []author{{at.author}}, at.date.UTC().Format(stamp)})
	}
	if at != nil {
		next := fmt.Sprintf("%s?p=%d&limit=%d", c.r.URL.EscapedPath(), page+1, limit)
		c.header.Set("Link", fmt.Sprintf(`<%s%s>; rel="next"`, h.hubURL, next))
	}
	return jsonReply(200, lines), nil
}

func (h *Hub) discussion(c *call) (reply, error) {
	var asked struct {
		Title       string `json:"title"`
		PullRequest bool   `json:"pullRequest"`
	}
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	if !asked.PullRequest || asked.Title == "" {
		return nil, badRequest("this hub opens pull requests alone, and they have a title")
	}
	if err := c.who.mayWrite(true); err != nil {
		return nil, err
	}
	number, _ := c.repo.openPull(c.repo.refs[mainRef])
	at := fmt.Sprintf("/datasets/%s/discussions/%d", c.repo.name, number)
	return jsonReply(200, map[string]any{"num": number, "pullRequest": true, "title": asked.Title, "status": "draft",
		"author": c.who.Name, "url": h.hubURL + at, "createdAt": h.now().UTC().Format(time.RFC3339)}), nil
}
