package hubtest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type lfsEntry struct {
	Oid         string `json:"oid"`
	Size        int64  `json:"size"`
	PointerSize int    `json:"pointerSize"`
}

type lastCommit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Date  string `json:"date"`
}

// treeEntry is how listings show a file or folder.
type treeEntry struct {
	Type               string          `json:"type"`
	Oid                string          `json:"oid"`
	Size               int64           `json:"size"`
	LFS                *lfsEntry       `json:"lfs,omitempty"`
	XetHash            string          `json:"xetHash,omitempty"`
	Path               string          `json:"path"`
	LastCommit         *lastCommit     `json:"lastCommit,omitempty"`
	SecurityFileStatus json.RawMessage `json:"securityFileStatus,omitempty"`
}

func lfsOf(n *node) *lfsEntry {
	if n.dir != nil || n.file.sha256 == "" {
		return nil
	}
	return &lfsEntry{n.file.sha256, n.file.size, len(pointer(n.file.sha256, n.file.size))}
}

// xetHash stands in for the id that the Hub's own store has for an object.
func xetHash(sha256 string) string { return hash256("xet " + sha256) }

func show(path string, n *node, expand bool) treeEntry {
	e := treeEntry{Type: "directory", Oid: n.oid, Path: path}
	if n.dir == nil {
		e.Type, e.Size, e.LFS = "file", n.file.size, lfsOf(n)
		if e.LFS != nil {
			e.XetHash = xetHash(e.LFS.Oid)
		}
	}
	if expand {
		e.LastCommit = &lastCommit{n.last.id, n.last.title, n.last.date.UTC().Format(stamp)}
		e.SecurityFileStatus = json.RawMessage("null")
	}
	return e
}

// cursor is where a listing goes on: in the tree it began in, though the branch may have moved on.
type cursor struct {
	FileName string `json:"file_name"`
	TreeOid  string `json:"tree_oid"`
	count    int
}

func (at cursor) String() string {
	inner, _ := json.Marshal(at)
	return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(inner) + ":" + strconv.Itoa(at.count)))
}

func parseCursor(s string) (cursor, error) {
	var at cursor
	outer, err := base64.StdEncoding.DecodeString(s)
	inner, count, ok := strings.Cut(string(outer), ":")
	if err == nil && ok {
		var raw []byte
		if raw, err = base64.StdEncoding.DecodeString(inner); err == nil {
			err = json.Unmarshal(raw, &at)
		}
	}
	if at.count, _ = strconv.Atoi(count); err != nil || at.count <= 0 {
		return at, badRequest("Invalid cursor")
	}
	return at, nil
}

func (h *Hub) tree(c *call) (reply, error) {
	at, err := c.repo.revision(c.rev)
	if err != nil {
		return nil, err
	}
	root, from := at.tree, 0
	query := c.r.URL.Query()
	if given := query.Get("cursor"); given != "" {
		place, err := parseCursor(given)
		if err != nil {
			return nil, err
		}
		if root = c.repo.pinned[place.TreeOid]; root == nil {
			return nil, badRequest("Invalid cursor: no such tree")
		}
		from = place.count
	}
	folder := root.find(c.path)
	if folder == nil || folder.dir == nil {
		return nil, refuse(http.StatusNotFound, "EntryNotFound", fmt.Sprintf("%s does not exist on %q", c.path, c.rev))
	}
	expand := c.flag("expand")
	limit := h.settings.PageSize
	if expand {
		limit = h.settings.ExpandPageSize
	}
	asked, _ := strconv.Atoi(query.Get("limit"))
	limit = min(limit, cmp.Or(max(asked, 0), limit))

	entries := scatter(h.settings.Shuffle, folder.list(c.flag("recursive")), entry.key)
	end := min(from+limit, len(entries))
	page := []treeEntry{}
	for _, e := range entries[min(from, end):end] {
		page = append(page, show(strings.TrimPrefix(c.path+"/"+e.path, "/"), e.node, expand))
	}
	c.header.Set("X-Repo-Commit", at.id)
	if end < len(entries) {
		c.repo.pinned[root.oid] = root
		h.linkNext(c, limit, cursor{FileName: page[len(page)-1].Path, TreeOid: root.oid, count: end})
	}
	return jsonReply(200, page), nil
}

// scatter puts elements in an order that looks like none and is the same in every run, if it is on.
func scatter[S ~[]T, T any](on bool, all S, key func(T) string) S {
	if !on {
		return all
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(hash256(key(a)), hash256(key(b))) })
	return all
}

func (e entry) key() string { return e.path }

func (h *Hub) linkNext(c *call, limit int, at cursor) {
	next := fmt.Sprintf("%s?expand=%t&recursive=%t&limit=%d&cursor=%s",
		c.r.URL.EscapedPath(), c.flag("expand"), c.flag("recursive"), limit, url.QueryEscape(at.String()))
	link := func(target, rel string) string { return fmt.Sprintf(`<%s>; rel="%s"`, target, rel) }
	switch h.settings.NextLink {
	case LinkRelative:
		c.header.Set("Link", link(next, "next"))
	case LinkForeign:
		c.header.Set("Link", link(h.storageURL+next, "next"))
	case LinkRepeated:
		c.header.Set("Link", link(h.hubURL+c.r.URL.RequestURI(), "next"))
	case LinkSeveral:
		first := link(h.hubURL+c.r.URL.EscapedPath()+"?rel=next,first", "first")
		c.header.Add("Link", link(h.hubURL+"/docs;rel=next", "help"))
		c.header.Add("Link", first+", "+link(h.hubURL+next, "next")+`; title="more, and more"`)
	default:
		c.header.Set("Link", link(h.hubURL+next, "next"))
	}
}

func (h *Hub) pathsInfo(c *call) (reply, error) {
	var asked struct {
		Paths  []string `json:"paths"`
		Expand bool     `json:"expand"`
	}
	switch kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); kind {
	case "application/json":
		if err := c.decode(&asked); err != nil {
			return nil, err
		}
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(c.body))
		if err != nil {
			return nil, badRequest("the body is no form: %v", err)
		}
		asked.Paths, asked.Expand = form["paths"], strings.EqualFold(form.Get("expand"), "true")
	default:
		return nil, badRequest("Content-Type: neither JSON nor a form")
	}
	if len(asked.Paths) > 1000 {
		return nil, refuse(http.StatusRequestEntityTooLarge, "", "too many parameters")
	}
	at, err := c.repo.revision(c.rev)
	if err != nil {
		return nil, err
	}
	var found []entry
	for _, path := range asked.Paths {
		path = strings.Trim(path, "/")
		if n := at.tree.find(path); n != nil && path != "" {
			found = append(found, entry{path, n})
		}
	}
	answer := []treeEntry{}
	for _, e := range scatter(h.settings.Shuffle, found, entry.key) {
		answer = append(answer, show(e.path, e.node, asked.Expand))
	}
	return jsonReply(200, answer), nil
}
