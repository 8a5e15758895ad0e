package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// source is a package with texts in many languages.
type source struct {
	name    string                                  // of the package
	files   *regexp.Regexp                          // the files with texts, and in them the name of the language; nil if it is an APK
	byUDHR  bool                                    // languages are named as the UDHR project does, else by BCP 47 tags
	weight  float64                                 // of the source among the sources of a language, above 0 and up to 1; less than 1 is for words alone
	extract func([]byte) (map[string]string, error) // the texts in a file, by a key that is the same in every language
}

var sources = []source{
	{"udhr", regexp.MustCompile(`^package/declaration/([^/]+)\.html$`), true, 1, fromHTML},
	{"scratch-l10n", regexp.MustCompile(`^package/(?:www|editor)/[^/]+/([^/]+)\.json$`), false, 1, fromJSON},
	{"chrome-devtools-frontend", regexp.MustCompile(`^package/front_end/core/i18n/locales/([^/]+)\.json$`), false, 1, fromJSON},
	{"matrix-react-sdk", regexp.MustCompile(`^package/src/i18n/strings/([^/]+)\.json$`), false, 1, fromJSON},
	{"framework-res", nil, false, 1, nil},
	{"cldr-annotations-full", regexp.MustCompile(`^package/annotations/([^/]+)/annotations\.json$`), false, 0.3, fromJSON},
	{"cldr-localenames-full", regexp.MustCompile(`^package/main/([^/]+)/(?:languages|territories)\.json$`), false, 0.3, fromJSON},
}

// texts are the pieces of text of one source in one language, without repetitions, in a fixed order.
type texts struct {
	source   string
	language string
	pieces   []string
}

// messages are texts by the file and key that they have in every language.
type messages map[string]string

// read returns the texts of a package in dir, ordered by language. languages has the code of each name of one.
func read(dir string, s source, languages map[string]string) ([]texts, error) {
	if s.files == nil {
		found, err := fromAPK(filepath.Join(dir, s.name+".apk"))
		return s.sort(found, languages), err
	}
	paths, err := filepath.Glob(filepath.Join(dir, s.name+"-[0-9]*.tgz"))
	if err != nil || len(paths) != 1 {
		return nil, fmt.Errorf("%d files match %s-*.tgz in %s, want one", len(paths), s.name, dir)
	}
	file, err := os.Open(paths[0])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found, err := s.unpack(file)
	if err != nil {
		return nil, err
	}
	return s.sort(found, languages), nil
}

// unpack returns the messages of a package, by what it calls their language.
func (s source) unpack(tgz io.Reader) (map[string]messages, error) {
	unzipped, err := gzip.NewReader(tgz)
	if err != nil {
		return nil, err
	}
	found := map[string]messages{}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		match := s.files.FindStringSubmatchIndex(header.Name)
		if match == nil {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		pieces, err := s.extract(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		tag, file := header.Name[match[2]:match[3]], header.Name[:match[2]]+header.Name[match[3]:]
		if found[tag] == nil {
			found[tag] = messages{}
		}
		for key, piece := range pieces {
			found[tag][file+key] = piece
		}
	}
}

// sort puts the messages of each language together, in an order that is always the same.
func (s source) sort(found map[string]messages, languages map[string]string) []texts {
	var original messages
	for _, tag := range []string{"en", "en-US", "en_EN"} {
		if original == nil {
			original = found[tag]
		}
	}
	pieces := map[string][]string{} // by language
	seen := map[string]bool{}
	for _, tag := range slices.Sorted(maps.Keys(found)) {
		language := languages[tag]
		if language == "" {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(found[tag])) {
			piece := found[tag][key]
			if !s.byUDHR && language != "eng" {
				piece = translated(piece, original[key])
			}
			if k := language + piece; piece != "" && !seen[k] {
				seen[k] = true
				pieces[language] = append(pieces[language], piece)
			}
		}
	}
	var out []texts
	for _, language := range slices.Sorted(maps.Keys(pieces)) {
		out = append(out, texts{s.name, language, pieces[language]})
	}
	return out
}

// translated returns a translation without the words of the English original: they are names and what was left as it was.
func translated(piece, original string) string {
	if piece == original {
		return ""
	}
	words := map[string]bool{}
	for word := range strings.FieldsSeq(original) {
		words[bare(word)] = true
	}
	var kept []string
	for word := range strings.FieldsSeq(piece) {
		if !words[bare(word)] {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

func bare(word string) string { return strings.ToLower(strings.Trim(word, ".,:;!?()\"“”")) }

// fromHTML returns the headings and paragraphs of a page, numbered.
func fromHTML(page []byte) (map[string]string, error) {
	pieces := map[string]string{}
	var piece strings.Builder
	z := html.NewTokenizer(bytes.NewReader(page))
	for inside := false; ; {
		switch z.Next() {
		case html.ErrorToken:
			return pieces, nil
		case html.TextToken:
			if inside {
				piece.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken:
			name, _ := z.TagName()
			inside = inside || string(name) == "body"
			if s := strings.TrimSpace(piece.String()); s != "" {
				pieces[fmt.Sprintf("%04d", len(pieces))] = s
			}
			piece.Reset()
		}
	}
}

// Placeholders and markup of messages.
var (
	braces = regexp.MustCompile(`\{[^{}]*\}`)
	tags   = regexp.MustCompile(`<[^<>]*>|\\u[0-9a-f]{4}|%\([a-zA-Z0-9_]*\)[sd]|&[a-z]+;|%[0-9]+\$[a-z]|%[a-zA-Z0-9]+`)
)

// fromJSON returns the messages of a JSON document by their paths.
func fromJSON(document []byte) (map[string]string, error) {
	var root any
	if err := json.Unmarshal(document, &root); err != nil {
		return nil, err
	}
	pieces := map[string]string{}
	addStrings(pieces, "", root)
	return pieces, nil
}

// addStrings adds the strings in a node of a JSON document, but for the CLDR's "identity", which names the file.
func addStrings(pieces map[string]string, path string, node any) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			if key != "identity" {
				addStrings(pieces, path+"/"+key, child)
			}
		}
	case []any:
		for i, child := range node {
			addStrings(pieces, fmt.Sprint(path, "/", i), child)
		}
	case string:
		pieces[path] = withoutMarkup(node)
	}
}

// withoutMarkup returns a message without markup and placeholders.
func withoutMarkup(message string) string {
	for braces.MatchString(message) {
		message = braces.ReplaceAllString(message, " ")
	}
	return strings.TrimSpace(tags.ReplaceAllString(message, " "))
}
