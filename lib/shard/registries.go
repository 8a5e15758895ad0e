package shard

import (
	"maps"
	"slices"
	"strings"
)

// maxRegistries bounds the names in a footer, in bytes. Thirty thousand rows of
// news lie under some two hundred registries, which are 2 KB.
const maxRegistries = 6 << 10

// registries collects [Index.Registries].
type registries struct {
	names map[string]bool
	size  int  // bytes of names
	none  bool // they cannot be told, or are too many
}

func (g *registries) add(host, domain string) {
	if host == "" || g.none {
		return
	}
	name := host
	if domain != "" {
		_, name, _ = strings.Cut(domain, ".")
	}
	if domain != "" && (name == "" || host != domain && !strings.HasSuffix(host, "."+domain)) {
		g.none = true // not what the domain of a host is
		return
	}
	if g.names[name] {
		return
	}
	if g.size += len(name) + len(`,""`); g.size > maxRegistries {
		g.none = true
		return
	}
	if g.names == nil {
		g.names = map[string]bool{}
	}
	g.names[strings.Clone(name)] = true
}

// sorted is nil if the names cannot be told, and not nil without any.
func (g *registries) sorted() []string {
	if g.none {
		return nil
	}
	names := slices.AppendSeq(make([]string, 0, len(g.names)), maps.Keys(g.names))
	slices.Sort(names)
	return names
}

// domains are the values that the registered domain of a host can have that is
// domain or below it; ok is false if there are others.
func (x *Index) domains(domain string) (values []string, ok bool) {
	if x.Registries == nil {
		return nil, false
	}
	for _, name := range x.Registries {
		if name == domain || strings.HasSuffix(name, "."+domain) {
			return nil, false
		}
	}
	for name := domain; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
		values = append(values, name)
	}
	return values, true
}
