package pagetext

// kind is what an element means for the text around it. Elements without one are inline: their text goes on.
type kind int

const (
	inline    kind = iota
	raw            // holds something else than markup
	hidden         // its text is left out
	content        // holds what the page is about
	title          // the page's title
	paragraph      // a block of running text
	block          // begins and ends a block
	separator      // stands between words
)

var kinds = map[string]kind{
	"script": raw, "style": raw,

	"nav": hidden, "header": hidden, "footer": hidden, "aside": hidden, "dialog": hidden,
	"noscript": hidden, "template": hidden, "noframes": hidden, "noembed": hidden,
	"button": hidden, "select": hidden, "textarea": hidden, "datalist": hidden,
	"svg": hidden, "math": hidden, "iframe": hidden, "object": hidden, "audio": hidden, "video": hidden, "canvas": hidden,

	"main": content, "title": title,
	"p": paragraph, "blockquote": paragraph,
	"h1": paragraph, "h2": paragraph, "h3": paragraph, "h4": paragraph, "h5": paragraph, "h6": paragraph,

	"html": block, "head": block, "body": block, "frameset": block, "article": block, "section": block, "div": block,
	"address": block, "center": block, "details": block, "summary": block, "hgroup": block, "figure": block,
	"figcaption": block, "hr": block, "pre": block, "form": block, "fieldset": block, "legend": block,
	"dl": block, "dt": block, "dd": block, "li": block, "ol": block, "ul": block, "menu": block, "dir": block,
	"table": block, "caption": block, "thead": block, "tbody": block, "tfoot": block, "tr": block, "td": block, "th": block,

	"br": separator, "img": separator, "input": separator,
}
