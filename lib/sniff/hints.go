package sniff

import "strings"

// ole is Tika's name for Microsoft's compound file, which old Office documents are.
const ole = "application/x-tika-msoffice"

// normalize cuts a Content-Type value to its type, lower-cased, with aliases resolved as in Tika's registry. What is no
// media type at all, or says no more than "bytes", is "": then Nutch asks the URL instead. Unlike Tika it understands
// lists and a missing ";".
func normalize(declared string) string {
	t := strings.ToLower(strings.TrimSpace(declared))
	if end := strings.IndexAny(t, ";, \t"); end >= 0 {
		t = t[:end]
	}
	kind, sub, ok := strings.Cut(t, "/")
	if !ok || !isToken(kind) || !isToken(sub) {
		return ""
	}
	if canonical, ok := aliases[t]; ok {
		t = canonical
	}
	if t == octets {
		return ""
	}
	return t
}

// isToken reports whether s may stand on a side of a media type's slash.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?=`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// aliases are other names of the types that the web has most of.
var aliases = map[string]string{
	"application/x-gzip":           "application/gzip",
	"application/gzip-compressed":  "application/gzip",
	"application/x-javascript":     "application/javascript",
	"text/javascript":              "application/javascript",
	"text/x-javascript":            "application/javascript",
	"application/x-pdf":            "application/pdf",
	"application/x-xml":            xml,
	"text/xml":                     xml,
	"application/x-zip-compressed": "application/zip",
	"text/rtf":                     "application/rtf",
	"audio/mp3":                    "audio/mpeg",
	"audio/x-mpeg":                 "audio/mpeg",
	"audio/x-wav":                  "audio/vnd.wave",
	"audio/wav":                    "audio/vnd.wave",
	"image/jpg":                    "image/jpeg",
	"image/pjpeg":                  "image/jpeg",
	"image/x-png":                  "image/png",
	"image/ico":                    "image/vnd.microsoft.icon",
	"image/x-icon":                 "image/vnd.microsoft.icon",
	"image/x-ms-bmp":               "image/bmp",
	"application/svg+xml":          "image/svg+xml",
}

// byHints is the type of bytes that say nothing: the declared one, else the one of the URL's extension.
func byHints(declared, ext string) string {
	if declared != "" {
		return declared
	}
	for _, byExtension := range []map[string]string{textExtensions, archiveExtensions, otherExtensions} {
		if t := byExtension[ext]; t != "" {
			return t
		}
	}
	return octets
}

// narrows reports whether a hint is a special case of what the bytes say, so that it is better.
func narrows(hint, found string) bool {
	switch {
	case hint == "" || hint == found:
		return false
	case found == plain:
		return isText(hint)
	case found == xml:
		return strings.HasSuffix(hint, "+xml")
	case found == "application/zip":
		return isZip(hint)
	case found == ole:
		return strings.HasPrefix(hint, "application/vnd.ms-") || hint == "application/msword"
	}
	return false
}

// isText reports whether a type is a kind of text to Tika.
func isText(t string) bool {
	switch t {
	case xml, "application/json", "application/javascript":
		return true
	}
	return strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+json")
}

// isZip reports whether files of a type are ZIP archives.
func isZip(t string) bool {
	switch t {
	case "application/java-archive", "application/vnd.android.package-archive", "application/vnd.google-earth.kmz":
		return true
	}
	return strings.HasSuffix(t, "+zip") || strings.HasPrefix(t, "application/vnd.openxmlformats-officedocument.") ||
		strings.HasPrefix(t, "application/vnd.oasis.opendocument.")
}
