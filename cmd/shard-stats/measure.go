package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/ledger"
	"github.com/open-index/ccnews/lib/rangeread"
)

// result is what became of one shard.
type result struct {
	line  *ledger.Line
	known bool
	err   error // names the shard; there is no line then
}

func (c *command) measure(ctx context.Context, file hub.File) result {
	if line := c.known.Find(file.Path, file.SHA256); line != nil {
		return result{line: line, known: true}
	}
	line, err := c.read(ctx, file)
	return result{line: line, err: err}
}

func where(file hub.File) string { return cmp.Or(file.URL, file.Path) }

// read reads the end of a shard, and of a local one everything if that is what it
// takes to know its sum.
func (c *command) read(ctx context.Context, file hub.File) (*ledger.Line, error) {
	source, err := c.files.OpenAny(ctx, where(file), file.Size)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	shown := rangeread.Shown(where(file))
	line, err := ledger.Measure(source, source.Size(), shown, c.foreign)
	if err != nil {
		return nil, err
	}
	line.Path, line.SHA256 = c.place(file), file.SHA256
	if line.SHA256 == "" && !rangeread.IsURL(where(file)) {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(source, 0, source.Size())); err != nil {
			return nil, err
		}
		line.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	// What is printed can be read.
	if text := line.AppendJSON(nil); len(text) > ledger.MaxLine {
		return nil, fmt.Errorf("%s: its counts take %d bytes, more than the %d of a line", shown, len(text), ledger.MaxLine)
	} else if _, err := ledger.ParseLine(text); err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return line, nil
}

// place is the shard's path in the repository.
func (c *command) place(file hub.File) string {
	if file.URL != "" {
		return file.Path // of a listing
	}
	shown := rangeread.Shown(file.Path)
	if c.prefix != "" {
		return path.Join(c.prefix, path.Base(shown))
	}
	if rangeread.IsURL(shown) {
		return path.Base(shown)
	}
	return strings.TrimPrefix(path.Clean(shown), "/")
}
