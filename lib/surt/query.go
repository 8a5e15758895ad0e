package surt

import (
	"cmp"
	"slices"
	"strings"
)

// canonicalQuery decodes, escapes and folds a query, removes sessions from it, and sorts it. An
// escaped "&" has become a separator by then.
func canonicalQuery(query string) string {
	if query == "" {
		return ""
	}
	return sortParams(stripSessions(strings.ToLower(escape(unescape(query)))))
}

// A sessionParam is a form in which sites keep a visitor's session in the query.
type sessionParam struct {
	mark string                        // the query has it, or else is not looked at
	find func(query string) (int, int) // the last place that fits; the end is 0 if none does
}

var sessionParams = []sessionParam{
	{"jsessionid=", func(q string) (int, int) { return findLast(q, "jsessionid=", alphanumerics32) }},
	{"phpsessid=", func(q string) (int, int) { return findLast(q, "phpsessid=", alphanumerics32) }},
	{"sid=", func(q string) (int, int) { return findLast(q, "sid=", alphanumerics32) }},
	{"aspsessionid", func(q string) (int, int) { return findLast(q, "aspsessionid", aspSession) }},
	{"cftoken=", findColdFusion},
}

// stripSessions removes one session of each form from a lower-case query, with the "&" behind it.
// The end of a longer name will do: xsid=… leaves x. At the end of the query the "&" before stays.
func stripSessions(query string) string {
	original := query
	for _, param := range sessionParams {
		if !strings.Contains(original, param.mark) {
			continue
		}
		if start, end := param.find(query); end > 0 {
			query = query[:start] + strings.TrimPrefix(query[end:], "&")
		}
	}
	return query
}

// findLast finds the last name with a value of the right size that the parameter ends with.
func findLast(query, name string, valueSize func(string) int) (start, end int) {
	for limit := len(query); ; limit = start {
		start = strings.LastIndex(query[:limit], name)
		if start < 0 {
			return 0, 0
		}
		value := start + len(name)
		size := valueSize(query[value:])
		end = value + size
		if size > 0 && (end == len(query) || query[end] == '&') {
			return start, end
		}
	}
}

// findColdFusion finds cfid=…&cftoken=…, both with a value.
func findColdFusion(query string) (start, end int) {
	const id, token = "cfid=", "&cftoken="
	for limit := len(query); ; {
		middle := strings.LastIndex(query[:limit], token)
		if middle < 0 {
			return 0, 0
		}
		limit = middle
		end = len(query)
		if i := strings.IndexByte(query[middle+len(token):], '&'); i >= 0 {
			end = middle + len(token) + i
		}
		param := strings.LastIndexByte(query[:middle], '&') + 1
		start = strings.LastIndex(query[param:max(param, middle-1)], id)
		if start >= 0 && end > middle+len(token) {
			return param + start, end
		}
	}
}

// alphanumerics32 returns 32 if s begins with so many letters and digits, else 0.
func alphanumerics32(s string) int {
	return prefixSize(s, 32, func(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' })
}

// aspSession returns the size of eight letters, "=" and 24 letters at the start of s, else 0.
func aspSession(s string) int {
	if prefixSize(s, 8, isLetter) == 0 || !strings.HasPrefix(s[8:], "=") || prefixSize(s[9:], 24, isLetter) == 0 {
		return 0
	}
	return 8 + 1 + 24
}

// prefixSize returns n if s begins with n bytes of a kind, else 0.
func prefixSize(s string, n int, isKind func(byte) bool) int {
	if len(s) < n {
		return 0
	}
	for i := range n {
		if !isKind(s[i]) {
			return 0
		}
	}
	return n
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// sortParams sorts by name, then by value; no value comes before an empty one.
func sortParams(query string) string {
	if !strings.Contains(query, "&") {
		return query
	}
	params := strings.Split(query, "&")
	if slices.IsSortedFunc(params, compareParams) {
		return query
	}
	slices.SortFunc(params, compareParams)
	return strings.Join(params, "&")
}

func compareParams(a, b string) int {
	aName, aValue, aHas := strings.Cut(a, "=")
	bName, bValue, bHas := strings.Cut(b, "=")
	if c := strings.Compare(aName, bName); c != 0 {
		return c
	}
	if aHas != bHas {
		return cmp.Compare(len(a), len(b))
	}
	return strings.Compare(aValue, bValue)
}
