package record

import (
	"path"
	"regexp"
	"strings"
)

// newsArchive is the name of a CC-NEWS archive: CC-NEWS, the time at which it
// was opened (UTC), and a counter.
var newsArchive = regexp.MustCompile(`^CC-NEWS-(\d{4})(\d{2})\d{8}-.*\.warc\.gz$`)

// ArchiveName is the warc_filename of the archive that a user or a warcinfo
// record calls name: a CC-NEWS archive is put under the folder in which Common
// Crawl publishes it, a path or URL with a crawl-data folder begins there, and
// any other name stays as it is.
func ArchiveName(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if m := newsArchive.FindStringSubmatch(base); m != nil {
		return "crawl-data/CC-NEWS/" + m[1] + "/" + m[2] + "/" + base
	}
	if i := strings.Index("/"+name, "/crawl-data/"); i >= 0 {
		return name[i:]
	}
	return name
}
