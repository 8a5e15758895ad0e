package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// Sums are what repositories know content by, in hex.
type Sums struct {
	SHA256 string `json:"sha256"`
	OID    string `json:"oid"`  // SHA-1 of the git blob that the content itself makes
	Size   int64  `json:"size"` // in bytes
}

// Sum reads a source once. The error is one of reading, or says that the source
// changed meanwhile.
func Sum(ctx context.Context, source Source) (Sums, error) {
	content, err := source.Open()
	if err != nil {
		return Sums{}, err
	}
	defer content.Close()
	sums, err := copySums(ctx, io.Discard, content, source.Size())
	if err != nil {
		return Sums{}, fmt.Errorf("%s: %w", source, err)
	}
	return sums, source.Check()
}

// copySums copies the size bytes of a content, and takes their sums.
func copySums(ctx context.Context, to io.Writer, from io.ReaderAt, size int64) (Sums, error) {
	whole, blob := sha256.New(), sha1.New()
	fmt.Fprintf(blob, "blob %d\x00", size)
	reader := &boundReader{ctx, io.NewSectionReader(from, 0, size)}
	n, err := io.CopyBuffer(io.MultiWriter(to, whole, blob), reader, make([]byte, min(max(size, 1), 256<<10)))
	if err == nil && n < size {
		err = fmt.Errorf("it ends after %d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	return Sums{hexSum(whole), hexSum(blob), size}, err
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// boundReader ends with its context. It hides the WriterTo of its source.
type boundReader struct {
	ctx context.Context
	in  io.Reader
}

func (r *boundReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
