package ledger

import (
	"bytes"
	"crypto/sha256"
	"io"
	"iter"

	"github.com/open-index/ccnews/lib/jsonl"
)

// Lines reads the lines of shard-stats. The error names the line; nothing comes
// after it.
func Lines(r io.Reader) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		in := jsonl.NewReader(r, MaxLine)
		for {
			text, err := in.Next()
			if err == io.EOF {
				return
			}
			var l *Line
			if err == nil {
				l, err = parse(in, text)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

func parse(in *jsonl.Reader, text []byte) (*Line, error) {
	_, fault, err := jsonl.Control(text)
	if err == nil && fault != nil {
		err = fault
	}
	if err != nil {
		return nil, in.Fail(err)
	}
	l, err := ParseLine(text)
	if err != nil {
		return nil, in.Fail(err)
	}
	return l, nil
}

// Known is lines of earlier runs, found by path and content. The zero Known knows
// nothing.
type Known struct{ lines map[[sha256.Size]byte][]byte }

// Read adds the lines of r. A line that cannot be used is not known: that costs a
// read of its shard and no more, so it goes to warn. The error is that of reading.
func (k *Known) Read(r io.Reader, warn func(error)) error {
	if k.lines == nil {
		k.lines = map[[sha256.Size]byte][]byte{}
	}
	in := jsonl.NewReader(r, MaxLine)
	for {
		text, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		l, err := parse(in, text)
		switch {
		case err != nil:
			warn(err)
		case l.SHA256 != "":
			k.lines[place(l.Path, l.SHA256)] = bytes.Clone(text)
		}
	}
}

// Find is the line of the shard at path whose content has a SHA-256, nil if there is
// none or the SHA-256 is "".
func (k *Known) Find(path, sum string) *Line {
	text, ok := k.lines[place(path, sum)]
	if !ok {
		return nil
	}
	l, err := ParseLine(text)
	if err != nil {
		return nil // it was parsed before
	}
	return l
}

func place(path, sum string) [sha256.Size]byte { return sha256.Sum256([]byte(sum + path)) }
