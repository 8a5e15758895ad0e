package table

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// assembler puts the values of one row together again, by the schema in the
// file and the levels alone: it knows nothing of [Shape].
type assembler struct {
	leaves [][]parquet.Value // what is left of each
}

// node makes the value of an optional node whose parent is there, definition
// being the parent's level. lists are those around it.
func (a *assembler) node(n parquet.Node, leaf, definition, lists int) any {
	width := leavesOf(n)
	first := a.leaves[leaf][0]
	if first.DefinitionLevel() == definition {
		a.drop(leaf, width)
		return nil
	}
	definition++
	switch {
	case n.Leaf():
		a.drop(leaf, 1)
		return plain(n, first)
	case n.Type().String() == "LIST":
		list := []any{}
		if first.DefinitionLevel() == definition {
			a.drop(leaf, width)
			return list
		}
		element := n.Fields()[0].Fields()[0]
		for more := true; more; more = len(a.leaves[leaf]) > 0 && a.leaves[leaf][0].RepetitionLevel() == lists+1 {
			list = append(list, a.node(element, leaf, definition+1, lists+1))
		}
		return list
	}
	object := map[string]any{}
	for _, f := range n.Fields() {
		if v := a.node(f, leaf, definition, lists); v != nil {
			object[f.Name()] = v
		}
		leaf += leavesOf(f)
	}
	return object
}

func (a *assembler) drop(leaf, n int) {
	for i := range n {
		a.leaves[leaf+i] = a.leaves[leaf+i][1:]
	}
}

func leavesOf(n parquet.Node) (count int) {
	if n.Leaf() {
		return 1
	}
	for _, f := range n.Fields() {
		count += leavesOf(f)
	}
	return count
}

func plain(n parquet.Node, v parquet.Value) any {
	switch {
	case n.Type().String() == "JSON":
		return withoutNulls(decoded(v.ByteArray()))
	case v.Kind() == parquet.ByteArray:
		return string(v.ByteArray())
	case v.Kind() == parquet.Double:
		return v.Double()
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	}
	return json.Number(strconv.FormatInt(v.Int64(), 10))
}

func decoded(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// withoutNulls drops keys whose value is null, which Parquet cannot tell from
// keys that are missing.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if v[key] = withoutNulls(inner); inner == nil {
				delete(v, key)
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutNulls(inner)
		}
	}
	return v
}

// sameNumbers compares numbers by value: 1 in a column of doubles reads as 1.0.
var sameNumbers = cmp.FilterValues(func(a, b any) bool {
	_, a1 := a.(float64)
	_, b1 := b.(float64)
	return a1 != b1
}, cmp.Comparer(func(a, b any) bool { return asFloat(a) == asFloat(b) && isNumeric(a) && isNumeric(b) }))

func isNumeric(v any) bool {
	return fmt.Sprintf("%T", v) == "float64" || fmt.Sprintf("%T", v) == "json.Number"
}

func asFloat(v any) float64 {
	f, _ := strconv.ParseFloat(fmt.Sprint(v), 64)
	return f
}

// objectsOf reads a file as JSON objects.
func objectsOf(t testing.TB, file *buffer) (objects []any) {
	t.Helper()
	f, err := parquet.OpenFile(file, int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	count := len(f.Schema().Columns())
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		defer rows.Close()
		buf := make([]parquet.Row, 1)
		for {
			n, err := rows.ReadRows(buf)
			if n == 1 {
				a := assembler{leaves: make([][]parquet.Value, count)}
				for _, v := range buf[0] {
					a.leaves[v.Column()] = append(a.leaves[v.Column()], v)
				}
				object, leaf := map[string]any{}, 0
				for _, field := range f.Root().Columns() {
					if v := a.node(field, leaf, 0, 0); v != nil {
						object[field.Name()] = v
					}
					leaf += leavesOf(field)
				}
				for i, rest := range a.leaves {
					if len(rest) > 0 {
						t.Fatalf("leaf %d: %d values are left", i, len(rest))
					}
				}
				objects = append(objects, object)
			}
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	return objects
}

// FuzzNestedReadsBack holds that a file has the JSON it was made of, but for
// nulls in objects.
func FuzzNestedReadsBack(f *testing.F) {
	f.Add(`{"a":[{"x":[1,2.5,null]},null,{}],"b":{"c":{"d":"é\u0000"}}}`, `{"a":[],"b":{"c":null},"e":[[[]],[null]]}`)
	f.Add(`{"a":[1,"x",{"y":[null]}],"n":9223372036854775807}`, `{"a":null,"n":-1,"o":{},"p":[{}]}`)
	f.Add(`{"a":{"b":[true]}}`, `{"a":{"b":[{"c":1}],"":[]}}`)
	f.Fuzz(func(t *testing.T, one, two string) {
		var guess Guess
		guess.Nested = true
		var want []any
		for _, line := range []string{one, two} {
			if fit, _, _ := withoutUnfit([]byte(line)); string(fit) != line || guess.Look([]byte(line)) != nil {
				return
			}
			if strings.Count(line, "{") > 0 {
				want = append(want, withoutNulls(decoded([]byte(line))))
			}
		}
		if len(guess.Columns()) == 0 {
			return
		}
		file, _ := nestedOf(t, 1, one, two)
		if diff := cmp.Diff(want, objectsOf(t, file), sameNumbers); diff != "" {
			t.Errorf("%s\n%s\n%s", one, two, diff)
		}
	})
}

// TestNestedMisfitsAreSeen has each place of a nested value hold each kind of
// value. What is taken must be read back, whatever else must be a misfit; with
// Forgive and Ignore nothing else in the row may change, and each is told of
// what was lost.
func TestNestedMisfitsAreSeen(t *testing.T) {
	const shape = `{"id":1,"a":{"i":1,"s":"x","b":true,"d":0.5,"l":[1],"ll":[["x"]],"o":{"k":1},"lo":[{"k":"x","l":[0.5]}]}}`
	places := []string{
		`%s`, `{"i":%s}`, `{"s":%s}`, `{"b":%s}`, `{"d":%s}`, `{"l":%s}`, `{"l":[2,%s]}`, `{"ll":%s}`, `{"ll":[%s]}`, `{"ll":[[],["y",%s]]}`,
		`{"o":%s}`, `{"o":{"k":%s}}`, `{"lo":%s}`, `{"lo":[%s]}`, `{"lo":[{},{"k":%s}]}`, `{"lo":[{"k":"y"},{"l":%s}]}`, `{"lo":[{"l":[%s,1]}]}`,
		`{"new":%s}`, `{"o":{"new":%s}}`, `{"lo":[{"new":%s,"k":"z"}]}`,
	}
	values := []string{`null`, `1`, `1.5`, `9007199254740993`, `"t"`, `false`, `[]`, `[null]`, `[[]]`, `[1,2]`, `["u"]`, `[["v"]]`, `{}`, `{"k":2}`, `{"k":"w"}`, `[{}]`, `[{"k":"q"}]`}
	_, columns := nestedOf(t, 100, shape)
	taken, refused := 0, 0
	for _, place := range places {
		for _, value := range values {
			line := `{"id":7,"a":` + fmt.Sprintf(place, value) + `}`
			want := withoutNulls(decoded([]byte(line)))
			got, err := written(t, NewObjects(columns), columns, line)
			var misfit *Misfit
			if err == nil {
				if taken++; !cmp.Equal(want, got, sameNumbers) {
					t.Errorf("%s: %s", line, cmp.Diff(want, got, sameNumbers))
				}
				continue
			}
			if refused++; !errors.As(err, &misfit) || !strings.HasPrefix(misfit.key, "a") {
				t.Errorf("%s: %v, want a misfit at a", line, err)
			}
			checkForgiven(t, columns, line, err)
		}
	}
	t.Logf("%d taken, %d refused", taken, refused)
	if taken < 50 || refused < 150 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}

// checkForgiven has a line that gave a misfit be taken in part.
func checkForgiven(t *testing.T, columns []Column, line string, first error) {
	t.Helper()
	var forgiven, ignored []error
	objects := NewObjects(columns)
	objects.Forgive = func(m *Misfit) bool { forgiven = append(forgiven, m); return true }
	got, err := written(t, objects, columns, line)
	if strings.HasSuffix(first.Error(), "no such column") {
		if err == nil || err.Error() != first.Error() || len(forgiven) != 0 {
			t.Errorf("%s: a key without a column was forgiven: %v, %v", line, got, err)
		}
	} else if want := any(map[string]any{"id": json.Number("7")}); err != nil || !cmp.Equal(want, got) || len(forgiven) != 1 || forgiven[0].Error() != first.Error() {
		t.Errorf("%s: forgiven %v, got %v, %v", line, forgiven, got, err)
	}
	objects = NewObjects(columns)
	objects.Ignore = func(m *Misfit) bool { ignored = append(ignored, m); return true }
	got, err = written(t, objects, columns, line)
	if (err == nil) != (len(ignored) > 0) {
		t.Errorf("%s: ignored %v, got %v, %v", line, ignored, got, err)
	}
	if err != nil {
		return
	}
	want := decoded([]byte(line))
	withoutPath(strings.Split(first.(*Misfit).key, "."), want)
	if want = withoutNulls(want); !cmp.Equal(want, got, sameNumbers) {
		t.Errorf("%s: besides the unknown key something is not there: %v", line, got)
	}
}

// withoutPath drops the key at a path, whatever arrays are on the way.
func withoutPath(path []string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
		} else {
			withoutPath(path[1:], v[path[0]])
		}
	case []any:
		for _, inner := range v {
			withoutPath(path, inner)
		}
	}
}

// written writes one line and reads it back.
func written(t *testing.T, objects *Objects, columns []Column, line string) (any, error) {
	t.Helper()
	row, err := objects.Row(nil, []byte(line))
	if err != nil {
		return nil, err
	}
	out := new(buffer)
	w := NewWriter(out, NewLayout(columns))
	if err := errors.Join(w.Write(row), w.Close(nil)); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return objectsOf(t, out)[0], nil
}

// TestInterrupt ends the context in the midst of a batch, and while the file is
// read again.
func TestInterrupt(t *testing.T) {
	_, columns := nestedOf(t, 100, `{"a":[1]}`)
	ctx, cancel := context.WithCancel(t.Context())
	w := NewWriter(new(buffer), NewLayout(columns))
	w.Interrupt(ctx)
	if err := w.Write(AppendText(nil, `[1]`)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Close(nil); !errors.Is(err, context.Canceled) {
		t.Errorf("batch: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	w = NewWriter(&cancelling{cancel: cancel}, NewLayout(columns))
	w.Interrupt(ctx)
	if err := errors.Join(w.Write(AppendText(nil, `[1]`)), w.Close(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("verification: %v", err)
	}
}

// cancelling cancels when it is read.
type cancelling struct {
	buffer
	cancel func()
}

func (c *cancelling) ReadAt(p []byte, off int64) (int, error) {
	c.cancel()
	return c.buffer.ReadAt(p, off)
}
