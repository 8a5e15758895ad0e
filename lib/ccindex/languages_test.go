package ccindex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/sharedtest"
)

// twoLetters are the codes that pages declare, in those of the index.
var twoLetters = map[string]string{
	"af": "afr", "ar": "ara", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa",
	"et": "est", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita",
	"ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "mk": "mkd", "my": "mya", "nb": "nor", "nl": "nld", "nn": "nno", "no": "nor", "pl": "pol", "pt": "por",
	"ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sq": "sqi", "sr": "srp", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd",
	"vi": "vie", "zh": "zho",
}

// Pages of news say themselves what language they are in. Not all are right, but few are wrong.
func TestLanguagesOfNewsPages(t *testing.T) {
	archive, err := os.ReadFile(sharedtest.Path(t, "corpus", "news", "CC-NEWS-20260701022501-08467.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var records, rows bytes.Buffer
	w := jsonl.NewWriter(&records)
	split := record.Splitter{Jobs: runtime.NumCPU(), MaxBody: BodyPrefix, Size: int64(len(archive))}
	if _, err := split.Run(context.Background(), bytes.NewReader(archive), w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	out := jsonl.NewWriter(&rows)
	x := Indexer{Jobs: runtime.NumCPU(), Builder: builder, OnSkip: func(error) {}}
	if _, err := x.Run(context.Background(), jsonl.NewReader(&records, 0), out); err != nil {
		t.Fatal(err)
	}
	out.Flush()
	var pages, null, nullDeclared, declared, agree, several int
	in := jsonl.NewReader(&rows, 0)
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		row, err := ParseRow(line)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		if row.ContentLanguages == nil {
			null++
			if row.ContentLanguageDeclared != nil {
				nullDeclared++
				t.Logf("%s: null, declared %s", row.URL, *row.ContentLanguageDeclared)
			}
			continue
		}
		first, _, more := strings.Cut(*row.ContentLanguages, ",")
		if more {
			several++
		}
		if row.ContentLanguageDeclared == nil {
			t.Logf("%s: %s, undeclared", row.URL, *row.ContentLanguages)
			continue
		}
		declared++
		tag, _, _ := strings.Cut(strings.ToLower(*row.ContentLanguageDeclared), "-")
		if twoLetters[tag] == first {
			agree++
		} else {
			t.Logf("%s: %s at %.2f, declared %s", row.URL, *row.ContentLanguages, *row.ContentLanguageConfidence, *row.ContentLanguageDeclared)
		}
	}
	t.Logf("%d pages: %d null (%d of them declare one), %d with several languages; of %d that declare one, %d agree", pages, null, nullDeclared, several, declared, agree)
	if pages < 384 || nullDeclared > 12 || agree < declared*96/100 {
		t.Error("fewer than 0.96 agree, or more than 12 that declare a language are null")
	}
}
