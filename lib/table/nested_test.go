package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// nestedOf makes a file of JSON objects with nested columns, and gives these.
func nestedOf(t testing.TB, groupRows int, lines ...string) (*buffer, []Column) {
	t.Helper()
	guess := Guess{Nested: true}
	for _, line := range lines {
		if err := guess.Look([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	layout := NewLayout(guess.Columns())
	layout.GroupRows = groupRows
	out := new(buffer)
	w, objects := NewWriter(out, layout), NewObjects(layout.Columns)
	for _, line := range lines {
		row, err := objects.Row(nil, []byte(line))
		if err == nil {
			err = w.Write(row)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	return out, layout.Columns
}

// levelsOf gives what the file has: value:repetition:definition of each leaf.
func levelsOf(t testing.TB, file *buffer) map[string]string {
	t.Helper()
	f, err := parquet.OpenFile(file, int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	leaves := f.Schema().Columns()
	got := map[string]string{}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		buf := make([]parquet.Row, 1)
		for n, err := rows.ReadRows(buf); n > 0 || err == nil; n, err = rows.ReadRows(buf) {
			for _, v := range buf[0][:len(buf[0])*n] {
				name := strings.Join(leaves[v.Column()], ".")
				got[name] += fmt.Sprintf(" %v:%d:%d", v, v.RepetitionLevel(), v.DefinitionLevel())
			}
			if err == io.EOF {
				break
			}
		}
		rows.Close()
	}
	return got
}

func TestShredding(t *testing.T) {
	for name, test := range map[string]struct {
		lines []string
		want  map[string]string
	}{
		"lists": {
			[]string{`{"a":[1,2]}`, `{"a":[]}`, `{"a":null}`, `{}`, `{"a":[null,3]}`},
			map[string]string{"a.list.element": " 1:0:3 2:1:3 <null>:0:1 <null>:0:0 <null>:0:0 <null>:0:2 3:1:3"},
		},
		"lists of lists": {
			[]string{`{"a":[[1,2],[],null,[3]]}`, `{"a":[[null,4.5]]}`},
			map[string]string{"a.list.element.list.element": " 1:0:5 2:2:5 <null>:1:3 <null>:1:2 3:1:5 <null>:0:4 4.5:2:5"},
		},
		"objects": {
			[]string{`{"a":{"x":{"y":1}}}`, `{"a":{"z":"t"}}`, `{"a":{"x":{}}}`, `{"a":{}}`, `{"a":null}`, `{"a":{"x":null}}`},
			map[string]string{
				"a.x.y": " 1:0:3 <null>:0:1 <null>:0:2 <null>:0:1 <null>:0:0 <null>:0:1",
				"a.z":   " <null>:0:1 t:0:2 <null>:0:1 <null>:0:1 <null>:0:0 <null>:0:1",
			},
		},
		"objects in lists": {
			[]string{`{"a":[{"y":[true],"x":1},{"x":2},null,{"y":[false,true]}]}`},
			map[string]string{
				"a.list.element.y.list.element": " true:0:6 <null>:1:3 <null>:1:2 false:1:6 true:2:6",
				"a.list.element.x":              " 1:0:4 2:1:4 <null>:1:2 <null>:1:3",
			},
		},
		"mixed": {
			[]string{`{"a":[1,"x"],"b":[],"c":[{},{}],"d":{"n":null},"e":{"n":9007199254740993}}`, `{"d":[1, 2],"e":{"n":0.5}}`},
			map[string]string{
				"a.list.element": ` 1:0:3 "x":1:3 <null>:0:0`, "b.list.element": " <null>:0:1 <null>:0:0",
				"c.list.element": " {}:0:3 {}:1:3 <null>:0:0", "d": ` {"n":null}:0:1 [1, 2]:0:1`,
				"e.n": " 9007199254740993:0:2 0.5:0:2",
			},
		},
	} {
		for _, groupRows := range []int{1, 100} {
			file, _ := nestedOf(t, groupRows, test.lines...)
			if diff := cmp.Diff(test.want, levelsOf(t, file)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

func TestNestedSchema(t *testing.T) {
	file, _ := nestedOf(t, 100, `{"s":"x","a":{"z":[{"k":1}],"b":[]}}`)
	f, err := parquet.OpenFile(file, int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	const want = "message schema { optional binary s (STRING); optional group a { " +
		"optional group z (LIST) { repeated group list { optional group element { optional int64 k (INT(64,true)); } } } " +
		"optional group b (LIST) { repeated group list { optional binary element (STRING); } } } }"
	if diff := cmp.Diff(want, strings.Join(strings.Fields(f.Schema().String()), " ")); diff != "" {
		t.Error(diff)
	}
}

func TestNestedDepth(t *testing.T) {
	line := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, n := range []int{maxDepth, maxDepth + 1, 1000} {
		file, _ := nestedOf(t, 100, line(n))
		for name := range levelsOf(t, file) {
			if got := strings.Count(name, "element"); got != maxDepth {
				t.Errorf("%d brackets: %d lists", n, got)
			}
		}
	}
}

func TestNestedMisfits(t *testing.T) {
	_, columns := nestedOf(t, 100, `{"n":1,"a":{"b":[{"c":1}]}}`)
	objects := NewObjects(columns)
	for line, want := range map[string]string{
		`{"a":3}`:                                          `key "a": the column holds objects, not 3`,
		`{"a":{"b":{"c":1}}}`:                              `key "a.b": the column holds arrays, not {"c":1}`,
		`{"a":{"b":[{"c":1},{"c":"x"}]}}`:                  `key "a.b.c": the column holds integers, not "x"`,
		`{"a":{"b":[{"c":1,"d":2}]}}`:                      `key "a.b.d": there is no such column`,
		`{"a":{"b":[{"c":"x"},{"c":1.5}]}}`:                `key "a.b.c": the column holds integers, not "x"`,
		`{"a":{"b":[` + many("{}", MaxRowValues+1) + `]}}`: `key "a": with it the row has more than 262144 values, a null for each key that an object lacks among them`,
		`{"a":{"b":[{"c":1e400}]}}`:                        `key "a.b.c": the number 1e400 is beyond the range of a double`,
		`{"a":{"b":[{"c":1},{"c":"\ud800"}]}}`:             `key "a.b.c": it has \ud800, half of a surrogate pair, which is no character`,
		`{"a":{"b\ud800":[]}}`:                             "key \"a.b\ufffd\": it has \\ud800, half of a surrogate pair, which is no character",
		`{"a":{"b":[{"c":1e-400}]}}`:                       `key "a.b.c": the column holds integers, not 1e-400`,
	} {
		_, err := objects.Row(nil, []byte(line))
		var misfit *Misfit
		if !errors.As(err, &misfit) || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", line, err, want)
		}
	}
	_, err := objects.Row(nil, []byte(`{"a":{"b":[{"c":"x"},{"c":1,"c":2}]}}`))
	var misfit *Misfit
	if !errors.Is(err, errTwice) || errors.As(err, &misfit) {
		t.Errorf("a key twice: %v", err)
	}
	if want := `key "a.b.c": it is there twice`; err.Error() != want {
		t.Errorf("a key twice: %v, want %s", err, want)
	}
}

// TestRowValues counts the values of all columns of a row together, but not
// those of a value that was not taken.
func TestRowValues(t *testing.T) {
	_, columns := nestedOf(t, 100, `{"a":[{"x":1,"y":1,"z":1}],"b":[1]}`)
	objects := NewObjects(columns)
	row := func(a, b int) error {
		_, err := objects.Row(nil, fmt.Appendf(nil, `{"a":[%s],"b":[%s]}`, many("{}", a), many("1", b)))
		return err
	}
	const third = MaxRowValues / 3
	if err := row(third, 1); err != nil {
		t.Errorf("%d values: %v", MaxRowValues, err)
	}
	if err := row(third, 2); err == nil || !strings.HasPrefix(err.Error(), `key "b": with it the row has more than`) {
		t.Errorf("%d values: %v", MaxRowValues+1, err)
	}
	objects.Forgive = func(*Misfit) bool { return true }
	if err := row(third+1, MaxRowValues); err != nil {
		t.Errorf("a is null, b fits: %v", err)
	}
}

func many(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

func TestTooManyNestedKeys(t *testing.T) {
	guess := Guess{Nested: true}
	var err error
	for i := 0; err == nil && i <= MaxColumns; i++ {
		err = guess.Look(fmt.Appendf(nil, `{"a":[{"%d":1}]}`, i))
	}
	if !errors.Is(err, errTooMany) {
		t.Error(err)
	}
	guess = Guess{Nested: true}
	const twice = `key "b.c.d": it is there twice`
	if err := guess.Look([]byte(`{"b":{"c":[{"d":1,"d":2}]}}`)); err == nil || err.Error() != twice {
		t.Errorf("%v, want %s", err, twice)
	}
}

// TestNestedLoss has the file end early, or any byte of it change, while it is
// read again. A change that goes unnoticed must be one that no reader sees.
func TestNestedLoss(t *testing.T) {
	layout := NewLayout([]Column{
		{Name: "a", Kind: Nested, Optional: true, Shape: NewObject([]string{"x", "y"}, []*Shape{NewList(NewLeaf(Int64)), NewLeaf(Text)})},
	})
	layout.GroupRows = 30
	fill := func(file File) error {
		w := NewWriter(file, layout)
		for i := range 100 {
			if err := w.Write(AppendText(nil, fmt.Sprintf(`{"x":[%d,2,null],"y":"%d"}`, i, i%7))); err != nil {
				return err
			}
		}
		return w.Close(nil)
	}
	whole := new(buffer)
	if err := fill(whole); err != nil {
		t.Fatal(err)
	}
	want := levelsOf(t, whole)
	for n := 0; n < whole.Len(); n += 20 {
		if err := fill(&forgetful{n: n}); err == nil {
			t.Errorf("only %d bytes were kept", n)
		}
	}
	unnoticed := 0
	for at := range whole.Len() {
		if err := fill(&flipped{at: int64(at)}); err != nil {
			continue
		}
		unnoticed++
		changed := buffer{*bytes.NewBuffer(bytes.Clone(whole.Bytes()))}
		changed.Bytes()[at] ^= 1
		if diff := cmp.Diff(want, levelsOf(t, &changed)); diff != "" {
			t.Errorf("byte %d changed and was not noticed: %s", at, diff)
		}
	}
	t.Logf("%d of %d bytes may change", unnoticed, whole.Len())
}

// flipped changes a bit of the byte at an offset.
type flipped struct {
	buffer
	at int64
}

func (f *flipped) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.buffer.ReadAt(p, off)
	if i := f.at - off; i >= 0 && i < int64(n) {
		p[i] ^= 1
	}
	return n, err
}
