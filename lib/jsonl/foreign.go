package jsonl

import "bytes"

// ForeignError is a stream that is no lines of JSON, but begins as another format does.
// Such a stream is not taken apart: the same bytes must never be read in two ways.
type ForeignError struct {
	Format string // its name, in a sentence
	hint   string
}

func (e *ForeignError) Error() string { return "this is " + e.Format + ", not lines of JSON" }

// Hint is what to do about it.
func (e *ForeignError) Hint() string { return e.hint }

var foreign = []struct {
	mark string
	ForeignError
}{
	{"\x1f\x8b", ForeignError{"gzip", "warc-records reads archives; of anything else: gzip -dc FILE"}},
	{"\x28\xb5\x2f\xfd", ForeignError{"zstd", "warc-records reads archives; of anything else: zstd -dc FILE"}},
	{"PAR1", ForeignError{"Parquet", "give its name, not its content, to a command that reads Parquet"}},
	{"WARC/", ForeignError{"a WARC archive", "warc-records makes lines of it"}},
}

// Foreign is an error if start, what a stream begins with, is the mark of a format that
// is often taken for lines of JSON; else nil. No line of JSON begins so.
func Foreign(start []byte) error {
	for i := range foreign {
		if bytes.HasPrefix(start, []byte(foreign[i].mark)) {
			return &foreign[i].ForeignError
		}
	}
	return nil
}
