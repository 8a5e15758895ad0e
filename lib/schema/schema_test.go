package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/parquetread"
	"github.com/open-index/ccnews/lib/table"
)

const everyType = `MESSAGE any.name {
	optional boolean a; required int32 b;
	optional int32 c (INTEGER(8,true)); optional int32 d (integer(16, TRUE)); optional int32 e (INT_32);
	optional int64 f; optional int64 g (INTEGER(64,true));
	optional int64 h (TIMESTAMP(MILLIS,true)); optional int64 i (TIMESTAMP_MICROS);
	optional float j; optional double k;
	optional binary l; optional binary m (UTF8); optional binary "a \"{;é" (JSON);
}`

func TestEveryType(t *testing.T) {
	columns, err := Parse(everyType)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range columns {
		got = append(got, fmt.Sprint(c.Name, " ", c.Kind, " ", c.Optional))
	}
	if diff := cmp.Diff([]string{
		"a booleans true", "b integers of 32 bits false", "c integers of 8 bits true", "d integers of 16 bits true",
		"e integers of 32 bits true", "f integers true", "g integers true", "h times in milliseconds true",
		"i times in microseconds true", "j numbers of 32 bits true", "k numbers true", "l strings true", "m strings true",
		`a "{;é JSON texts true`,
	}, got); diff != "" {
		t.Error(diff)
	}
	canBeWritten(t, columns)
}

func TestNamedSchemas(t *testing.T) {
	for name, size := range map[string]int{"news": 22, "cc-index": 18} {
		text, ok := Named(name)
		columns, err := Parse(text)
		if !ok || err != nil {
			t.Fatal(name, err)
		}
		var names []string
		for _, c := range columns {
			names = append(names, c.Name)
		}
		if diff := cmp.Diff(ccindex.Columns[:size], names); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, ok := Named("mine"); ok {
		t.Error("a schema named mine")
	}
}

func TestErrorsSayWhere(t *testing.T) {
	many := "message m {" + strings.Repeat("\nrequired int32 a;", 1)
	for text, want := range map[string]string{
		"":                                  `line 1, column 1: want message, have the end of the schema`,
		"\n  table x {}":                    `line 2, column 3: want message, have "table"`,
		"message {":                         `line 1, column 9: want the name of the message, have "{"`,
		"message m {}":                      `line 1, column 13: a table without columns`,
		"message m { int32 a; }":            `line 1, column 13: want required or optional, have "int32"`,
		"message m {\n\trepeated int32 a;}": `line 2, column 11: repeated columns cannot be written; lists fit into optional binary NAME (JSON)`,
		"message m {required group a {}}":   `line 1, column 21: groups cannot be written; objects fit into optional binary NAME (JSON)`,
		"message m {required int96 a;}":     `line 1, column 21: want a type (boolean, int32, int64, float, double, binary), have "int96"`,
		"message m {required int32 ;}":      `line 1, column 27: want the name of the column, have ";"`,
		"message m {required int32 a}":      `line 1, column 28: want ;, have "}"`,
		"message m {required int32 a = 1;}": `line 1, column 29: want ;, have "="`,
		"message m {required int32 a (DATE);}": `line 1, column 30: int32 (DATE) cannot be written; there are int32, int32 (INTEGER(16,true)), ` +
			`int32 (INTEGER(32,true)), int32 (INTEGER(8,true))`,
		"message m {required int64 a (TIMESTAMP(NANOS,true));}":   `line 1, column 30: int64 (TIMESTAMP(NANOS,true)) cannot be written`,
		"message m {required int64 a (TIMESTAMP(MILLIS,false));}": `line 1, column 30: int64 (TIMESTAMP(MILLIS,false)) cannot be written`,
		"message m {required int32 a (STRING);}":                  `line 1, column 30: int32 (STRING) cannot be written`,
		many + "\nrequired int32 a;}":                             `line 3, column 16: a second column "a"`,
		many + "} x":                                              `line 2, column 20: want the end, have "x"`,
		many:                                                      `line 2, column 18: want required or optional, have the end of the schema`,
		"message m {required int32 \"a":                           `line 1, column 27: the quoted name does not end`,
		"message m {required int32 \"\\xff\";}":                   `line 1, column 27: quoted name: it is not valid UTF-8`,
		"message m {required int32 a\xff;}":                       `line 1, column 27: not valid UTF-8`,
		"message m {required int32 \"int32\" (":                   `line 1, column 36: want the name of the logical type, have the end of the schema`,
	} {
		_, err := Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
	long := "message m {"
	for i := range table.MaxColumns + 1 {
		long += fmt.Sprintf("\nrequired int32 c%d;", i)
	}
	if _, err := Parse(long + "}"); err == nil || !strings.Contains(err.Error(), "line 2002, column 1: more than 2000 columns") {
		t.Errorf("many columns: %v", err)
	}
}

// file is a table's file in memory.
type file struct{ bytes.Buffer }

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(f.Bytes()).ReadAt(p, off)
}

// canBeWritten writes a table without rows and reads its columns again.
func canBeWritten(t *testing.T, columns []table.Column) {
	t.Helper()
	out := new(file)
	if err := table.NewWriter(out, table.NewLayout(columns)).Close(nil); err != nil {
		t.Fatal(err)
	}
	back, err := parquetread.Open(out, int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range back.Columns() {
		if c.Name != columns[i].Name || c.Optional != columns[i].Optional {
			t.Errorf("column %d is %q", i, c.Name)
		}
	}
}

// FuzzSchemaTextParsesOrSaysWhere has any text: it is either the schema of a
// table that can be written, or the error points into it.
func FuzzSchemaTextParsesOrSaysWhere(f *testing.F) {
	f.Add(everyType)
	f.Add(news)
	f.Add("message m {\n required int32 a (DATE); }")
	f.Add("message m {\n optional binary \"\\x00\" ; }")
	f.Fuzz(func(t *testing.T, text string) {
		columns, err := Parse(text)
		if err == nil {
			canBeWritten(t, columns)
			return
		}
		var where *SyntaxError
		if !errors.As(err, &where) || columns != nil {
			t.Fatalf("%v, %v", columns, err)
		}
		lines := strings.Split(text, "\n")
		if where.Line < 1 || where.Line > len(lines) || where.Column < 1 || where.Column > len(lines[where.Line-1])+1 {
			t.Fatalf("%v: there is no such place", err)
		}
	})
}
