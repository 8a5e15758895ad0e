package parquetread

import (
	"errors"
	"fmt"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// Kind is what a column's values are.
type Kind uint8

const (
	Bytes  Kind = iota // BYTE_ARRAY
	Int                // INT32, INT64
	Float              // FLOAT, DOUBLE
	Opaque             // any other: its pages can be checked, its values not read
)

// Column is a column at the top of the schema.
type Column struct {
	Name string
	Kind Kind
	// Optional says that values may be null.
	Optional bool
	// Unit is what a value counts if it is a point in time since 1970-01-01, and
	// else 0.
	Unit time.Duration

	physical format.Type
	index    int // among all leaves of the schema
}

// maxColumns is more than anybody has; nested ones count.
const maxColumns = 10_000

// topColumns are the leaves right under the schema's root that are not
// repeated.
func topColumns(schema []format.SchemaElement) ([]Column, error) {
	if len(schema) == 0 || len(schema) > maxColumns {
		return nil, fmt.Errorf("schema of %d elements", len(schema))
	}
	if schema[0].Type.Valid {
		return nil, errors.New("schema has no root")
	}
	var columns []Column
	leaves := 0
	for i := 1; i < len(schema); {
		next, below, err := skipElement(schema, i)
		if err != nil {
			return nil, err
		}
		if e := schema[i]; e.Type.Valid && e.RepetitionType.V != format.Repeated {
			columns = append(columns, columnOf(e, leaves))
		}
		i, leaves = next, leaves+below
	}
	return columns, nil
}

// skipElement returns the index of the element after the one at i and all that
// is below it, and how many leaves it has.
func skipElement(schema []format.SchemaElement, i int) (next, leaves int, err error) {
	for open := int64(1); open > 0; open-- {
		if i == len(schema) {
			return 0, 0, errors.New("schema has fewer elements than it announces")
		}
		if schema[i].Type.Valid {
			leaves++
		} else if n := schema[i].NumChildren.V; n >= 0 && n < maxColumns {
			open += int64(n)
		} else {
			return 0, 0, fmt.Errorf("column %q: %d children", schema[i].Name, n)
		}
		i++
	}
	return i, leaves, nil
}

func columnOf(e format.SchemaElement, index int) Column {
	c := Column{
		Name:     e.Name,
		Kind:     Opaque,
		Optional: e.RepetitionType.Valid && e.RepetitionType.V == format.Optional,
		physical: e.Type.V,
		index:    index,
	}
	switch e.Type.V {
	case format.ByteArray:
		c.Kind = Bytes
	case format.Int32, format.Int64:
		c.Kind = Int
	case format.Float, format.Double:
		c.Kind = Float
	}
	if e.Type.V == format.Int64 {
		c.Unit = timeUnit(e)
	}
	return c
}

func timeUnit(e format.SchemaElement) time.Duration {
	if stamp, ok := e.LogicalType.Value.(*format.TimestampType); ok && stamp.Unit.Value != nil {
		return stamp.Unit.Value.Duration()
	}
	if e.ConvertedType.Valid {
		switch e.ConvertedType.V {
		case deprecated.TimestampMillis:
			return time.Millisecond
		case deprecated.TimestampMicros:
			return time.Microsecond
		}
	}
	return 0
}

// checkGroups checks all that the footer says of row groups: that counts
// agree, and that every column lies inside the file and can be decompressed.
func (f *File) checkGroups() error {
	leaves := 0
	for _, e := range f.meta.Schema {
		if e.Type.Valid {
			leaves++
		}
	}
	left := f.meta.NumRows
	for i, group := range f.meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > left {
			return fmt.Errorf("row group %d: %d rows, of %d in the file", i, group.NumRows, f.meta.NumRows)
		}
		left -= group.NumRows
		if len(group.Columns) != leaves {
			return fmt.Errorf("row group %d: %d columns, but the schema has %d", i, len(group.Columns), leaves)
		}
		for _, c := range f.columns {
			if err := f.checkChunk(group.NumRows, c, &group.Columns[c.index]); err != nil {
				return fmt.Errorf("row group %d: column %s: %w", i, c.Name, err)
			}
		}
	}
	if left != 0 {
		return fmt.Errorf("%d rows in the file, but %d in its row groups", f.meta.NumRows, f.meta.NumRows-left)
	}
	return nil
}

func (f *File) checkChunk(rows int64, c Column, chunk *format.ColumnChunk) error {
	meta := &chunk.MetaData
	start, size := chunkStart(meta), meta.TotalCompressedSize
	switch {
	case chunk.FilePath != "":
		return errors.New("its data is in another file")
	case len(meta.PathInSchema) != 1 || meta.PathInSchema[0] != c.Name || meta.Type != c.physical:
		return fmt.Errorf("the row group has %q of type %s in its place", meta.PathInSchema, meta.Type)
	case meta.NumValues != rows:
		return fmt.Errorf("%d values for %d rows", meta.NumValues, rows)
	case size < 0 || start < int64(len(magic)) || start > f.dataEnd-size:
		return fmt.Errorf("%d bytes at %d are not inside the data, which ends at %d", size, start, f.dataEnd)
	}
	return checkCodec(meta.Codec)
}

// chunkStart is the offset of a column's first page in a row group.
func chunkStart(meta *format.ColumnMetaData) int64 {
	if at := meta.DictionaryPageOffset; at > 0 && at < meta.DataPageOffset {
		return at
	}
	return meta.DataPageOffset
}
