package main

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/encoding/htmlindex"
)

//go:embed pages/*.txt
var pageFiles embed.FS

// page is an article in pages/: keys and values, a blank line, and then the
// title and the paragraphs, with blank lines between them.
//
//	url:      its address
//	lang:     what <html lang> says
//	charset:  in which it is stored; default utf-8
//	declare:  where the charset is told, "header" or "meta"; default both
//	markup:   "xhtml"; default HTML
//	stored:   "gzip" packed, "chunked" in chunks, "cut" at the crawler's limit,
//	          "claims-gzip" plain though the header says gzip; default as it is
//	nav:      words of the navigation
type page struct {
	keys       map[string]string
	title      string
	paragraphs []string
}

// readPages returns the articles in the order of their files' names.
func readPages() ([]exchange, error) {
	files, err := pageFiles.ReadDir("pages")
	if err != nil {
		return nil, err
	}
	var all []exchange
	for _, file := range files {
		text, err := pageFiles.ReadFile(path.Join("pages", file.Name()))
		if err != nil {
			return nil, err
		}
		p, err := parsePage(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		x, err := p.exchange()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all = append(all, x)
	}
	return all, nil
}

// minLetters is how long a paragraph must be, so that languages can be told.
const minLetters = 150

func parsePage(text string) (*page, error) {
	blocks := strings.Split(strings.TrimSpace(text), "\n\n")
	if len(blocks) < 5 {
		return nil, fmt.Errorf("want keys, a title and three paragraphs")
	}
	p := &page{keys: map[string]string{"charset": "utf-8"}, title: blocks[1], paragraphs: blocks[2:]}
	for line := range strings.SplitSeq(blocks[0], "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%q: want KEY: VALUE", line)
		}
		p.keys[key] = value
	}
	for i, paragraph := range p.paragraphs {
		if n := letters(paragraph); n < minLetters {
			return nil, fmt.Errorf("paragraph %d has only %d letters", i+1, n)
		}
	}
	return p, nil
}

// letters counts letters, and the vowel signs that some scripts write on them.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			n++
		}
	}
	return n
}

// exchange is how the crawler stored the page.
func (p *page) exchange() (exchange, error) {
	encoding, err := htmlindex.Get(p.keys["charset"])
	if err != nil {
		return exchange{}, err
	}
	// The encoder fails on what the charset does not have.
	body, err := encoding.NewEncoder().Bytes([]byte(p.html()))
	if err != nil {
		return exchange{}, err
	}
	mime := "text/html"
	if p.keys["markup"] == "xhtml" {
		mime = "application/xhtml+xml"
	}
	if p.keys["declare"] != "meta" {
		mime += "; charset=" + p.keys["charset"]
	}
	x := exchange{url: p.keys["url"], status: "200 OK", header: []string{"Content-Type: " + mime}, body: body}
	return x, x.store(p.keys["stored"])
}

func (x *exchange) store(how string) error {
	packed := len(pack(x.body))
	switch how {
	case "":
		// The crawler keeps bodies unpacked and renames the fields that no longer hold.
		x.header = append(x.header, "X-Crawler-Content-Encoding: gzip", fmt.Sprintf("X-Crawler-Content-Length: %d", packed))
	case "gzip":
		x.header = append(x.header, "Content-Encoding: gzip")
		x.body = pack(x.body)
	case "claims-gzip":
		x.header = append(x.header, "Content-Encoding: gzip", fmt.Sprintf("Content-Length: %d", packed))
		return nil
	case "chunked":
		x.header = append(x.header, "Transfer-Encoding: chunked")
		half := len(x.body) / 2
		x.body = fmt.Appendf(nil, "%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", half, x.body[:half], len(x.body)-half, x.body[half:])
		return nil
	case "cut":
		x.header = append(x.header, fmt.Sprintf("X-Crawler-Content-Length: %d", len(x.body)))
		x.body = x.body[:len(x.body)*4/5]
		x.truncated = "length"
	default:
		return fmt.Errorf("stored: %q is none of the ways", how)
	}
	x.header = append(x.header, fmt.Sprintf("Content-Length: %d", len(x.body)))
	return nil
}

// html is the article with what surrounds one: navigation, a script, a footer.
func (p *page) html() string {
	var b strings.Builder
	lang := fmt.Sprintf("lang=%q", p.keys["lang"])
	if p.keys["markup"] == "xhtml" {
		b.WriteString(`<?xml version="1.0" encoding="` + p.keys["charset"] + `"?>` + "\n")
		lang = `xmlns="http://www.w3.org/1999/xhtml" xml:lang="` + p.keys["lang"] + `" ` + lang
	}
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html %s>\n<head>\n", lang)
	if p.keys["declare"] != "header" && p.keys["markup"] != "xhtml" {
		fmt.Fprintf(&b, "<meta charset=%q>\n", p.keys["charset"])
	}
	fmt.Fprintf(&b, "<title>%s</title>\n", p.title)
	b.WriteString("<script>var page={id:17,ads:['top']}</script>\n</head>\n<body>\n<header><nav>")
	for word := range strings.FieldsSeq(p.keys["nav"]) {
		fmt.Fprintf(&b, `<a href="/">%s</a> `, word)
	}
	fmt.Fprintf(&b, "</nav></header>\n<main><article>\n<h1>%s</h1>\n", p.title)
	for _, paragraph := range p.paragraphs {
		fmt.Fprintf(&b, "<p>%s</p>\n", paragraph)
	}
	b.WriteString("</article></main>\n<footer>Sample text for tests: all of it is invented.</footer>\n</body>\n</html>\n")
	return b.String()
}
