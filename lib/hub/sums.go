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
	whole, blob := sha256.New(), newBlob(size)
	err := copyAll(ctx, io.MultiWriter(to, whole, blob), from, size, 256<<10)
	return Sums{hexSum(whole), hexSum(blob), size}, err
}

// newBlob makes the OID of content of size bytes that is written to it: what git calls
// the blob (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).
func newBlob(size int64) hash.Hash {
	blob := sha1.New()
	fmt.Fprintf(blob, "blob %d\x00", size)
	return blob
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// same goes by the SHA-256, or where the hub does not know it by the git blob.
func same(file File, sums Sums) bool {
	if file.SHA256 != "" {
		return file.SHA256 == sums.SHA256
	}
	return sums.OID != "" && file.OID == sums.OID
}

// atOnce is how many bytes of a file [Copy] asks for at once, which of a file behind a
// URL is one request.
const atOnce = 8 << 20

// Copy writes the content of a file that List, Lookup or a listing gave to w, and then
// compares what it wrote with the sum by which the repository knows the file. A file
// that is known by no sum is not compared. Errors name repository and path, but those
// of w, which are as they came.
func Copy(ctx context.Context, w io.Writer, repo Repo, file File) error {
	content, err := repo.Open(ctx, file)
	if err != nil {
		return err
	}
	defer content.Close()
	sum, want := newBlob(content.Size()), file.OID
	if file.SHA256 != "" {
		sum, want = sha256.New(), file.SHA256
	}
	named := &namedReader{content, fmt.Sprintf("%s: %s", repo, file.Path)}
	if err := copyAll(ctx, io.MultiWriter(w, sum), named, content.Size(), atOnce); err != nil {
		return err
	}
	if got := hexSum(sum); want != "" && got != want {
		return fmt.Errorf("%s: %s: the %d bytes that came are not the file: their sum is %s, not %s",
			repo, file.Path, content.Size(), got, want)
	}
	return nil
}

// namedReader says in errors what was read, and where in it.
type namedReader struct {
	io.ReaderAt
	name string
}

func (r *namedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	if n == len(p) {
		return n, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, fmt.Errorf("%s: at %d: %w", r.name, off, err)
}

// copyAll copies the size bytes of a content through a buffer of at most most bytes.
func copyAll(ctx context.Context, to io.Writer, from io.ReaderAt, size, most int64) error {
	reader := &boundReader{ctx, io.NewSectionReader(from, 0, size)}
	n, err := io.CopyBuffer(to, reader, make([]byte, min(max(size, 1), most)))
	if err == nil && n < size {
		err = fmt.Errorf("it ends after %d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	return err
}

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
