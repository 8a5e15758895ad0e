package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// buffer is a [File] in memory.
type buffer struct{ bytes.Buffer }

func (b *buffer) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(b.Bytes()).ReadAt(p, off)
}

// tableOf makes a file of JSON objects, whose columns are guessed from them all.
func tableOf(t testing.TB, layout func(*Layout), lines ...string) *buffer {
	t.Helper()
	var guess Guess
	for _, line := range lines {
		if err := guess.Look([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	plan := NewLayout(guess.Columns())
	if layout != nil {
		layout(&plan)
	}
	out := new(buffer)
	w, objects := NewWriter(out, plan), NewObjects(plan.Columns)
	var row []byte
	for _, line := range lines {
		var err error
		if row, err = objects.Row(row[:0], []byte(line)); err == nil {
			err = w.Write(row)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(map[string]string{"b": "2", "a": "1"}); err != nil {
		t.Fatal(err)
	}
	return out
}

// dump reads a file with parquet-go's reader.
func dump(t testing.TB, file *buffer) (columns, rows []string) {
	t.Helper()
	f, err := parquet.OpenFile(file, int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Root().Columns() {
		columns = append(columns, c.Name()+" "+c.Type().String())
	}
	for _, group := range f.RowGroups() {
		reader := group.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := reader.ReadRows(buf)
			for _, row := range buf[:n] {
				rows = append(rows, fmt.Sprintf("%v", row))
			}
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		reader.Close()
	}
	return columns, rows
}

func TestKindsOfColumns(t *testing.T) {
	file := tableOf(t, nil,
		`{"int":9007199254740993,"real":1,"text":"2026-07-01","flag":true,"none":null,"nested":{"a":[1, 2]},"mixed":1,"big":18446744073709551615,"wide":9007199254740993,"back":0.5}`,
		`{"int":-1,"real":1.5,"text":"","flag":false,"nested":[],"mixed":"x","big":1,"wide":1.5,"back":9007199254740993}`,
		`{"late":1e3}`)
	columns, rows := dump(t, file)
	if diff := cmp.Diff([]string{
		"int INT(64,true)", "real DOUBLE", "text STRING", "flag BOOLEAN", "none STRING", "nested JSON",
		"mixed JSON", "big JSON", "wide JSON", "back JSON", "late DOUBLE",
	}, columns); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		`[9007199254740993 1 2026-07-01 true <null> {"a":[1, 2]} 1 18446744073709551615 9007199254740993 0.5 <null>]`,
		`[-1 1.5  false <null> [] "x" 1 1.5 9007199254740993 <null>]`,
		`[<null> <null> <null> <null> <null> <null> <null> <null> <null> <null> 1000]`,
	}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestMisfits(t *testing.T) {
	var guess Guess
	if err := guess.Look([]byte(`{"int":1,"real":1.5,"text":"x","flag":true}`)); err != nil {
		t.Fatal(err)
	}
	objects := NewObjects(guess.Columns())
	for line, want := range map[string]string{
		`{"int":1.0}`:                 `key "int": the column holds integers, not 1.0`,
		`{"int":9223372036854775808}`: `key "int": the column holds integers, not 9223372036854775808`,
		`{"int":"7"}`:                 `key "int": the column holds integers, not "7"`,
		`{"real":9007199254740993}`:   `key "real": the column holds numbers, not 9007199254740993`,
		`{"real":1e999}`:              `key "real": the number 1e999 is beyond the range of a double`,
		`{"real":1e-400}`:             `key "real": the column holds numbers, not 1e-400`,
		`{"text":"\ud83e"}`:           `key "text": it has \ud83e, half of a surrogate pair, which is no character`,
		`{"new\uDCAF":1}`:             "key \"new\ufffd\": its name has \\uDCAF, half of a surrogate pair",
		`{"text":"\ud83e","text":1}`:  `key "text": it is there twice`,
		`{"text":7}`:                  `key "text": the column holds strings, not 7`,
		`{"text":{"a":"` + strings.Repeat("b", 100) + `"}}`: `key "text": the column holds strings, not {"a":"bbb`,
		`{"flag":0}`:          `key "flag": the column holds booleans, not 0`,
		`{"new":1}`:           `key "new": there is no such column`,
		`{"int":1,"int":2}`:   `key "int": it is there twice`,
		`{"int":1} x`:         `not valid JSON`,
		`{"int":1}{"int":2}`:  `not valid JSON`,
		`{"int":7xyz}`:        `not valid JSON`,
		`{"int":01}`:          `not valid JSON`,
		`[1]`:                 `not a JSON object`,
		`7`:                   `not a JSON object`,
		"{\"text\":\"\xff\"}": `not valid UTF-8`,
		`{"int":1`:            `not valid JSON`,
		``:                    `not valid JSON`,
	} {
		_, err := objects.Row(nil, []byte(line))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if err := guess.Look([]byte(`{"a":1,"a":2}`)); err == nil {
		t.Error("a key twice was not noticed")
	}
}

func TestTooManyKeys(t *testing.T) {
	var guess Guess
	var err error
	for i := 0; err == nil && i <= MaxColumns; i++ {
		err = guess.Look(fmt.Appendf(nil, `{"%d":1}`, i))
	}
	if err == nil {
		t.Error("no error")
	}
}

func TestOddNames(t *testing.T) {
	columns, rows := dump(t, tableOf(t, nil, `{"":1,"a.b":2,"a,b":3,"日本":4,"a b":5,"A":6,"a":7}`))
	if got := strings.Join(columns, " "); !strings.Contains(got, "a.b") || !strings.Contains(got, "日本") || rows[0] != "[1 2 3 4 5 6 7]" {
		t.Errorf("%q %q", columns, rows)
	}
}

func TestGroups(t *testing.T) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", i)))
	}
	small := tableOf(t, func(l *Layout) { l.GroupRows, l.PageBytes = 300, 1000; l.SortedBy = []string{"n"} }, lines...)
	f, err := parquet.OpenFile(small, int64(small.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var rows []int64
	for _, group := range f.RowGroups() {
		rows = append(rows, group.NumRows())
		if by := group.SortingColumns(); len(by) != 1 || by[0].Path()[0] != "n" {
			t.Errorf("sorted by %v", by)
		}
	}
	if diff := cmp.Diff([]int64{300, 300, 300, 100}, rows); diff != "" {
		t.Error(diff)
	}
	_, want := dump(t, tableOf(t, nil, lines...))
	if _, got := dump(t, small); !cmp.Equal(got, want) {
		t.Error("other rows in small groups")
	}
}

// TestLongRows has row groups end early, so that memory stays bounded.
func TestLongRows(t *testing.T) {
	out := new(buffer)
	w := NewWriter(out, Layout{Columns: []Column{{Name: "text"}}, GroupRows: 1000, PageBytes: 1 << 20})
	row := AppendText(nil, make([]byte, maxGroupBytes/3))
	for range 10 {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	f, _ := parquet.OpenFile(out, int64(out.Len()))
	if n := len(f.RowGroups()); n != 5 {
		t.Errorf("%d row groups", n)
	}
}

func TestRowsThatDoNotFit(t *testing.T) {
	columns := []Column{{Name: "text"}, {Name: "int", Kind: Int64, Optional: true}, {Name: "real", Kind: Double}, {Name: "flag", Kind: Bool}}
	good := AppendBool(AppendDouble(AppendInt(AppendText(nil, "x"), 1), 2), true)
	for n := range good {
		w := NewWriter(new(buffer), Layout{Columns: columns, GroupRows: 10, PageBytes: 1000})
		w.Write(good[:n])
		if err := w.Close(nil); !errors.Is(err, errCells) {
			t.Errorf("the first %d bytes of a row: %v", n, err)
		}
	}
	w := NewWriter(new(buffer), Layout{Columns: columns[:1], GroupRows: 10, PageBytes: 1000})
	w.Write(AppendNull(nil))
	if err := w.Close(nil); !errors.Is(err, errCells) {
		t.Errorf("null in a column that has none: %v", err)
	}
}

// forgetful loses what is written after its first n bytes.
type forgetful struct {
	buffer
	n int
}

func (f *forgetful) Write(p []byte) (int, error) {
	f.buffer.Write(p[:min(len(p), max(0, f.n-f.Len()))])
	return len(p), nil
}

// full has room for n bytes.
type full struct {
	buffer
	n int
}

func (f *full) Write(p []byte) (int, error) {
	if f.Len()+len(p) > f.n {
		return 0, errors.New("no space left on device")
	}
	return f.buffer.Write(p)
}

func TestFilesThatFail(t *testing.T) {
	layout := Layout{Columns: []Column{{Name: "text"}}, GroupRows: 10, PageBytes: 1000}
	fill := func(file File) error {
		w := NewWriter(file, layout)
		for range 100 {
			if err := w.Write(AppendText(nil, "some text")); err != nil {
				return err
			}
		}
		return w.Close(nil)
	}
	whole := new(buffer)
	if err := fill(whole); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < whole.Len(); n += 50 {
		if err := fill(&forgetful{n: n}); err == nil || !strings.Contains(err.Error(), "not what was meant") {
			t.Errorf("only %d bytes were kept: %v", n, err)
		}
		if err := fill(&full{n: n}); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("only %d bytes had room: %v", n, err)
		}
	}
}

// FuzzWhatWasLookedAtFits has any two lines: if columns can be guessed from
// them, both are rows of these columns.
func FuzzWhatWasLookedAtFits(f *testing.F) {
	f.Add(`{"a":1,"b":"x"}`, `{"a":1.5,"c":[{}]}`)
	f.Add(`{"a":9007199254740993}`, `{"a":1e3}`)
	f.Add(`{"a":[[1],{}],"b":{"c":[{}]}}`, `{"a":[],"b":{"d":1,"c":[{"e":[null]}]}}`)
	f.Add(`{"a":null}`, `{"a":true,"":-0}`)
	f.Add(`{"":1E700}`, `{"a":[1E700]}`)
	f.Fuzz(func(t *testing.T, one, two string) {
		for _, nested := range []bool{false, true} {
			checkFit(t, nested, one, two)
		}
	})
}

// Half of a surrogate pair is found wherever it is, and nothing else is taken for it.
func TestHalfSurrogates(t *testing.T) {
	for text, want := range map[string]string{
		`"\ud800"`: `\ud800`, `"\uDBFFx"`: `\uDBFF`, `"\udc00"`: `\udc00`, `"\uDFFF\uD800"`: `\uDFFF`,
		`"\ud83e\ud83e\udde0"`: `\ud83e`, `"\ud83e\udde0\udde0"`: `\udde0`, `"\ud83e\n\udde0"`: `\ud83e`, `"\ud83e \udde0"`: `\ud83e`,
		`"\\\ud800"`: `\ud800`, `"\ud800\\udc00"`: `\ud800`, `{"\ud8aa":[]}`: `\ud8aa`, `[{"a":["\\",{"\"":"\udeAd"}]}]`: `\udeAd`,

		`"\ud83e\udde0"`: "", `"\uD83E\uDDE0\uD83E\uDDE0"`: "", `"\\ud800"`: "", `"\\\\ud800"`: "", `"\u0041\ud7ff\ue000\ufffd"`: "",
		`"\n\t\"\\"`: "", `"ud800 🧠"`: "", `7`: "",
	} {
		if got := findHalf([]byte(text)); got != want || hasHalf([]byte(text)) != (want != "") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What a JSON reader makes of a string says whether it has half of a pair.
func FuzzHalfSurrogatesAreWhatReadersReplace(f *testing.F) {
	f.Add(`\ud83e\udde0\ud83e`)
	f.Add(`\\ud800\uDFFF`)
	f.Fuzz(func(t *testing.T, inside string) {
		text := `"` + inside + `"`
		var s string
		if strings.Contains(strings.ToLower(text), "fffd") || strings.Contains(text, "\ufffd") ||
			!utf8.ValidString(text) || json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		if half := findHalf([]byte(text)); (half != "") != strings.Contains(s, "\ufffd") {
			t.Errorf("%s: %q, and it reads as %q", text, half, s)
		}
	})
}

func checkFit(t *testing.T, nested bool, one, two string) {
	guess := Guess{Nested: nested}
	if guess.Look([]byte(one)) != nil || guess.Look([]byte(two)) != nil || len(guess.Columns()) == 0 {
		return
	}
	out := new(buffer)
	w, objects := NewWriter(out, NewLayout(guess.Columns())), NewObjects(guess.Columns())
	for _, line := range []string{one, two} {
		row, err := objects.Row(nil, []byte(line))
		if fit, _, _ := withoutUnfit([]byte(line)); string(fit) != line {
			var misfit *Misfit
			if !errors.As(err, &misfit) {
				t.Fatalf("%s: %v, want a misfit", line, err)
			}
			continue
		}
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
}
