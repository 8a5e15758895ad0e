package ccindex

import (
	"bytes"
	"context"
	"encoding/json"
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

// countries are the languages of the press of the countries that label pages in the corpus. Papers in others are foreign ones.
var countries = map[string]string{
	"at": "deu", "au": "eng", "be": "nld fra deu", "ca": "eng fra", "ch": "deu fra ita", "cn": "zho", "cz": "ces", "de": "deu", "dk": "dan",
	"es": "spa cat", "fr": "fra", "id": "ind", "ind": "eng hin", "it": "ita", "jp": "jpn", "kr": "kor", "lb": "ara eng", "lt": "lit",
	"lu": "deu fra ltz", "na": "eng afr", "no": "nor nno", "pl": "pol", "pt": "por", "py": "spa grn", "ru": "rus", "se": "swe", "tr": "tur",
	"tw": "zho", "tz": "swa eng", "uk": "eng", "us": "eng spa", "vn": "vie", "za": "eng afr zul xho",
}

const newsArchive = "CC-NEWS-20260701022501-08467"

// newsRows are the rows of the pages of news in the corpus.
func newsRows(t *testing.T) []Row {
	archive, err := os.ReadFile(sharedtest.Path(t, "corpus", "news", newsArchive+".warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var records, lines bytes.Buffer
	w := jsonl.NewWriter(&records)
	split := record.Splitter{Jobs: runtime.NumCPU(), MaxBody: BodyPrefix, Size: int64(len(archive))}
	if _, err := split.Run(context.Background(), bytes.NewReader(archive), w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	out := jsonl.NewWriter(&lines)
	x := Indexer{Jobs: runtime.NumCPU(), Builder: builder, OnSkip: func(error) {}}
	if _, err := x.Run(context.Background(), jsonl.NewReader(&records, 0), out); err != nil {
		t.Fatal(err)
	}
	out.Flush()
	var rows []Row
	in := jsonl.NewReader(&lines, 0)
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		row, err := ParseRow(line)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// Pages of news say themselves what language they are in. Not all are right, but few are wrong: the 7 that disagree declare
// the wrong one. The 2 without a language that declare one are in Papiamento, which the table lacks, and a list of scores.
func TestLanguagesOfNewsPages(t *testing.T) {
	var null, nullDeclared, declared, agree, several int
	rows := newsRows(t)
	for _, row := range rows {
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
	t.Logf("%d pages: %d null (%d of them declare one), %d with several languages; of %d that declare one, %d agree", len(rows), null, nullDeclared, several, declared, agree)
	if len(rows) < 384 || nullDeclared > 2 || agree < declared-7 {
		t.Error("more than 7 disagree, or more than 2 that declare a language are null")
	}
}

// The corpus labels some pages with the country of the publication.
func TestLanguagesOfCountries(t *testing.T) {
	truth, err := os.ReadFile(sharedtest.Path(t, "corpus", "news", newsArchive+".truth.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[int64]string{} // by offset
	for line := range bytes.Lines(truth) {
		var page struct {
			Offset int64  `json:"warc_record_offset"`
			Label  string `json:"label"`
		}
		if err := json.Unmarshal(line, &page); err != nil {
			t.Fatal(err)
		}
		labels[page.Offset] = page.Label
	}
	var labelled, agree int
	for _, row := range newsRows(t) {
		country := labels[row.WARCRecordOffset]
		if countries[country] == "" {
			continue // none, or a charset
		}
		labelled++
		if row.ContentLanguages == nil {
			t.Errorf("%s, of %s: null", row.URL, country)
			continue
		}
		first, _, _ := strings.Cut(*row.ContentLanguages, ",")
		if strings.Contains(countries[country], first) {
			agree++
		} else {
			t.Logf("%s, of %s: %s", row.URL, country, *row.ContentLanguages)
		}
	}
	t.Logf("%d pages of %d have a language of their country", agree, labelled)
	if labelled < 100 || agree < labelled-5 {
		t.Error("more than the 5 foreign papers have no language of their country")
	}
}
