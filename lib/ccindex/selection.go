package ccindex

import (
	"fmt"
	"strings"
)

// Selection is some of [Columns], by their place.
type Selection [len(Columns)]bool

// Select is the columns of these names. The error lists the names there are.
func Select(names ...string) (Selection, error) {
	var s Selection
	for _, name := range names {
		i := columnIndex(name)
		if i < 0 {
			return s, fmt.Errorf("%q is no column: they are %s", name, strings.Join(Columns[:], ", "))
		}
		s[i] = true
	}
	return s, nil
}

// SelectAll is all columns.
func SelectAll() (s Selection) {
	for i := range s {
		s[i] = true
	}
	return s
}

// With is what s or other selects.
func (s Selection) With(other Selection) Selection {
	for i, selected := range other {
		s[i] = s[i] || selected
	}
	return s
}
