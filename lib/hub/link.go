package hub

import (
	"slices"
	"strings"
)

// nextLink finds the address with rel="next" in Link headers (RFC 8288).
func nextLink(values []string) (address string, ok bool) {
	for _, value := range values {
		for value != "" {
			_, rest, found := strings.Cut(value, "<")
			if !found {
				break
			}
			address, rest, found = strings.Cut(rest, ">")
			if !found {
				break
			}
			parameters, after := cutUnquoted(rest, ',')
			if isNext(parameters) {
				return address, true
			}
			value = after
		}
	}
	return "", false
}

// isNext looks for "next" among the relations of a link's parameters.
func isNext(parameters string) bool {
	for parameters != "" {
		var parameter string
		parameter, parameters = cutUnquoted(parameters, ';')
		name, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "rel") {
			continue
		}
		relations := strings.Fields(strings.Trim(strings.TrimSpace(value), `"`))
		return slices.ContainsFunc(relations, func(rel string) bool { return strings.EqualFold(rel, "next") })
	}
	return false
}

// cutUnquoted cuts text at the first sep outside of quotes.
func cutUnquoted(text string, sep byte) (before, after string) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == sep && !quoted:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}
