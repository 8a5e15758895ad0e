package sniff

import (
	"bytes"
	"strings"
	"unicode/utf16"
)

// Namespaces that Tika knows a format by.
const (
	nsXHTML  = "http://www.w3.org/1999/xhtml"
	nsAtom   = "http://www.w3.org/2005/Atom"
	nsAtom03 = "http://purl.org/atom/ns#"
	nsRDF    = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsSVG    = "http://www.w3.org/2000/svg"
	nsKML    = "http://www.opengis.net/kml/2.2"
	nsXSLT   = "http://www.w3.org/1999/XSL/Transform"
)

// htmlElements are those that make a document HTML if they come first: Tika's magic strings and its HTML root elements.
var htmlElements = map[string]bool{
	"html": true, "head": true, "title": true, "body": true, "div": true, "p": true, "script": true, "link": true,
	"frameset": true, "iframe": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true,
}

// byMarkup is the type of what begins like HTML or XML, perhaps after comments and a prolog; "" if body does not.
func byMarkup(body []byte) string {
	p := readProlog(body)
	switch {
	case p.declared && p.root.name != "":
		return byRoot(p.root)
	case p.declared:
		return "" // XML by its own word only: Tika calls it text unless a hint knows better
	case p.doctype == "html":
		return htmlOrXHTML(body, p.root)
	}
	if t := byRoot(p.root); t != xml && t != html {
		return t // a feed or drawing that lacks the declaration
	}
	if htmlElements[strings.ToLower(p.root.name)] {
		return htmlOrXHTML(body, p.root)
	}
	return ""
}

// byMarkup16 is byMarkup for UTF-16, in which Tika sees XML only, and takes all else for text.
func byMarkup16(body []byte) string {
	units := make([]uint16, 0, len(body)/2)
	for i := 2; i+1 < len(body); i += 2 {
		if body[0] == 0xff {
			units = append(units, uint16(body[i])|uint16(body[i+1])<<8)
		} else {
			units = append(units, uint16(body[i])<<8|uint16(body[i+1]))
		}
	}
	text := []byte(string(utf16.Decode(units)))
	if p := readProlog(text); p.declared && p.root.name != "" {
		return byRoot(p.root)
	}
	return plain
}

// byRoot is the type that a root element stands for.
func byRoot(root element) string {
	switch {
	case root.name == "html" && root.namespace == nsXHTML:
		return xhtml
	case root.name == "rss":
		return "application/rss+xml"
	case root.name == "feed" && (root.namespace == nsAtom || root.namespace == nsAtom03):
		return "application/atom+xml"
	case root.name == "RDF" && root.namespace == nsRDF:
		return "application/rdf+xml"
	case root.name == "svg" && (root.namespace == nsSVG || root.namespace == ""):
		return "image/svg+xml"
	case root.name == "kml" && root.namespace == nsKML:
		return "application/vnd.google-earth.kml+xml"
	case root.name == "stylesheet" && root.namespace == nsXSLT:
		return "application/xslt+xml"
	case root.namespace == "" && htmlElements[strings.ToLower(root.name)]:
		return html
	}
	return xml
}

// prolog is what comes before a document's content.
type prolog struct {
	declared bool    // begins with <?xml
	doctype  string  // the name in it, lower-cased
	root     element // zero if the first thing that is no prolog is not a start tag
}

// readProlog skips white space, comments, processing instructions and the doctype, and reads the first start tag.
func readProlog(b []byte) (p prolog) {
	for first := true; ; first = false {
		b = bytes.TrimLeft(b, " \t\r\n\f")
		var skip string
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			b, skip = b[len("<!--"):], "-->"
		case bytes.HasPrefix(b, []byte("<?")):
			p.declared = p.declared || first && hasPrefixFold(b, "<?xml")
			skip = "?>"
		case hasPrefixFold(b, "<!doctype"):
			b = b[len("<!doctype"):]
			p.doctype = strings.ToLower(string(name(bytes.TrimLeft(b, " \t\r\n"))))
			skip = doctypeEnd(b)
		default:
			p.root = readStartTag(b)
			return p
		}
		end := bytes.Index(b, []byte(skip))
		if end < 0 {
			return p
		}
		b = b[end+len(skip):]
	}
}

// doctypeEnd is what closes a doctype: one with an internal subset holds other declarations.
func doctypeEnd(b []byte) string {
	subset, end := bytes.IndexByte(b, '['), bytes.IndexByte(b, '>')
	if subset >= 0 && subset < end {
		return "]>"
	}
	return ">"
}

// hasPrefixFold reports whether b begins with an ASCII prefix, whatever the letters' case.
func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}
