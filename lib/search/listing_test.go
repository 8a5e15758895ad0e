package search

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestListing(t *testing.T) {
	text := "a.parquet\n\n  b c.parquet  \r\n" +
		`{"path":"data/2026/07/x.parquet","size":1,"url":"/repo/data/2026/07/x.parquet","nested":{"url":"no"}}` + "\n" +
		`{"path":"only/path.parquet"}` + "\n" + `{"_end":{"rows":1}}` + "\nlast.parquet"
	want := []string{"a.parquet", "b c.parquet", "/repo/data/2026/07/x.parquet", "only/path.parquet", "last.parquet"}
	for name, r := range map[string]func() (got []string, err error){
		"whole":    func() ([]string, error) { return names(strings.NewReader(text)) },
		"byte":     func() ([]string, error) { return names(iotest.OneByteReader(strings.NewReader(text))) },
		"data err": func() ([]string, error) { return names(iotest.DataErrReader(strings.NewReader(text))) },
	} {
		got, err := r()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestBadListing(t *testing.T) {
	for text, want := range map[string]string{
		"a\n{\"size\":1}\nb":                           "line 2: it has neither url nor path",
		"{\"path\":":                                   "line 1: ",
		"{\"path\":1}":                                 `line 1: key "path": want a string`,
		"a\n" + strings.Repeat("x", 70<<10):            "line 2: too long",
		`{"_error":{"stage":"hf-ls","message":"403"}}`: "line 1: hf-ls failed upstream: 403",
	} {
		if _, err := names(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	if _, err := names(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("abc")))); err == nil {
		t.Error("a read error is lost")
	}
}

func names(r interface{ Read([]byte) (int, error) }) (list []string, err error) {
	for place, err := range Listing(r) {
		if err != nil {
			return list, err
		}
		list = append(list, place.Where)
	}
	return list, nil
}
