package pagetext

import (
	"golang.org/x/net/html"
)

// Text returns the visible text of a page in UTF-8: its title, unless the first heading is the same, then headings and
// paragraphs, then what other text there is, at most limit bytes in all, cut at a rune boundary. Blocks are separated by
// "\n", and within them any run of white space is one blank. It is "" if the page has no text. The result is valid UTF-8
// whatever page is.
//
// Left out are scripts, styles, comments, form controls, embedded things, and the navigation, headers, footers and
// asides around the article. An element that is left out but never closed hides nothing: its text counts as if the tag
// were not there. <main> also ends what was forgotten to be closed before it. A script never closed takes the rest.
//
// Reading stops as soon as title and paragraphs fill the limit.
func Text(page []byte, limit int) string {
	r := reader{limit: limit, title: lines{limit: limit}}
	r.layers = []layer{r.newLayer("")}
	z := html.NewTokenizer(&scriptless{page: page})
	for !r.full() {
		switch z.Next() {
		case html.ErrorToken:
			return r.text()
		case html.TextToken:
			r.addText(z.Text())
		case html.StartTagToken:
			name, _ := z.TagName()
			if r.startTag(name); !r.inRaw {
				z.NextIsNotRawText() // so that an unclosed <title> or <noscript> does not swallow the page
			}
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			r.emptyTag(name)
			z.NextIsNotRawText()
		case html.EndTagToken:
			name, _ := z.TagName()
			r.endTag(name)
		}
	}
	return r.text()
}

// reader sorts the text of a page as it comes.
type reader struct {
	limit   int
	title   lines
	layers  []layer // the page, and on top of it the elements left out that are open
	inTitle bool
	inRaw   bool // in a script or a style sheet
}

// layer is the text of the page, or that of an element which will be dropped when it is closed.
type layer struct {
	element     string // "" for the page
	paragraphs  lines
	other       lines
	inParagraph bool
}

// maxLayers bounds how many elements left out are tracked inside one another. Deeper ones are not left out.
const maxLayers = 16

func (r *reader) newLayer(element string) layer {
	return layer{element: element, paragraphs: lines{limit: r.limit}, other: lines{limit: r.limit}}
}

func (r *reader) top() *layer { return &r.layers[len(r.layers)-1] }

// full reports whether more reading can change nothing.
func (r *reader) full() bool {
	return len(r.layers) == 1 && !r.inTitle && r.title.size()+r.layers[0].paragraphs.size() >= r.limit
}

func (r *reader) addText(text []byte) {
	top := r.top()
	switch {
	case r.inRaw:
	case r.inTitle:
		r.title.add(text)
	case top.inParagraph:
		top.paragraphs.add(text)
	default:
		top.other.add(text)
	}
}

func (r *reader) startTag(name []byte) {
	kind := kinds[string(name)]
	r.inTitle, r.inRaw = false, kind == raw
	switch kind {
	case hidden:
		if len(r.layers) < maxLayers {
			r.layers = append(r.layers, r.newLayer(string(name)))
		}
	case title:
		if len(r.layers) == 1 && r.title.size() == 0 {
			r.inTitle = true
		}
	case content:
		r.endForgotten()
		r.block(false)
	case paragraph:
		r.block(true)
	case block:
		r.block(false)
	case separator:
		r.addText([]byte(" "))
	}
}

// emptyTag takes <x/>. In HTML that opens x, but who writes it means XHTML: nothing is inside.
func (r *reader) emptyTag(name []byte) {
	switch kinds[string(name)] {
	case raw, hidden, title:
	default:
		r.startTag(name)
	}
}

func (r *reader) endTag(name []byte) {
	r.inTitle, r.inRaw = false, false
	switch kinds[string(name)] {
	case hidden:
		for i := len(r.layers) - 1; i > 0; i-- {
			if r.layers[i].element == string(name) {
				r.layers = r.layers[:i] // drops the text of it and of what is unclosed inside
				break
			}
		}
	case content, paragraph, block:
		r.block(false)
	}
}

// block begins a new block in the top layer.
func (r *reader) block(inParagraph bool) {
	top := r.top()
	top.paragraphs.breakLine()
	top.other.breakLine()
	top.inParagraph = inParagraph
}

// endForgotten drops the layers that <main> cannot be inside of.
func (r *reader) endForgotten() {
	for i := range r.layers[1:] {
		switch r.layers[1+i].element {
		case "nav", "header", "footer", "aside":
		default:
			return
		}
	}
	r.layers = r.layers[:1]
}

// text joins what was found. Layers still open were never closed, so they are part of the page after all.
func (r *reader) text() string {
	out := lines{limit: r.limit}
	if !r.layers[0].paragraphs.beginsWith(&r.title) {
		out.append(&r.title)
	}
	for i := range r.layers {
		out.append(&r.layers[i].paragraphs)
	}
	for i := range r.layers {
		out.append(&r.layers[i].other)
	}
	return cut(string(out.text), r.limit)
}
