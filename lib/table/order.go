package table

import (
	"github.com/parquet-go/parquet-go"

	"github.com/open-index/ccnews/lib/extsort"
)

// Order is the order that a layout declares, as keys whose bytes sort as the
// rows do: text by its bytes, false before true, null after everything whether
// the column ascends or descends.
type Order struct {
	columns []Column
	by      []sortColumn
	values  []parquet.Value // of the row being read
}

type sortColumn struct {
	index      int
	descending bool
}

// NewOrder is the order of [Layout.SortedBy], all of which must be columns.
func NewOrder(layout Layout) *Order {
	o := &Order{columns: layout.Columns, values: make([]parquet.Value, len(layout.Columns))}
	index := map[string]int{}
	for i, c := range layout.Columns {
		index[c.Name] = i
	}
	descending := map[string]bool{}
	for _, name := range layout.Descending {
		descending[name] = true
	}
	for _, name := range layout.SortedBy {
		o.by = append(o.by, sortColumn{index[name], descending[name]})
	}
	return o
}

// Key appends the key of a row.
func (o *Order) Key(key, row []byte) ([]byte, error) {
	for i, c := range o.columns {
		var err error
		if o.values[i], row, err = cutCell(row, c.Kind); err != nil {
			return key, err
		}
	}
	for _, by := range o.by {
		value := o.values[by.index]
		if value.IsNull() {
			key = append(key, 1)
			continue
		}
		key = append(key, 0)
		start := len(key)
		key = appendKey(key, value)
		if by.descending {
			for i := start; i < len(key); i++ {
				key[i] = ^key[i]
			}
		}
	}
	return key, nil
}

func appendKey(key []byte, value parquet.Value) []byte {
	switch value.Kind() {
	case parquet.ByteArray:
		return extsort.AppendText(key, value.ByteArray())
	case parquet.Double:
		return extsort.AppendFloat(key, value.Double())
	case parquet.Float:
		return extsort.AppendFloat(key, float64(value.Float()))
	case parquet.Boolean:
		if value.Boolean() {
			return append(key, 1)
		}
		return append(key, 0)
	case parquet.Int32:
		return extsort.AppendInt(key, int64(value.Int32()))
	default:
		return extsort.AppendInt(key, value.Int64())
	}
}
