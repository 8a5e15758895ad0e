package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"github.com/open-index/ccnews/lib/hub"
)

// piece is how many bytes are asked for at once.
const piece = 8 << 20

// copyFile writes the content of a file and compares it with the sum by which the
// repository knows it. added is told of bytes written.
func copyFile(ctx context.Context, repo hub.Repo, file hub.File, w io.Writer, added func(int64)) error {
	content, err := repo.Open(ctx, file)
	if err != nil {
		return err
	}
	defer content.Close()
	sum, want := check(file, content.Size())
	buf := make([]byte, min(piece, content.Size()))
	for off := int64(0); off < content.Size(); {
		part := buf[:min(piece, content.Size()-off)]
		if n, err := content.ReadAt(part, off); n < len(part) {
			return fmt.Errorf("%s: %s: at %d: %w", repo, file.Path, off, err)
		}
		sum.Write(part)
		if _, err := w.Write(part); err != nil {
			return err
		}
		off += int64(len(part))
		added(int64(len(part)))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); want != "" && got != want {
		return fmt.Errorf("%s: %s: the %d bytes that came are not the file: their sum is %s, not %s",
			repo, file.Path, content.Size(), got, want)
	}
	return nil
}

// check is how the content of file is summed, and what has to come out: its
// SHA-256, or what git makes of a file that it stores itself
// (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).
func check(file hub.File, size int64) (hash.Hash, string) {
	if file.SHA256 != "" {
		return sha256.New(), file.SHA256
	}
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", size)
	return sum, file.OID
}
