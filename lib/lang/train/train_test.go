package main

import (
	"bytes"
	"testing"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// The whole recipe takes packages that are not here; its steps after reading them are the same for little text.
func TestSameTextsGiveTheSameTable(t *testing.T) {
	again := func() []byte {
		var corpus []counted
		for _, s := range []struct{ language, text string }{
			{"eng", "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience."},
			{"deu", "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt."},
			{"rus", "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью."},
		} {
			pieces := []string{s.text, s.text, s.text, s.text, s.text, s.text}
			corpus = append(corpus, counted{texts{"a", s.language, pieces}, 1, countTexts(pieces)})
		}
		table, err := build(corpus)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	want := again()
	for range 20 { // Go's maps have another order each time
		if !bytes.Equal(again(), want) {
			t.Fatal("another table")
		}
	}
	table, err := gram.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if v := judge(table, "human rights and dignity", "eng"); !v.right || !v.compared || v.lead <= 0 || v.likeness <= 0 {
		t.Errorf("%+v", v)
	}
}

func TestLeavesOutWhatIsNotTranslated(t *testing.T) {
	pieces, err := fromJSON([]byte(`{"a":"Öffnen Sie {name} in <b>Chrome</b>","b":{"c":["x"]}}`))
	if err != nil || pieces["/a"] != "Öffnen Sie   in  Chrome" || pieces["/b/c/0"] != "x" {
		t.Errorf("%q, %v", pieces, err)
	}
	if got := translated("Öffnen Sie Chrome.", "Open Chrome."); got != "Öffnen Sie" {
		t.Errorf("%q", got)
	}
}
