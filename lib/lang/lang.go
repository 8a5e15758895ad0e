// Package lang tells the language of a text, in the codes of the columns content_languages and
// content_language_confidence of Common Crawl's URL index.
//
// Common Crawl asks CLD2 (https://github.com/commoncrawl/language-detection-cld2), which is C++. Here a script that
// belongs to one language decides outright, and texts in the others go to an engine behind the interface [Detector].
// Shards are promised to be the same bytes for the same archive, so an engine must answer the same text with the same
// result, always, in any process.
package lang

// Result is what a Detector says of a text. The zero Result is "not known".
type Result struct {
	Languages  string  // ISO 639-3 codes as cc-index writes them (zho, ara, nor), comma-separated, largest share first; "" is null
	Confidence float64 // above 0 and up to 1; 0 exactly if Languages is ""
}

// Detector tells the language of a text.
//
// text is running text in UTF-8; some 2 KB of it are enough, and what is more may be ignored. Invalid UTF-8 is passed
// over. The same text gives the same Result always. A Detector may be used by several goroutines at once.
type Detector interface {
	Detect(text string) Result
}
