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
	name    string         // of the package
	files   *regexp.Regexp // the files with texts, and in them the name of the language
	byUDHR  bool           // languages are named as the UDHR project does, else by BCP 47 tags
	weight  float64        // of the source among the sources of a language
	extract func([]byte) (map[string]string, error)
}

var sources = []source{
	{"udhr", regexp.MustCompile(`^package/declaration/([^/]+)\.html$`), true, 1, fromHTML},
	{"scratch-l10n", regexp.MustCompile(`^package/(?:www|editor)/[^/]+/([^/]+)\.json$`), false, 1, fromJSON},
	{"chrome-devtools-frontend", regexp.MustCompile(`^package/front_end/core/i18n/locales/([^/]+)\.json$`), false, 1, fromJSON},
	{"matrix-react-sdk", regexp.MustCompile(`^package/src/i18n/strings/([^/]+)\.json$`), false, 1, fromJSON},
	{"cldr-annotations-full", regexp.MustCompile(`^package/annotations/([^/]+)/annotations\.json$`), false, 0.3, fromJSON},
	{"cldr-localenames-full", regexp.MustCompile(`^package/main/([^/]+)/(?:languages|territories)\.json$`), false, 0.3, fromJSON},
}

// texts are the pieces of text of one source in one language, without repetitions, in a fixed order.
type texts struct {
	source   string
	language string
	pieces   []string
}

// read returns the texts of a package in dir, ordered by language.
func read(dir string, s source, languages map[string]string) ([]texts, error) {
	paths, _ := filepath.Glob(filepath.Join(dir, s.name+"-[0-9]*.tgz"))
	if len(paths) != 1 {
		return nil, fmt.Errorf("%d files match %s-*.tgz in %s, want one", len(paths), s.name, dir)
	}
	file, err := os.Open(paths[0])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	found := map[string]map[string]string{} // by tag: by file and key
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		match := s.files.FindStringSubmatchIndex(header.Name)
		if match == nil {
			continue
		}
		tag := header.Name[match[2]:match[3]]
		content, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		pieces, err := s.extract(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
		if found[tag] == nil {
			found[tag] = map[string]string{}
		}
		file := header.Name[:match[2]] + header.Name[match[3]:]
		for key, piece := range pieces {
			found[tag][file+key] = piece
		}
	}
	english := found["en"]
	if english == nil {
		english = found["en-US"]
	}
	if english == nil {
		english = found["en_EN"]
	}
	byLanguage := map[string]*texts{}
	seen := map[string]bool{}
	for _, tag := range slices.Sorted(maps.Keys(found)) {
		language := languages[tag]
		if language == "" {
			continue
		}
		t := byLanguage[language]
		if t == nil {
			t = &texts{source: s.name, language: language}
			byLanguage[language] = t
		}
		for _, key := range slices.Sorted(maps.Keys(found[tag])) {
			piece := found[tag][key]
			if !s.byUDHR && language != "eng" {
				piece = without(piece, english[key])
			}
			if k := language + piece; piece != "" && !seen[k] {
				seen[k] = true
				t.pieces = append(t.pieces, piece)
			}
		}
	}
	var out []texts
	for _, language := range slices.Sorted(maps.Keys(byLanguage)) {
		out = append(out, *byLanguage[language])
	}
	return out, nil
}

// without removes the words of an English message from its translation: they are names and what was left untranslated.
func without(piece, english string) string {
	if piece == english {
		return ""
	}
	words := map[string]bool{}
	for word := range strings.FieldsSeq(english) {
		words[strings.ToLower(strings.Trim(word, ".,:;!?()\"“”"))] = true
	}
	var kept []string
	for word := range strings.FieldsSeq(piece) {
		if !words[strings.ToLower(strings.Trim(word, ".,:;!?()\"“”"))] {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// fromHTML returns the headings and paragraphs of a page.
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

var (
	braces = regexp.MustCompile(`\{[^{}]*\}`)
	tags   = regexp.MustCompile(`<[^<>]*>|\\u[0-9a-f]{4}|%\([a-zA-Z0-9_]*\)[sd]|&[a-z]+;|%[a-zA-Z0-9]+`)
)

// fromJSON returns the strings of a JSON document by their paths, without markup and placeholders.
func fromJSON(document []byte) (map[string]string, error) {
	var root any
	if err := json.Unmarshal(document, &root); err != nil {
		return nil, err
	}
	pieces := map[string]string{}
	var walk func(path string, node any)
	walk = func(path string, node any) {
		switch node := node.(type) {
		case map[string]any:
			for key, child := range node {
				if key != "identity" {
					walk(path+"/"+key, child)
				}
			}
		case []any:
			for i, child := range node {
				walk(fmt.Sprint(path, "/", i), child)
			}
		case string:
			for braces.MatchString(node) {
				node = braces.ReplaceAllString(node, " ")
			}
			pieces[path] = strings.TrimSpace(tags.ReplaceAllString(node, " "))
		}
	}
	walk("", root)
	return pieces, nil
}
