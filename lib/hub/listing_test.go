package hub_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/hub"
)

// filesOf is what Listed gives up to its first error.
func filesOf(r io.Reader) (files []hub.File, err error) {
	for file, err := range hub.Listed(r) {
		if err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

func TestListed(t *testing.T) {
	whole := hub.File{Path: "data/ä \"b\".parquet", Size: 9, SHA256: "ab", OID: "cd", Repo: "me/x", Revision: "ef", URL: "https://h/x"}
	empty := hub.File{Path: "empty", Size: 0, OID: "cd", Repo: "me/x", Revision: "ef", URL: "https://h/y"}
	text := "\ufeff" + string(whole.AppendJSON(nil)) + "\n\n \t\n bare path \r\n" + `  {"url":"u","other":{"path":1},"path":"p"} ` + "\n" +
		"https://h/b.parquet\n" + `{"_end":{"rows":1}}` + "\n" + string(empty.AppendJSON(nil))
	want := []hub.File{whole, {Path: " bare path ", Size: -1}, {Path: "p", Size: -1, URL: "u"}, {Path: "https://h/b.parquet", Size: -1}, empty}
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "byte": iotest.OneByteReader(strings.NewReader(text)), "data err": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := filesOf(r)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	for text, want := range map[string]string{
		"a\n{\"size\":1}\nb":                           "line 2: it names no path: want a line of hf-ls, or a bare path",
		`{"url_surtkey":"a)/","url":"u"}`:              "line 1: it names no path: ",
		`{"path":1}`:                                   `line 1: key "path": want a string`,
		`{"_error":{"stage":"hf-ls","message":"403"}}`: "line 1: hf-ls failed upstream: 403",
		`{"_end":null}`:                                "line 1: control line is not valid",
		"PAR1\x15" + strings.Repeat("x", 70<<10):       "line 1: this is no text",
		"a\n\x1f\x8b\x08\n":                            "line 2: this is no text",
		"caf\xe9":                                      "line 1: this is no text",
		`{"path":"a","size":-1}`:                       `line 1: key "size": -1 is negative`,
		`{"path":`:                                     "line 1: ",
		"a\n" + strings.Repeat("x", 70<<10):            "line 2: longer than 65536 bytes, which no path is",
		"{\"path\":\"\xff\"}":                          "line 1: not valid UTF-8",
	} {
		if _, err := filesOf(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"abc", `{"path":"a"}`} {
		_, err := filesOf(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text))))
		if !errors.Is(err, iotest.ErrTimeout) || !strings.HasPrefix(err.Error(), "line 1: ") {
			t.Errorf("a read error is lost: %v", err)
		}
	}
}

// What a line says is what it says when it is written again.
func FuzzListedFilesKeepWhatTheySay(f *testing.F) {
	for _, seed := range []string{"a/b.parquet", `{"path":"a","size":3,"sha256":"x","url":"u"}`, `{"path":"a","path":"b"}`, "{}", `{"_end":{}}`, "PAR1\x15", "\ufeff{\"path\":\"a\"}", "{\"path\":\"\\ud800\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files, _ := filesOf(strings.NewReader(text))
		for _, file := range files {
			if !strings.HasPrefix(text, "{") || file.Size < 0 {
				continue // bare, or without a size: not what AppendJSON writes
			}
			again, err := hub.ParseFile(file.AppendJSON(nil))
			if diff := cmp.Diff(file, again); diff != "" || err != nil {
				t.Fatalf("%q: %v %s", text, err, diff)
			}
		}
	})
}
