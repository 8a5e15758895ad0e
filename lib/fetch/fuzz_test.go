package fetch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

func TestParseLocation(t *testing.T) {
	const at = `"warc_filename":"a","warc_record_offset":1,"warc_record_length":2`
	for line, want := range map[string]string{
		`{` + at + `}`: "",
		`{` + at + `,"url":null,"warc_record_id":null,"content_digest":null,"other":[{}]}`:      "",
		`{"warc_record_offset":1,"warc_record_length":2}`:                                       "warc_filename is missing",
		`{"warc_filename":null,"warc_record_offset":1,"warc_record_length":2}`:                  "warc_filename is missing",
		`{"warc_filename":"a","warc_record_length":2}`:                                          "warc_record_offset is missing",
		`{"warc_filename":"a","warc_record_offset":1}`:                                          "warc_record_length is missing",
		`{"warc_filename":"a","warc_record_offset":1,"warc_record_length":0}`:                   "below 1",
		`{"warc_filename":"a","warc_record_offset":1,"warc_record_length":1073741825}`:          "no record above",
		`{"warc_filename":"a","warc_record_offset":9223372036854775807,"warc_record_length":2}`: "no archive is that long",
		`{"warc_filename":"a","warc_record_offset":"1","warc_record_length":2}`:                 `key "warc_record_offset": want an integer`,
		`{"warc_filename":"a","warc_record_offset":-1,"warc_record_length":2}`:                  "negative",
		`{"warc_filename":7}`: `key "warc_filename": want a string`,
		`["a"]`:               "not a JSON object",
	} {
		_, err := ParseLocation([]byte(line))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// A bad line costs itself alone; what ends a stream ends it.
func TestLocations(t *testing.T) {
	const row = `{"warc_filename":"a","warc_record_offset":1,"warc_record_length":2}` + "\n"
	tests := []struct{ input, want string }{
		{"", ""},
		{row + "\n" + row, "1 3 "},
		{row + "{}\n" + row, "1 !line 2 (byte 68): warc_filename is missing 3 "},
		{row + "nonsense\n" + row, "1 !line 2 (byte 68): not a JSON object 3 "},
		{row + `{"_end":{"records":1}}` + "\n", "1 "},
		{row + `{"_end":{"records":1}}` + "\n" + row + row, "1 !line 3 (byte 91): the stream goes on behind its end "},
		{row + `{"_error":{"stage":"shard-grep","message":"gone"}}` + "\n", "1 !line 2 (byte 68): shard-grep failed upstream: gone "},
		{row + `{"warc_filen`, "1 !line 2 (byte 68): stream ends inside a line "},
	}
	for _, tt := range tests {
		var got strings.Builder
		for l, err := range Locations(iotest.OneByteReader(strings.NewReader(tt.input))) {
			if err != nil {
				fmt.Fprintf(&got, "!%v ", err)
				continue
			}
			fmt.Fprint(&got, l.Line, " ")
		}
		if got.String() != tt.want {
			t.Errorf("%q gave %q, want %q", tt.input, got.String(), tt.want)
		}
	}
}

// What is accepted as a location is what the standard library reads in the line, and a
// span that can be asked for.
func FuzzLocationIsWhatTheLineSays(f *testing.F) {
	f.Add([]byte(`{"warc_filename":"a","warc_record_offset":1,"warc_record_length":2,"url":"b","content_digest":null}`))
	f.Add([]byte(`{"warc_record_length":9007199254740993,"warc_filename":"\u00e9","warc_record_offset":0}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := ParseLocation(line)
		if err != nil || bytes.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			return
		}
		if l.Length < 1 || l.Length > MaxLength || l.Offset < 0 || l.end() < l.Offset || l.Filename == "" {
			t.Fatalf("accepted %+v", l)
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			t.Skip() // lib/jsonl's tests compare what is JSON
		}
		for key, have := range map[string]any{"warc_filename": l.Filename, "warc_record_offset": l.Offset, "warc_record_length": l.Length} {
			if want := object[key]; want != nil && fmt.Sprint(want) != fmt.Sprint(have) {
				t.Fatalf("%s is %v and was read as %v", key, want, have)
			}
		}
	})
}

// Bytes that are accepted as one whole record are not when they are shifted, or have a
// byte more; compressed ones not when they have a byte less.
func FuzzAcceptedSpanIsExact(f *testing.F) {
	rec := response("http://a/", page("", "body"))
	f.Add(rec)
	f.Add(member(rec))
	f.Add(append(member(rec[:20]), member(rec[20:])...))
	f.Add(member(rec, []byte(blank), rec))
	f.Add([]byte("WARC/1.0\r\nContent-Length: 0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		if len(stored) == 0 || checked(stored, Location{}) != nil {
			return
		}
		wrong := map[string][]byte{"shifted": stored[1:], "with a byte more": append(bytes.Clone(stored), '\n')}
		s := newSpan(Location{Length: int64(len(stored))}, nil)
		if s.data = stored; !s.plain() {
			wrong["with a byte less"] = stored[:len(stored)-1]
		}
		for what, bytes := range wrong {
			if len(bytes) > 0 && checked(bytes, Location{}) == nil {
				t.Fatalf("%q is accepted, and %s, too", stored, what)
			}
		}
	})
}
