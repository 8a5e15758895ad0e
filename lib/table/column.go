// Package table writes typed rows as a Parquet file whose layout the caller
// chooses: column types, encodings, row groups, pages, filters.
//
// It knows rows and columns, not what they mean: lib/shard is a table with
// fixed columns, and [Guess] finds the columns of any other JSON objects. The
// writing itself is parquet-go's (https://github.com/parquet-go/parquet-go);
// this package keeps its memory bounded and its bytes a function of the rows
// alone.
package table

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// Kind is what a column's values are.
type Kind uint8

// The kinds, with the Parquet types they are written as.
const (
	Text       Kind = iota // BYTE_ARRAY, STRING
	JSON                   // BYTE_ARRAY, JSON: each value is a JSON text
	Int64                  // INT64
	Int32                  // INT32
	Double                 // DOUBLE
	Bool                   // BOOLEAN
	Time                   // INT64, TIMESTAMP(MILLIS, UTC)
	TimeMicros             // INT64, TIMESTAMP(MICROS, UTC)
	Int16                  // INT32, INT(16, signed)
	Int8                   // INT32, INT(8, signed)
	Float                  // FLOAT
	Bytes                  // BYTE_ARRAY without a logical type
	Nested                 // groups and lists; cells are JSON texts that fit the column's Shape
)

// String says what values of the kind are, for messages.
func (k Kind) String() string {
	return [...]string{
		"strings", "JSON texts", "integers", "integers of 32 bits", "numbers", "booleans",
		"times in milliseconds", "times in microseconds", "integers of 16 bits", "integers of 8 bits",
		"numbers of 32 bits", "strings", "nested values",
	}[k]
}

// isText reports whether cells of the kind are a length and bytes.
func (k Kind) isText() bool { return k == Text || k == JSON || k == Bytes || k == Nested }

// isTime reports whether values of the kind are points in time.
func (k Kind) isTime() bool { return k == Time || k == TimeMicros }

// bits is the size of the kind's integers, 0 if it has none.
func (k Kind) bits() int {
	switch k {
	case Int8:
		return 8
	case Int16:
		return 16
	case Int32:
		return 32
	case Int64, Time, TimeMicros:
		return 64
	}
	return 0
}

// Column is one column of a table.
type Column struct {
	Name string
	Kind Kind
	// Optional says that values may be null.
	Optional bool
	// Dictionary stores each distinct value of a row group once. Without it
	// values are stored one after the other (PLAIN).
	Dictionary bool
	// Filter adds a bloom filter to each row group, so that readers can rule
	// out a value without reading the column.
	Filter bool
	// Bounds is how many bytes of the least and greatest value of a page go
	// into the page index; 0 means none, for values that no order helps to find.
	Bounds int
	// Shape is what values of a [Nested] column are. Such a column is optional.
	Shape *Shape
}

// DefaultBounds is the Bounds of a column of which nothing but its kind is
// known: it tells apart URLs of one host.
const DefaultBounds = 64

// node is the column as parquet-go describes it.
func (c Column) node() parquet.Node {
	if c.Kind == Nested {
		return c.Shape.node()
	}
	node := parquet.Encoded(c.leaf(), &parquet.Plain)
	if c.Dictionary {
		node = parquet.Encoded(node, &parquet.RLEDictionary)
	}
	if c.Optional {
		node = parquet.Optional(node)
	}
	return node
}

func (c Column) leaf() parquet.Node {
	switch c.Kind {
	case Text:
		return parquet.String()
	case JSON:
		return parquet.JSON()
	case Int64:
		return parquet.Leaf(parquet.Int64Type)
	case Int32:
		return parquet.Leaf(parquet.Int32Type)
	case Int16:
		return parquet.Int(16)
	case Int8:
		return parquet.Int(8)
	case Double:
		return parquet.Leaf(parquet.DoubleType)
	case Float:
		return parquet.Leaf(parquet.FloatType)
	case Bytes:
		return parquet.Leaf(parquet.ByteArrayType)
	case Bool:
		return parquet.Leaf(parquet.BooleanType)
	case TimeMicros:
		return parquet.Timestamp(parquet.Microsecond)
	default:
		return parquet.Timestamp(parquet.Millisecond)
	}
}

// ordered is a group that keeps its columns in order; parquet-go's own sorts them
// by name.
type ordered struct {
	parquet.Group // for everything but the fields
	fields        []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value is the field of a row given as a map; rows here are never maps, but
// the interface asks for it.
func (f field) Value(row reflect.Value) reflect.Value {
	return row.MapIndex(reflect.ValueOf(f.name))
}

func schemaOf(columns []Column) *parquet.Schema {
	names, nodes := make([]string, len(columns)), make([]parquet.Node, len(columns))
	for i, c := range columns {
		names[i], nodes[i] = c.Name, c.node()
	}
	return parquet.NewSchema("schema", groupOf(names, nodes))
}

func groupOf(names []string, nodes []parquet.Node) ordered {
	group := parquet.Group{}
	fields := make([]parquet.Field, len(nodes))
	for i, name := range names {
		fields[i] = field{nodes[i], name}
		group[name] = fields[i]
	}
	return ordered{group, fields}
}
