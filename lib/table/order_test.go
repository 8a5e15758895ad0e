package table

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A key has the order of its row, whatever the kinds and directions.
func TestKeysSortAsRowsDo(t *testing.T) {
	columns := []Column{
		{Name: "text", Kind: Text, Optional: true}, {Name: "real", Kind: Double, Optional: true},
		{Name: "small", Kind: Int16, Optional: true}, {Name: "flag", Kind: Bool, Optional: true},
		{Name: "float", Kind: Float, Optional: true}, {Name: "time", Kind: TimeMicros, Optional: true},
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		layout := NewLayout(columns)
		for _, i := range rnd.Perm(len(columns))[:1+rnd.IntN(len(columns))] {
			layout.SortedBy = append(layout.SortedBy, columns[i].Name)
			if rnd.IntN(2) == 0 {
				layout.Descending = append(layout.Descending, columns[i].Name)
			}
		}
		order := NewOrder(layout)
		a, b := randomRow(rnd), randomRow(rnd)
		keyA, errA := order.Key(nil, a.cells())
		keyB, errB := order.Key(nil, b.cells())
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got, want := bytes.Compare(keyA, keyB), compareRows(layout, a, b); got != want {
			t.Fatalf("%v and %v by %v, falling %v: %d, want %d", a, b, layout.SortedBy, layout.Descending, got, want)
		}
	}
}

// testRow has a value for each column; nulls are nil.
type testRow map[string]any

func randomRow(rnd *rand.Rand) testRow {
	row := testRow{
		"text": strings.Repeat("a", rnd.IntN(3)) + strings.Repeat("\x00", rnd.IntN(3)) + strings.Repeat("\xff", rnd.IntN(2)),
		"real": []float64{-1e300, -1, 0, 0.5, 1e300}[rnd.IntN(5)], "small": int64(rnd.IntN(5) - 2),
		"flag": int64(rnd.IntN(2)), "float": []float64{-1.5, 0, 1.5}[rnd.IntN(3)], "time": int64(rnd.IntN(3)) - 1,
	}
	for name := range row {
		if rnd.IntN(4) == 0 {
			row[name] = nil
		}
	}
	return row
}

func (r testRow) cells() (row []byte) {
	for _, name := range []string{"text", "real", "small", "flag", "float", "time"} {
		switch v := r[name].(type) {
		case nil:
			row = AppendNull(row)
		case string:
			row = AppendText(row, v)
		case float64:
			row = AppendDouble(row, v)
		case int64:
			if name == "flag" {
				row = AppendBool(row, v == 1)
			} else {
				row = AppendInt(row, v)
			}
		}
	}
	return row
}

func compareRows(layout Layout, a, b testRow) int {
	for _, name := range layout.SortedBy {
		x, y := a[name], b[name]
		if x == nil || y == nil {
			if (x == nil) != (y == nil) {
				return map[bool]int{true: 1, false: -1}[x == nil]
			}
			continue
		}
		c := 0
		switch x := x.(type) {
		case string:
			c = cmp.Compare(x, y.(string))
		case float64:
			c = cmp.Compare(x, y.(float64))
		case int64:
			c = cmp.Compare(x, y.(int64))
		}
		if strings.Contains(fmt.Sprint(layout.Descending), name) {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func TestKeyOfARowThatDoesNotFit(t *testing.T) {
	layout := NewLayout([]Column{{Name: "a", Kind: Int64}})
	layout.SortedBy = []string{"a"}
	if _, err := NewOrder(layout).Key(nil, nil); err == nil {
		t.Error("no error")
	}
}
