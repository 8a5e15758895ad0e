package hubtest

import (
	"net/http"
	"net/url"
	"strings"
)

// Route names a kind of request, in faults and in the record.
type Route string

const (
	RouteWhoami       Route = "whoami"
	RouteCreateRepo   Route = "create-repo"
	RouteDeleteRepo   Route = "delete-repo"
	RouteValidateYAML Route = "validate-yaml"
	RouteComplete     Route = "complete" // of a multipart upload
	RouteInfo         Route = "info"     // of a repo, at any revision
	RouteRefs         Route = "refs"
	RouteBranch       Route = "branch"
	RouteTag          Route = "tag"
	RouteCommits      Route = "commits" // the history
	RouteTree         Route = "tree"
	RoutePathsInfo    Route = "paths-info"
	RoutePreupload    Route = "preupload"
	RouteCommit       Route = "commit" // making one
	RouteDiscussions  Route = "discussions"
	RouteXetToken     Route = "xet-token"
	RouteBatch        Route = "batch"
	RouteVerify       Route = "verify"
	RouteResolve      Route = "resolve"
	RouteResolveCache Route = "resolve-cache"

	RoutePutObject Route = "put-object" // storage: a whole object
	RoutePutPart   Route = "put-part"   // storage: a part of one
	RouteDownload  Route = "download"   // storage: GET or HEAD of an object

	RouteUnknown Route = "unknown"
)

// target is what a URL asks for. rev and path are decoded.
type target struct {
	route     Route
	repo      string
	rev, path string
}

var plainRoutes = map[string]Route{
	"/api/whoami-v2":          RouteWhoami,
	"/api/repos/create":       RouteCreateRepo,
	"/api/repos/delete":       RouteDeleteRepo,
	"/api/validate-yaml":      RouteValidateYAML,
	"/api/complete_multipart": RouteComplete,
}

// repoRoutes have what follows /api/datasets/{namespace}/{name}/.
var repoRoutes = map[string]struct {
	route     Route
	rev, path bool // what may follow
}{
	"revision":        {RouteInfo, true, false},
	"refs":            {RouteRefs, false, false},
	"branch":          {RouteBranch, true, false},
	"tag":             {RouteTag, true, false},
	"commits":         {RouteCommits, true, false},
	"tree":            {RouteTree, true, true},
	"paths-info":      {RoutePathsInfo, true, false},
	"preupload":       {RoutePreupload, true, false},
	"commit":          {RouteCommit, true, false},
	"discussions":     {RouteDiscussions, false, false},
	"xet-write-token": {RouteXetToken, true, false},
	"xet-read-token":  {RouteXetToken, true, false},
}

// routeOfHub reads the escaped path: a revision is one segment, whose slashes are
// escaped, while a path may have them either way.
func routeOfHub(r *http.Request) target {
	escaped := r.URL.EscapedPath()
	if route, ok := plainRoutes[escaped]; ok {
		return target{route: route}
	}
	segments := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for i, segment := range segments {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return target{route: RouteUnknown}
		}
		segments[i] = decoded
	}
	switch {
	case len(segments) >= 4 && segments[0] == "api" && segments[1] == "datasets":
		return apiTarget(segments[2]+"/"+segments[3], segments[4:])
	case len(segments) >= 6 && segments[0] == "api" && segments[1] == "resolve-cache" && segments[2] == "datasets":
		return fileTarget(RouteResolveCache, segments[3:])
	case len(segments) >= 6 && segments[0] == "datasets" && segments[3] == "resolve":
		return fileTarget(RouteResolve, append(segments[1:3:3], segments[4:]...))
	case len(segments) == 7 && segments[0] == "datasets":
		return lfsTarget(segments[1], segments[2], strings.Join(segments[3:], "/"))
	}
	return target{route: RouteUnknown}
}

func apiTarget(repo string, rest []string) target {
	if len(rest) == 0 {
		return target{route: RouteInfo, repo: repo}
	}
	known, ok := repoRoutes[rest[0]]
	to := target{route: known.route, repo: repo}
	rest = rest[1:]
	if ok && known.rev && len(rest) > 0 {
		to.rev, rest = rest[0], rest[1:]
	} else if ok && known.rev {
		ok = false
	}
	if ok && known.path {
		to.path, rest = strings.Trim(strings.Join(rest, "/"), "/"), nil
	}
	if !ok || len(rest) > 0 {
		return target{route: RouteUnknown, repo: repo}
	}
	return to
}

func fileTarget(route Route, s []string) target {
	if len(s) < 4 {
		return target{route: RouteUnknown}
	}
	return target{route: route, repo: s[0] + "/" + s[1], rev: s[2], path: strings.Join(s[3:], "/")}
}

func lfsTarget(namespace, name, rest string) target {
	name, ok := strings.CutSuffix(name, ".git")
	routes := map[string]Route{"info/lfs/objects/batch": RouteBatch, "info/lfs/objects/verify": RouteVerify}
	if route, known := routes[rest]; ok && known {
		return target{route: route, repo: namespace + "/" + name}
	}
	return target{route: RouteUnknown}
}

// routeOfStorage tells requests to the storage apart by method and query.
func routeOfStorage(r *http.Request) target {
	folder, oid, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case ok && folder == "lfs" && r.Method == http.MethodPut && r.URL.Query().Has("uploadId"):
		return target{route: RoutePutPart, path: oid}
	case ok && folder == "lfs" && r.Method == http.MethodPut:
		return target{route: RoutePutObject, path: oid}
	case ok && folder == "xet-bridge-us" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		return target{route: RouteDownload, path: oid}
	}
	return target{route: RouteUnknown}
}
