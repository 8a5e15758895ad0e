package transport

import (
	"strconv"
	"strings"
)

// ContentRange reads "bytes 5-9/10" (RFC 9110, section 14.4). All are -1 if it is
// anything else, also a range of unknown full length.
func ContentRange(value string) (first, last, size int64) {
	span, isBytes := strings.CutPrefix(value, "bytes ")
	span, total, _ := strings.Cut(span, "/")
	from, to, _ := strings.Cut(span, "-")
	first, last, size = Length(from), Length(to), Length(total)
	if !isBytes || first < 0 || last < first || size <= last {
		return -1, -1, -1
	}
	return first, last, size
}

// Unsatisfied reads the full length in "bytes */10", -1 if it is anything else.
func Unsatisfied(value string) int64 {
	total, ok := strings.CutPrefix(value, "bytes */")
	if !ok {
		return -1
	}
	return Length(total)
}

// Length reads digits alone, -1 if they are not a length.
func Length(digits string) int64 {
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}
