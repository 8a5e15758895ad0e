package lang

import (
	_ "embed"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
)

// window is how much of a text is looked at, in bytes.
const window = 4 << 10

// Classifier is a Detector for the languages of doc/languages.md. A script that one language has to itself decides.
// What is in the others is compared, by its runs of three to five letters, with how often each language of the script has
// them (naive Bayes, https://en.wikipedia.org/wiki/Naive_Bayes_classifier). The table for that is part of the program;
// the folder train writes it.
type Classifier struct{}

//go:embed table.bin
var tableBytes []byte

var table = sync.OnceValue(func() *gram.Table {
	t, err := gram.Parse(tableBytes)
	if err != nil {
		panic(err) // this program was built with a damaged table
	}
	return t
})

// Detect implements Detector. It looks at the first 4 KiB of the text.
func (Classifier) Detect(text string) Result {
	text = text[:min(len(text), window)]
	if norm.NFC.QuickSpanString(text) < len(text) {
		text = norm.NFC.String(text)
		text = text[:min(len(text), window)]
	}
	d := document{table: table()}
	d.read(text)
	return d.result()
}
