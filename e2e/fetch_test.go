package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/sharedtest"
)

// article is a line of warc-fetch --text --jsonl.
type article struct {
	URL, Text string
	Offset    int64  `json:"warc_record_offset"`
	Length    int64  `json:"warc_record_length"`
	Filename  string `json:"warc_filename"`
}

func articles(t *testing.T, jsonl string) (all []article) {
	t.Helper()
	for line := range strings.Lines(jsonl) {
		var a article
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// What is found in a month's index is read as text: each page, in the order found.
func TestNewsSearchIntoText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := splitNews(t, dir+"/archives", 8)
	env := searchEnv(dir)
	for i, name := range names {
		must(t, dir, env+fmt.Sprintf("mkdir -p repo/data/2026/07; warc-records -q %s | record-index -q | jsonl2parquet -q --require-end -o repo/data/2026/07/part-%d.parquet", name, i))
	}
	pages := 0
	for _, pattern := range []string{"com", "org", "de", "rbb24.de", "cnn.com"} {
		search := "news-search -q --months 2026/07 --status 2xx --mime text/html,application/xhtml+xml " + pattern + " | tee rows | "
		texts := strings.Split(must(t, dir, env+search+"warc-fetch --text"), "\f\n")
		found := articles(t, must(t, dir, env+search+"warc-fetch --text --jsonl"))
		rows := lines(t, string(readFile(t, dir, "rows")))
		if len(texts) != len(rows) || len(found) != len(rows) {
			t.Fatalf("%s: %d rows, %d texts, %d JSON lines", pattern, len(rows), len(texts), len(found))
		}
		for i, row := range rows {
			if of := articles(t, row)[0]; of.URL != found[i].URL || of.Filename != found[i].Filename || of.Offset != found[i].Offset {
				t.Errorf("%s: line %d is of %s, and the row of %s", pattern, i+1, found[i].URL, of.URL)
			}
			if texts[i] != found[i].Text+"\n" {
				t.Errorf("%s: the text is not the same with --jsonl: %.100q %.100q", found[i].URL, texts[i], found[i].Text)
			}
			if len(found[i].Text) < 40 || !utf8.ValidString(found[i].Text) || strings.Contains(found[i].Text, "</p>") {
				t.Errorf("%s: %.200q", found[i].URL, found[i].Text)
			}
		}
		pages += len(rows)
	}
	if pages < 200 {
		t.Errorf("%d pages in all", pages)
	}
	t.Logf("%d pages have their text", pages)
}

// legacy are the charsets of pages that are not in UTF-8, by offset, as the collection
// that the pages are from labels them, in the spelling of iconv.
func legacy(t *testing.T) map[int64]string {
	t.Helper()
	charsets := map[int64]string{}
	for line := range strings.Lines(string(readFile(t, sharedtest.Path(t, "corpus", "news", newsName+".truth.jsonl")))) {
		var page struct {
			Offset  int64  `json:"warc_record_offset"`
			Charset string `json:"bytes_charset"`
			Label   string
		}
		if err := json.Unmarshal([]byte(line), &page); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(page.Charset, "not-utf8") || page.Label == "" {
			continue
		}
		// "iso-8859-5-bulgarian" has a language behind it.
		if at := strings.LastIndexByte(page.Label, '-'); at > 0 && strings.ToLower(page.Label) == page.Label {
			page.Label = page.Label[:at]
		}
		charsets[page.Offset] = strings.Replace(page.Label, "MacCyrillic", "MAC-CYRILLIC", 1)
	}
	return charsets
}

var (
	// declaration is where a page says in ASCII what its charset is.
	declaration = regexp.MustCompile(`(?i)(?:charset|encoding)\s*=\s*["']?([\w-]+)`)
	tag         = regexp.MustCompile(`<[^>]*>`)
)

// declares reports whether a message says that it is in charset.
func declares(message, charset string) bool {
	said := declaration.FindStringSubmatch(message)
	return said != nil && strings.EqualFold(strings.ReplaceAll(said[1], "-", ""), strings.ReplaceAll(charset, "-", ""))
}

// letters are the letters of a page, without what is in its tags.
func letters(page string) string {
	page = html.UnescapeString(html.UnescapeString(page))
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, tag.ReplaceAllString(page, ""))
}

// words are the words of a text that ASCII cannot write.
func words(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.DeleteFunc(all, func(word string) bool {
		return !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII })
	})
}

// The words of pages that declare a legacy charset are those that iconv reads.
func TestTextOfLegacyCharsets(t *testing.T) {
	t.Parallel()
	findTool(t, "iconv", "iconv")
	dir, charsets := t.TempDir(), legacy(t)
	env := "export CC_BASE=" + serve(t) + "; "
	write(t, []byte(must(t, dir, "warc-records -q "+newsArchive(t)+" | record-index -q | sed '/^{\"_e/d'")), dir, "rows")
	checked := map[string]int{}
	for _, page := range articles(t, must(t, dir, env+"warc-fetch -q --text --jsonl <rows")) {
		charset, ok := charsets[page.Offset]
		if !ok {
			continue
		}
		one := env + fmt.Sprintf("warc-fetch --file %s --offset %d --length %d ", page.Filename, page.Offset, page.Length)
		if !declares(must(t, dir, one+"--http"), charset) {
			continue
		}
		all := words(page.Text)
		theirs := letters(must(t, dir, one+"--body | { iconv -c -f "+charset+" -t UTF-8 || :; }"))
		wrong := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return strings.Contains(theirs, word) })
		// One in a hundred may be: HTML inside of XML has "<" that begin no tag.
		if page.Text == "" || len(wrong)*100 > len(all) {
			t.Errorf("%s at %d, in %s: of %d words %d are not those of the page: %.20q", page.URL, page.Offset, charset, len(all), len(wrong), wrong)
		}
		checked[charset]++
	}
	if len(checked) < 15 {
		t.Errorf("%d charsets", len(checked))
	}
	t.Logf("pages by charset: %v", checked)
}

// The sample archive's pages are written from texts: these are what comes out.
func TestTextOfTheSampleArchive(t *testing.T) {
	t.Parallel()
	const name = "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701000000-00001.warc.gz"
	dir := t.TempDir()
	must(t, dir, "mkdir -p "+filepath.Dir(name))
	write(t, readFile(t, "../testdata", filepath.Base(name)), dir, name)
	texts := map[string]string{}
	for _, page := range articles(t, must(t, dir, "export CC_BASE=.; warc-records -q "+name+" | record-index -q | sed '/^{\"_e/d' | warc-fetch -q --text --jsonl")) {
		texts[page.URL] = page.Text
	}
	sources, _ := filepath.Glob("../testdata/archive/pages/*.txt")
	paragraphs := 0
	for _, name := range sources {
		head, body, _ := strings.Cut(string(readFile(t, name)), "\n\n")
		_, url, _ := strings.Cut(head, "url: ")
		url, _, _ = strings.Cut(url, "\n")
		for _, paragraph := range strings.Split(strings.TrimSpace(body), "\n\n") {
			if paragraphs++; !strings.Contains(name, "-cut") && !strings.Contains(texts[url], strings.TrimSpace(paragraph)) {
				t.Errorf("%s: %s: %.100q is not in %.300q", filepath.Base(name), url, paragraph, texts[url])
			}
		}
	}
	if paragraphs < 100 {
		t.Errorf("%d paragraphs", paragraphs)
	}
	t.Logf("%d paragraphs of %d pages", paragraphs, len(sources))
}

// A server that sends the whole archive when it is asked for a part is an error, and so
// is a place that is not quite the record's.
func TestFetchNeverWritesAWrongRecord(t *testing.T) {
	t.Parallel()
	archive, row, dir := newsArchive(t), newsTruth(t)[100], t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		http.ServeFile(w, r, archive)
	}))
	defer server.Close()
	honest, next := serve(t), newsTruth(t)[101]
	for _, test := range []struct {
		base           string
		offset, length int64
		says           string
	}{
		{server.URL, row.Offset, row.Length, "range"},
		{honest, row.Offset + 1, row.Length, ""},
		{honest, row.Offset - 1, row.Length, ""},
		{honest, row.Offset, row.Length - 1, ""},
		{honest, row.Offset, row.Length + 1, ""},
		{honest, next.Offset, next.Length, ""}, // another record, whole
	} {
		line := fmt.Sprintf(`{"url":%q,"warc_filename":"crawl-data/CC-NEWS/2026/07/%s.warc.gz","warc_record_offset":%d,"warc_record_length":%d}`,
			row.URL, newsName, test.offset, test.length)
		write(t, []byte(line+"\n"), dir, "row")
		for _, form := range []string{"--text", "--raw", "--body", ""} {
			out, talk, status := shell(t, dir, "CC_BASE="+test.base+" warc-fetch "+form+" <row")
			if out != "" || status != 1 || !strings.Contains(talk, test.says) || !strings.Contains(talk, newsName) {
				t.Errorf("%s of %d bytes at %d: status %d: %.100q %s", form, test.length, test.offset, status, out, talk)
			}
		}
	}
}
