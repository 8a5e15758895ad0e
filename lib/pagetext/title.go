package pagetext

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// Title returns the first <title> of a page in UTF-8 that has text, with any run of white space as one blank, "" if there
// is none. The titles of drawings (<svg>) do not count. An end tag that was forgotten ends with the next tag. The result
// is valid UTF-8.
func Title(page []byte) string {
	z := html.NewTokenizer(bytes.NewReader(page))
	var text []byte
	inTitle, drawings := false, 0
	for {
		kind := z.Next()
		if kind == html.TextToken && inTitle {
			text = append(text, z.Text()...)
			continue
		}
		if title := strings.Join(strings.Fields(string(text)), " "); title != "" && kind != html.CommentToken {
			return strings.ToValidUTF8(title, "\ufffd")
		}
		switch kind {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			name, _ := z.TagName()
			inTitle = string(name) == "title" && drawings == 0
			if string(name) == "svg" {
				drawings++
			}
			if kinds[string(name)] != raw {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if inTitle = false; string(name) == "svg" && drawings > 0 {
				drawings--
			}
		}
	}
}
