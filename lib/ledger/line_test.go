package ledger

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/jsonl"
)

func TestLineIsPinned(t *testing.T) {
	want := `{"path":"data/2026/07/a.parquet","sha256":"` + strings.Repeat("0a", 32) + `","parquet_bytes":150,"row_groups":1,"columns":22,"rows":15,` +
		`"by_day":{"2026-07-01":10,"2026-07-02":5},"by_language":{"":5,"eng":10},"by_mime":{"":13,"application/xhtml+xml":1,"text/html":1},` +
		`"by_status":{"200":13,"204":1,"404":1},"bytes":1000,"complete":true,"damaged":1,"index_version":0,"surt_regular":false}`
	line := news("data/2026/07/a.parquet", 10, 5)
	if diff := cmp.Diff(want, string(line.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
	got, err := ParseLine([]byte(want))
	if diff := cmp.Diff(line, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	foreign := `{"path":"data/CC-MAIN-2026-25/part-00000.parquet","parquet_bytes":1,"row_groups":2,"columns":18,"rows":3}`
	if got, err = ParseLine([]byte(foreign)); err != nil || got.Index != nil || string(got.AppendJSON(nil)) != foreign {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestBadLines(t *testing.T) {
	good := string(news("data/2026/07/a.parquet", 10, 5).AppendJSON(nil))
	for _, tt := range []struct{ old, new, want string }{
		{`"path"`, `"PATHS"`, "not a line of shard-stats: it names no path"},
		{`data/2026`, `../2026`, `"../2026/07/a.parquet": not a path in a repository`},
		{`0a0a`, `0A0A`, "sha256"},
		{`"rows":15`, `"rows":16`, "does not add up to 16 rows"},
		{`"eng":10`, `"eng":11`, "by_language does not add up to 15 rows"},
		{`{"":5,"eng":10}`, `{"":-1,"eng":16}`, "by_language does not add up"},
		{`"eng":`, `"e|g":`, `by_language: "e|g" is not the code of a language`},
		{`2026-07-02`, `2026-02-30`, `by_day: "2026-02-30" is not a day`},
		{`"404"`, `"4xx"`, `by_status: "4xx" is not a status`},
		{`"bytes":1000`, `"bytes":-1`, "bytes is -1"},
		{`"bytes":1000`, `"bytes":1e300`, "not a line of shard-stats"},
		{`"parquet_bytes":150`, `"parquet_bytes":9000000000000`, "parquet_bytes is 9000000000000"},
		{`{"path"`, `["path"`, "not a line of shard-stats"},
		{`a.parquet`, "\xff.parquet", "not valid UTF-8"},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if _, err := ParseLine([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.want)
		}
	}
}

func TestLines(t *testing.T) {
	one := string(news("data/2026/07/a.parquet", 10, 5).AppendJSON(nil))
	two := string(news("data/2026/07/b.parquet", 10, 5).AppendJSON(nil))
	collect := func(r io.Reader) (paths []string, err error) {
		for l, err := range Lines(r) {
			if err != nil {
				return paths, err
			}
			paths = append(paths, l.Path)
		}
		return paths, nil
	}
	for _, r := range []io.Reader{
		strings.NewReader(one + "\n\n" + two + "\n"),
		iotest.OneByteReader(strings.NewReader(one + "\n" + two)),
		iotest.DataErrReader(strings.NewReader(one + "\n" + two + "\n")),
	} {
		if got, err := collect(r); err != nil || len(got) != 2 {
			t.Errorf("%v, %v", got, err)
		}
	}
	for text, want := range map[string]string{
		one + "\n" + two[:100]: "line 2 (byte 417): stream ends inside a line",
		one + "\n{}\n":         "line 2 (byte 417): not a line of shard-stats: it names no path",
		`{"_error":{"stage":"hf-ls","message":"403"}}`:    "line 1 (byte 0): hf-ls failed upstream: 403",
		one + "\n" + strings.Repeat(" ", MaxLine+1) + "x": "line 2 (byte 417): line is too long",
	} {
		if _, err := collect(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.80s…: %v", text, err)
		}
	}
	if _, err := collect(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(one)))); !errors.Is(err, iotest.ErrTimeout) {
		t.Error("a read error is lost:", err)
	}
}

func TestKnown(t *testing.T) {
	line := news("data/2026/07/a.parquet", 10, 5)
	old := news("data/2026/07/a.parquet", 1, 5)
	old.SHA256 = strings.Repeat("ff", 32)
	unsummed := news("data/2026/07/c.parquet", 1, 5)
	unsummed.SHA256 = ""
	var text []byte
	for _, l := range []*Line{line, old, unsummed} {
		text = append(l.AppendJSON(text), '\n')
	}
	text = append(text, "{\"path\":\"x\",\"rows\":-1}\n"...)
	var known Known
	if known.Find(line.Path, line.SHA256) != nil {
		t.Error("nothing is known of anything")
	}
	var warnings []error
	if err := known.Read(bytes.NewReader(text), func(err error) { warnings = append(warnings, err) }); err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0].Error(), "line 4 ") {
		t.Error(warnings)
	}
	for _, l := range []*Line{line, old} {
		if diff := cmp.Diff(l, known.Find(l.Path, l.SHA256)); diff != "" {
			t.Error(diff)
		}
	}
	for _, l := range []struct{ path, sum string }{
		{line.Path, strings.Repeat("00", 32)}, {"data/2026/07/b.parquet", line.SHA256}, {unsummed.Path, ""}, {line.Path, ""},
	} {
		if known.Find(l.path, l.sum) != nil {
			t.Errorf("%v is known", l)
		}
	}
	err := known.Read(strings.NewReader(strings.Repeat("x", MaxLine+2)), func(error) {})
	if !errors.Is(err, jsonl.ErrTooLong) {
		t.Error(err)
	}
}

// FuzzParseLineKeepsEveryCount: a line that is taken is written as the same facts, and
// its counts add up.
func FuzzParseLineKeepsEveryCount(f *testing.F) {
	f.Add(news("data/2026/07/a.parquet", 10, 5).AppendJSON(nil))
	f.Add([]byte(`{"path":"data/CC-MAIN-2026-25/part-00000.parquet","parquet_bytes":1,"row_groups":2,"columns":18,"rows":3}`))
	f.Add([]byte(`{"path":"a","rows":0,"by_day":{},"by_language":null,"registries":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ParseLine(text)
		if err != nil {
			return
		}
		written := l.AppendJSON(nil)
		again, err := ParseLine(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if !bytes.Equal(written, again.AppendJSON(nil)) {
			t.Fatalf("%s, then %s", written, again.AppendJSON(nil))
		}
		if l.Success() > l.Rows || l.HTML() > l.Rows {
			t.Fatalf("%d of %d rows", max(l.Success(), l.HTML()), l.Rows)
		}
	})
}
