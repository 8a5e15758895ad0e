package warc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
)

// detectSize is how many bytes decide how an archive is stored.
const detectSize = 1 << 20

// lineSize is how many bytes hold the first line of an archive.
const lineSize = 4 << 10

// foreign are the formats that are often met in the place of a WARC archive.
var foreign = []struct{ magic, name, advice string }{
	{"BZh", "bzip2 data", "decompress it first: bzip2 -dc"},
	{"\x04\x22\x4d\x18", "lz4 data", "decompress it first: lz4 -dc"},
	{"PK\x03\x04", "a zip or WACZ file", "extract the archives in it first: unzip"},
	{"\xfd7zXZ\x00", "xz data", "decompress it first: xz -dc"},
	{"PAR1", "a Parquet file", "warc-records reads archives, not shards"},
}

// FormatError says that the input is in a format which is not read.
type FormatError struct{ Name, Advice string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("input is %s, not a WARC archive: %s", e.Name, e.Advice)
}

func newSource(ctx context.Context, r io.Reader, opt Options) (source, error) {
	in := bufio.NewReaderSize(r, detectSize)
	head, err := in.Peek(lineSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("%w: the input is empty", ErrNoRecord)
	}
	if err := format(head); err != nil {
		return nil, err
	}
	if isZstd(head) {
		return newZstdSource(ctx, in, opt)
	}
	if !bytes.HasPrefix(head, gzipMagic[:2]) && (hasVersion(head) || !damagedGzip(in)) {
		return &plainSource{src: in}, nil
	}
	if err := gzipFormat(in); err != nil {
		return nil, err
	}
	return newMemberSource(ctx, in, opt.Jobs, func() codec { return borrowGzip() }, inflate), nil
}

// arcLine is how a record of an ARC archive begins: URL, IP address, date, media
// type and length, on one line (https://archive.org/web/researcher/ArcFileFormat.php).
// Archives of all ages break the rules for each of them.
var arcLine = regexp.MustCompile(`(?i)^\s*[a-z][a-z0-9+.-]*:.* [0-9.]+ [0-9a-z:-]{8,} .* -?[0-9]+\r?\n`)

// format is the error for a format that is not read, nil for one that may be.
func format(head []byte) error {
	if bytes.HasPrefix(head, []byte("filedesc://")) || arcLine.Match(head) {
		return &FormatError{"an ARC archive", "convert it to WARC first"}
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return &FormatError{f.name, f.advice}
		}
	}
	return nil
}

// gzipFormat looks into the first member for a format that is not read.
func gzipFormat(in *bufio.Reader) error {
	head, _ := in.Peek(2 * lineSize)
	m := borrowGzip()
	defer m.release()
	if m.start(bytes.NewReader(head), maxHeaderParts) != nil {
		return nil
	}
	var inner [lineSize]byte
	n, _ := io.ReadFull(m, inner[:])
	return format(inner[:n])
}

// damagedGzip finds out whether a gzip archive is damaged where it begins.
func damagedGzip(in *bufio.Reader) bool {
	head, _ := in.Peek(detectSize)
	m := borrowGzip()
	defer m.release()
	for i := lastMember(head); i > 0; i = lastMember(head[:i+gzipSmallest-1]) {
		if startsRecord(m, bufio.NewReader(bytes.NewReader(head[i:]))) {
			return true
		}
	}
	return false
}
