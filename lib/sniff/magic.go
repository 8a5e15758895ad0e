package sniff

import (
	"bytes"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// byStart knows formats that begin without control bytes, so that they could be taken for text. Tika knows many more by
// words that prose begins with, too ("From:", "diff "); those stay text.
func byStart(body []byte) string {
	body = bytes.TrimLeft(body, " \t\r\n\f")
	for _, s := range starts {
		if bytes.HasPrefix(body, []byte(s.magic)) {
			return s.mime
		}
	}
	return ""
}

var starts = []struct{ magic, mime string }{
	{"%PDF-", "application/pdf"},
	{"%!PS", "application/postscript"},
	{`{\rtf`, "application/rtf"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"ID3\x02", "audio/mpeg"},
	{"ID3\x03", "audio/mpeg"},
	{"ID3\x04", "audio/mpeg"},
	{"BEGIN:VCALENDAR", "text/calendar"},
	{"BEGIN:VCARD", "text/x-vcard"},
	{"WEBVTT", "text/vtt"},
}

// byBinaryMagic asks mimetype, which takes some text formats for binary or for more than they are: only what is not text
// is its to say. The answer is renamed to Tika's.
func byBinaryMagic(body []byte) string {
	t, _, _ := strings.Cut(mimetype.Detect(body).String(), ";")
	if t == octets || strings.HasPrefix(t, "text/") {
		return ""
	}
	if tika, ok := tikaNames[t]; ok {
		return tika
	}
	return t
}

// tikaNames are mimetype's names that differ from Tika's for the same format.
var tikaNames = map[string]string{
	"application/vnd.microsoft.portable-executable": "application/x-msdownload",
	"application/vnd.sqlite3":                       "application/x-sqlite3",
	"application/x-java-applet":                     "application/java-vm",
	"application/x-ole-storage":                     ole,
	"audio/aac":                                     "audio/x-aac",
	"audio/flac":                                    "audio/x-flac",
	"audio/wav":                                     "audio/vnd.wave",
	"audio/x-m4a":                                   "audio/mp4",
	"font/otf":                                      "application/x-font-otf",
	"font/ttf":                                      "application/x-font-ttf",
	"image/x-icon":                                  "image/vnd.microsoft.icon",
}

// textWindow is how many bytes Tika's TextDetector looks at.
const textWindow = 512

// hasControls reports whether the start holds a byte that no text has, in whatever charset.
func hasControls(body []byte) bool {
	for _, c := range body[:min(len(body), textWindow)] {
		if c < ' ' && !isSafeControl(c) {
			return true
		}
	}
	return false
}

// looksLikeText counts as Tika's TextDetector does: mostly ASCII with few control bytes, or leading and continuation
// bytes in the proportion that UTF-8 has. Text in a legacy charset that is not mostly ASCII is not text to it.
func looksLikeText(body []byte) bool {
	start := body[:min(len(body), textWindow)]
	var controls, safe, ascii, continuations, leading, expected, beyond int
	for _, c := range start {
		switch {
		case c < ' ' && isSafeControl(c):
			safe++
		case c < ' ':
			controls++
		case c < 0x80:
			ascii++
		case c < 0xc0:
			continuations++
		case c < 0xe0:
			leading, expected = leading+1, expected+1
		case c < 0xf0:
			leading, expected = leading+1, expected+2
		case c < 0xf8:
			leading, expected = leading+1, expected+3
		default:
			beyond++
		}
	}
	if controls*100 < len(start)*2 && (ascii+safe)*100 > len(start)*90 {
		return true
	}
	return leading > 0 && beyond == 0 && controls*100 < leading*2 &&
		continuations <= expected && continuations >= expected-3
}

func isSafeControl(c byte) bool {
	return c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0x1b
}
