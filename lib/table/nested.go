package table

import "github.com/parquet-go/parquet-go"

// Shape says how the values of a [Nested] column are built: as an object, a
// list, or a leaf of any other kind. Everything in it may be null.
type Shape struct {
	// Kind is that of a leaf.
	Kind Kind
	// Names and Fields are those of an object, in the order of the file.
	Names  []string
	Fields []*Shape
	// Element is what a list has.
	Element *Shape

	index  map[string]int
	first  []int  // the first leaf of each field, counted from the shape's own
	none   []bool // as many as there are fields
	leaves int    // Parquet columns
}

// NewList is the shape of arrays.
func NewList(element *Shape) *Shape {
	return &Shape{Kind: Nested, Element: element, leaves: element.leaves}
}

// NewLeaf is the shape of values that are not nested.
func NewLeaf(kind Kind) *Shape { return &Shape{Kind: kind, leaves: 1} }

// NewObject is the shape of objects. There must be a name: Parquet has no
// groups without fields.
func NewObject(names []string, fields []*Shape) *Shape {
	s := &Shape{
		Kind: Nested, Names: names, Fields: fields,
		index: map[string]int{}, first: make([]int, len(fields)), none: make([]bool, len(fields)),
	}
	for i, name := range names {
		s.index[name], s.first[i] = i, s.leaves
		s.leaves += fields[i].leaves
	}
	return s
}

// holds says what values of the shape are, for messages.
func (s *Shape) holds() string {
	switch {
	case s.Element != nil:
		return "arrays"
	case s.Fields != nil:
		return "objects"
	}
	return s.Kind.String()
}

// node is the shape as parquet-go describes it.
func (s *Shape) node() parquet.Node {
	switch {
	case s.Element != nil:
		return parquet.Optional(parquet.List(s.Element.node()))
	case s.Fields == nil:
		return Column{Kind: s.Kind, Optional: true}.node()
	}
	nodes := make([]parquet.Node, len(s.Fields))
	for i, f := range s.Fields {
		nodes[i] = f.node()
	}
	return parquet.Optional(groupOf(s.Names, nodes))
}

// leaves is the number of Parquet columns that the column takes.
func (c Column) leaves() int {
	if c.Kind == Nested {
		return c.Shape.leaves
	}
	return 1
}
