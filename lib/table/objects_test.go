package table

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each value is read as one of a kind, or refused; nothing is rounded.
func TestValuesOfKinds(t *testing.T) {
	tests := []struct {
		kind      Kind
		good, bad []string
	}{
		{Int8, []string{"-128", "127"}, []string{"128", "-129", "1.0", `"1"`, "true"}},
		{Int16, []string{"-32768", "32767"}, []string{"32768", "1e3"}},
		{Int32, []string{"-2147483648", "2147483647"}, []string{"2147483648"}},
		{Int64, []string{"9223372036854775807", "-0"}, []string{"9223372036854775808", "1.5"}},
		{Double, []string{"9007199254740992", "0.1", "1e308", "-0.0"}, []string{"9007199254740993", "1e309", `"NaN"`}},
		{Float, []string{"16777216", "0.1", "1e38"}, []string{"16777217", "1e39", "{}"}},
		{Bool, []string{"true", "false"}, []string{"0", `"true"`}},
		{Text, []string{`""`, `"\u0000é"`}, []string{"1", "[]"}},
		{Bytes, []string{`"x"`}, []string{"1"}},
		{JSON, []string{"1", `"x"`, `{"a":[1, 2]}`, "false"}, nil},
		{Time, []string{"0", "-1", `"2026-07-01T02:25:01Z"`, `"2026-07-01T02:25:01.001+02:00"`, `"0001-01-01T00:00:00Z"`},
			[]string{`"2026-07-01T02:25:01.0001Z"`, `"2026-07-01"`, `"2026-07-01T02:25:01"`, `"2026-06-31T00:00:00Z"`, "1.5", `""`}},
		{TimeMicros, []string{`"2026-07-01T02:25:01.000001Z"`, `"2026-07-01 02:25:01+00"`}, []string{`"2026-07-01T02:25:01.0000001Z"`}},
	}
	for _, tt := range tests {
		objects := NewObjects([]Column{{Name: "a", Kind: tt.kind, Optional: true}})
		for _, value := range append(tt.good, "null") {
			if _, err := objects.Row(nil, []byte(`{"a":`+value+`}`)); err != nil {
				t.Errorf("%s: %v", value, err)
			}
		}
		for _, value := range tt.bad {
			var misfit *Misfit
			if _, err := objects.Row(nil, []byte(`{"a":`+value+`}`)); !errors.As(err, &misfit) {
				t.Errorf("%s is taken for one of %s: %v", value, tt.kind, err)
			}
		}
	}
}

func TestForgiveAndIgnore(t *testing.T) {
	var told []string
	tell := func(m *Misfit) bool {
		told = append(told, m.Error())
		return true
	}
	objects := NewObjects([]Column{{Name: "a", Kind: Int64, Optional: true}, {Name: "b", Kind: Text}})
	objects.Forgive, objects.Ignore = tell, tell
	row, err := objects.Row([]byte("x"), []byte(`{"c":[1],"a":1.5,"b":"z"}`))
	if want := append([]byte("x"), AppendText(AppendNull(nil), "z")...); err != nil || !cmp.Equal(row, want) {
		t.Errorf("row %q, %v", row, err)
	}
	if diff := cmp.Diff([]string{`key "c": there is no such column`, `key "a": the column holds integers, not 1.5`}, told); diff != "" {
		t.Error(diff)
	}
	for line, want := range map[string]string{
		`{"a":1}`:                 `key "b": it is missing, and the column is required`,
		`{"a":1,"b":null}`:        `key "b": it is null, and the column is required`,
		`{"a":1,"b":2}`:           `key "b": the column holds strings, not 2`,
		`{"b":2,"a":1,"a":1}`:     `key "a": it is there twice`,
		`{"b":2,"b":"x"}`:         `key "b": it is there twice`,
		`{"b":"x","a":"y"} x`:     `not valid JSON: invalid character 'x' after top-level value`,
		`{"b":1.25,"c":1,"d":{}}`: `key "b": the column holds strings, not 1.25`,
	} {
		row, err := objects.Row([]byte("x"), []byte(line))
		if err == nil || err.Error() != want || string(row) != "x" {
			t.Errorf("%s: %q, %v, want %s", line, row, err, want)
		}
	}
}
