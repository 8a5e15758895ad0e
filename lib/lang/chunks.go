package lang

import "github.com/open-index/ccnews/lib/lang/internal/gram"

const (
	// chunkSize is how many bytes of words fill a chunk: enough to tell its language, few enough that a second language of
	// a page fills some.
	chunkSize = 240

	// lineSize is how many are enough when a line ends: languages rarely change within one.
	lineSize = 120

	// maxChunks is how many chunks a window can have: full ones, and one begun in each script.
	maxChunks = window/lineSize + int(gram.Han)
)

// document is a text being taken apart: into chunks where languages share a script, and into mere sizes where not.
type document struct {
	table   *gram.Table
	chunks  [maxChunks]chunk
	used    int
	open    [gram.Scripts]int // the number of the chunk that is not full yet, from 1; 0 for none
	size    [gram.Scripts]int // of the words in each script, in bytes
	letters [gram.Scripts]int
	code    int // program text that was passed over, in bytes
}

// chunk is some words in one script that follow each other, but for words in other scripts between them.
type chunk struct {
	script   gram.Script
	size     int // of the words, in bytes
	letters  int
	line     int // of its last word
	evidence gram.Evidence
}

// read fills the chunks.
func (d *document) read(text string) {
	words := gram.Words{Text: text}
	for words.Next() {
		if words.Name {
			continue // of people and places, in any language
		}
		d.size[words.Script] += words.Size
		d.letters[words.Script] += words.Count
		if words.Script.Language() != "" {
			continue
		}
		c := d.chunk(words.Script, words.Line)
		d.table.Look(words.Letters(), &c.evidence)
		c.size += words.Size
		c.letters += words.Count
	}
	d.code = words.Code
}

// chunk returns the chunk that a word in a script and line belongs to.
func (d *document) chunk(script gram.Script, line int) *chunk {
	if n := d.open[script]; n > 0 {
		if c := &d.chunks[n-1]; c.size < lineSize || c.size < chunkSize && c.line == line {
			c.line = line
			return c
		}
	}
	c := &d.chunks[d.used]
	d.used++
	d.open[script] = d.used
	c.script, c.line = script, line
	return c
}

// add joins another chunk of the same script.
func (c *chunk) add(other *chunk) {
	c.size += other.size
	c.letters += other.letters
	c.evidence.Add(&other.evidence)
}
