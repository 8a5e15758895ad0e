package httpmsg

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed java17-charsets.txt
var javaCharsets string

// JavaCharset returns the canonical name of the charset that Java 17's Charset.forName finds for a label, "" if it finds
// none. Letter case does not matter, blanks do.
//
// The table was printed by a Java 17 runtime, with its quirks: "x-sjis" is Shift_JIS but "x-gbk" is nothing, "cp949" is
// IBM's x-IBM949 but "windows-949" is x-windows-949, and labels of the WHATWG encoding standard that Java lacks
// ("macintosh", "x-cp1252", "iso-8859-8-i", "iso-8859-10") are unknown.
func JavaCharset(label string) string {
	return charsetNames()[strings.ToLower(label)]
}

// charsetNames maps every label, lower-cased, to the canonical name.
var charsetNames = sync.OnceValue(func() map[string]string {
	names := make(map[string]string, 1000)
	for line := range strings.Lines(javaCharsets) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		labels := strings.Fields(line)
		for _, label := range labels {
			names[strings.ToLower(label)] = labels[0]
		}
	}
	return names
})
