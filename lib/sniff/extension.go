package sniff

import "strings"

// extension returns the file extension of a URL's path, lower-case without the dot; "" if it has none.
func extension(url string) string {
	path := url
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if i := strings.Index(path, "://"); i >= 0 {
		path = path[i+len("://"):]
		slash := strings.IndexByte(path, '/')
		if slash < 0 {
			return "" // the dots are the host's
		}
		path = path[slash:]
	}
	file := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(file, '.')
	if dot < 0 {
		return ""
	}
	return strings.ToLower(file[dot+1:])
}

// textExtensions are names for formats that are text, and so better than the bytes' word for them.
var textExtensions = map[string]string{
	"atom":  "application/atom+xml",
	"css":   "text/css",
	"csv":   "text/csv",
	"htm":   html,
	"html":  html,
	"ics":   "text/calendar",
	"js":    "application/javascript",
	"json":  "application/json",
	"rdf":   "application/rdf+xml",
	"rss":   "application/rss+xml",
	"svg":   "image/svg+xml",
	"txt":   plain,
	"vtt":   "text/vtt",
	"xhtml": xhtml,
	"xml":   xml,
}

// archiveExtensions are names for formats that are a ZIP archive or a compound file inside.
var archiveExtensions = map[string]string{
	"apk":  "application/vnd.android.package-archive",
	"doc":  "application/msword",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"epub": "application/epub+zip",
	"jar":  "application/java-archive",
	"kmz":  "application/vnd.google-earth.kmz",
	"odp":  "application/vnd.oasis.opendocument.presentation",
	"ods":  "application/vnd.oasis.opendocument.spreadsheet",
	"odt":  "application/vnd.oasis.opendocument.text",
	"ppt":  "application/vnd.ms-powerpoint",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"xls":  "application/vnd.ms-excel",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// otherExtensions are names for formats that mostly show themselves by their bytes.
var otherExtensions = map[string]string{
	"avif": "image/avif",
	"bmp":  "image/bmp",
	"gif":  "image/gif",
	"gz":   "application/gzip",
	"ico":  "image/vnd.microsoft.icon",
	"jpeg": "image/jpeg",
	"jpg":  "image/jpeg",
	"m4a":  "audio/mp4",
	"m4v":  "video/x-m4v",
	"mov":  "video/quicktime",
	"mp3":  "audio/mpeg",
	"mp4":  "video/mp4",
	"oga":  "audio/ogg",
	"ogg":  "audio/vorbis",
	"ogv":  "video/ogg",
	"pdf":  "application/pdf",
	"png":  "image/png",
	"rtf":  "application/rtf",
	"swf":  "application/x-shockwave-flash",
	"tar":  "application/x-tar",
	"tif":  "image/tiff",
	"tiff": "image/tiff",
	"wav":  "audio/vnd.wave",
	"webm": "video/webm",
	"webp": "image/webp",
	"zip":  "application/zip",
}
