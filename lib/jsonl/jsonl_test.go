package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func readLines(r io.Reader, limit int) (lines []string, err error) {
	reader := NewReader(r, limit)
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestReader(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 300_000) + `"}`
	tests := []struct {
		name, in string
		want     []string
		err      string
	}{
		{"nothing", "", nil, ""},
		{"lines", "{\"a\":1}\n{\"a\":2}\n", []string{`{"a":1}`, `{"a":2}`}, ""},
		{"no newline at the end", "{\"a\":1}\n{\"a\":2}", []string{`{"a":1}`, `{"a":2}`}, ""},
		{"cut (1.3)", "{\"a\":1}\n{\"a\":", []string{`{"a":1}`}, "line 2 (byte 8): stream ends inside a line"},
		{"cut in white space", "{\"a\":1}\n  ", []string{`{"a":1}`}, ""},
		{"byte order mark (arrow-tools#19)", "\xef\xbb\xbf{\"a\":42}\n", []string{`{"a":42}`}, ""},
		{"blank lines", "\n\n{\"a\":1}\n \t\r\n{\"a\":2}\n\n", []string{`{"a":1}`, `{"a":2}`}, ""},
		{"CRLF", "{\"a\":1}\r\n{\"a\":2}\r\n", []string{`{"a":1}`, `{"a":2}`}, ""},
		{"long (arrow#7835)", long + "\n{}\n", []string{long, "{}"}, ""},
		{"too long", "{}\n" + long + long + "\n", []string{"{}"}, "line 2 (byte 3): line is too long: the limit is 400000 bytes"},
	}
	for _, tt := range tests {
		for _, wrap := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
		} {
			got, err := readLines(wrap(strings.NewReader(tt.in)), 400_000)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%.300s", tt.name, diff)
			}
			if msg := ""; err != nil && err.Error() != tt.err || err == nil && tt.err != msg {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
		}
	}
}

func TestReaderPassesErrorsOn(t *testing.T) {
	reset := errors.New("reset")
	in := io.MultiReader(strings.NewReader("{}\n{"), iotest.ErrReader(reset))
	if lines, err := readLines(in, 0); len(lines) != 1 || err != reset {
		t.Errorf("%q, %v", lines, err)
	}
	if _, err := readLines(stuck{}, 0); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLineLimitBoundsMemory(t *testing.T) {
	endless := io.LimitReader(zeros{}, 1<<40)
	_, err := readLines(endless, 1<<20)
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestControl(t *testing.T) {
	rows := int64(384)
	end := End{WARCFilename: "a.warc.gz", Bytes: 1 << 40, Members: 769, Records: 769, Responses: 384, Damaged: 1, Rows: &rows}
	line := AppendEnd(nil, end)
	want := `{"_end":{"warc_filename":"a.warc.gz","bytes":1099511627776,"members":769,"records":769,"responses":384,"damaged":1,"filtered":false,"rows":384}}`
	if string(line) != want {
		t.Errorf("end line\n%s, want\n%s", line, want)
	}
	got, fault, err := Control(line)
	if diff := cmp.Diff(&end, got); diff != "" || fault != nil || err != nil {
		t.Errorf("%v %v %s", fault, err, diff)
	}

	line = AppendFault(nil, Fault{Stage: "warc-records", Message: "a <b> \"c\"", Offset: 7})
	if want := `{"_error":{"stage":"warc-records","message":"a <b> \"c\"","offset":7}}`; string(line) != want {
		t.Errorf("error line\n%s, want\n%s", line, want)
	}
	if _, fault, err := Control(line); err != nil || fault == nil || fault.Offset != 7 {
		t.Errorf("%v %v", fault, err)
	}

	for _, other := range []string{`{"url":"_end"}`, `{"_entry":1}`, `{}`, `[]`, ``, `{"a":{"_end":{}}}`} {
		if end, fault, err := Control([]byte(other)); end != nil || fault != nil || err != nil {
			t.Errorf("%s is taken for a control line: %v %v %v", other, end, fault, err)
		}
	}
	for _, bad := range []string{`{"_end":`, `{"_end":null}`, `{"_end":{"bytes":"x"}}`, `{"_error":1}`} {
		if _, _, err := Control([]byte(bad)); err == nil {
			t.Errorf("%s is no control line, and no error", bad)
		}
	}
}

func TestAppendString(t *testing.T) {
	for _, s := range []string{"", "plain", "q\"b\\s/", "\x00\x1f\t\n\r", "\x7f", "é漢🧠", "\u2028", "bad \xff\xc3 utf-8", "\xed\xa0\x80"} {
		line := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(line, &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && back != replaceEach(s) {
			t.Errorf("%q became %s, %q, %v", s, line, back, err)
		}
		if !bytes.Equal(line, AppendString(nil, []byte(s))) {
			t.Errorf("%q as bytes differs", s)
		}
	}
}

// replaceEach writes one U+FFFD for each byte that is no UTF-8.
func replaceEach(s string) string { return string([]rune(s)) }

func TestObject(t *testing.T) {
	tests := []struct{ line, err string }{
		{`{"n":9007199254740993,"s":"a"}`, ""},
		{` { "s" : "a" } `, ""},
		{`{"n":1}TRAILER`, "bytes follow"}, // duckdb#23120
		{`{"n":1}{"n":2}`, "bytes follow"},
		{`{"n":1.5}`, `key "n": want an integer, have 1.5`},
		{`{"n":1e3}`, `key "n": want an integer`},
		{`{"n":99999999999999999999}`, `key "n": want an integer`}, // duckdb#25828
		{`{"n":"7xyz"}`, `key "n": want an integer`},               // hangxie/parquet-tools#1129
		{`{"n":-1}`, "negative"},
		{`{"s":1}`, `key "s": want a string`},
		{`{"s":null}`, `key "s": want a string`},
		{`[1]`, "not a JSON object"},
		{`"x"`, "not a JSON object"},
		{``, "not a JSON object"},
		{`{"s":"a"`, ""},
		{"{\"s\":\"\xff\"}", "not valid UTF-8"},
	}
	for _, tt := range tests {
		err := Object([]byte(tt.line), func(iter *Iterator, key string) (err error) {
			switch key {
			case "n":
				_, err = Count(iter)
			default:
				_, err = String(iter)
			}
			return err
		})
		wantErr := tt.err != "" || !json.Valid([]byte(tt.line))
		if (err != nil) != wantErr || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.line, err, tt.err)
		}
	}
}

// Lines of a stream are the stream: joined again they give every byte but line
// ends, blanks and a byte order mark, however the stream arrives.
func FuzzLinesJoinedAreTheStream(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n\n{\"b\":2}"), 100)
	f.Add([]byte("\xef\xbb\xbf{}\r\n {} \n"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		limit = 1 + limit&0xff
		got, err := readLines(bytes.NewReader(stream), limit)
		slow, slowErr := readLines(iotest.OneByteReader(bytes.NewReader(stream)), limit)
		if diff := cmp.Diff(got, slow); diff != "" || (err == nil) != (slowErr == nil) {
			t.Fatalf("%v, %v: %s", err, slowErr, diff)
		}
		if err != nil {
			return
		}
		var want []string
		for i, line := range strings.Split(string(stream), "\n") {
			if i == 0 {
				line = strings.TrimPrefix(line, "\xef\xbb\xbf")
			}
			if line = string(bytes.TrimSpace([]byte(line))); line != "" {
				want = append(want, line)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzAppendStringIsValidJSON(f *testing.F) {
	f.Add("a\"\\\n\xff")
	f.Fuzz(func(t *testing.T, s string) {
		line := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(line, &back); err != nil || back != replaceEach(s) || !utf8.Valid(line) {
			t.Fatalf("%q became %s: %q, %v", s, line, back, err)
		}
	})
}

// What is accepted is JSON, with one exception of the JSON library: control
// characters inside strings that also have escapes.
func FuzzObjectAgreesWithTheStandardLibrary(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}],"c":"\u00e9"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		err := Object(line, func(iter *Iterator, _ string) error { iter.Skip(); return nil })
		if bytes.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			return
		}
		var object map[string]json.RawMessage
		std := json.Unmarshal(line, &object)
		if err == nil && (std != nil || object == nil) && !strings.Contains(std.Error(), "depth") {
			t.Fatalf("accepted %q, which is none: %v", line, std)
		}
	})
}

// What is often taken for lines of JSON is told by its first bytes, however it comes.
func TestForeignFormatsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"\x1f\x8b\x08\x00\n":           "gzip",
		"\x1f\x8b":                     "gzip",
		"\x28\xb5\x2f\xfd\x00":         "zstd",
		"PAR1\x15\x00\n":               "Parquet",
		"WARC/1.0\r\nWARC-Type: x\r\n": "a WARC archive",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			line, err := NewReader(r, 0).Next()
			foreign := (*ForeignError)(nil)
			if !errors.As(err, &foreign) || foreign.Format != want || foreign.Hint() == "" || line != nil {
				t.Errorf("%.10q: %q, %v, want %s", text, line, err, want)
			}
		}
	}
	for _, text := range []string{"{}\n\x1f\x8b\n", "\n\x1f\x8b\n"} {
		r := NewReader(strings.NewReader(text), 0)
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
			if foreign := (*ForeignError)(nil); errors.As(err, &foreign) {
				t.Errorf("%q: %v", text, err)
				break
			}
			if err != nil {
				break
			}
		}
	}
}
