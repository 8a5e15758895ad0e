package hub

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"

	"github.com/open-index/ccnews/lib/jsonl"
)

// AppendJSON appends the line of hf-ls for f, without a newline:
//
//	{"path","size","sha256","oid","repo","revision","url"}
//
// sha256 is left out where it is not known.
func (f *File) AppendJSON(dst []byte) []byte {
	field := func(name, value string) {
		dst = append(dst, `,"`...)
		dst = append(append(dst, name...), `":`...)
		dst = jsonl.AppendString(dst, value)
	}
	dst = jsonl.AppendString(append(dst, `{"path":`...), f.Path)
	dst = strconv.AppendInt(append(dst, `,"size":`...), f.Size, 10)
	if f.SHA256 != "" {
		field("sha256", f.SHA256)
	}
	field("oid", f.OID)
	field("repo", f.Repo)
	field("revision", f.Revision)
	field("url", f.URL)
	return append(dst, '}')
}

// ParseFile reads what [File.AppendJSON] wrote. Other keys are passed over. The size
// is -1 if the line does not say.
func ParseFile(line []byte) (File, error) {
	f := File{Size: -1}
	text := map[string]*string{
		"path": &f.Path, "sha256": &f.SHA256, "oid": &f.OID, "repo": &f.Repo, "revision": &f.Revision, "url": &f.URL,
	}
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) (err error) {
		if to := text[key]; to != nil {
			*to, err = jsonl.String(iter)
		} else if key == "size" {
			f.Size, err = jsonl.Count(iter)
		} else {
			iter.Skip()
		}
		return err
	})
	if err == nil && f.Path == "" {
		err = errors.New("it names no path")
	}
	return f, err
}

// maxListed is how long a line of a listing may be, in bytes.
const maxListed = 64 << 10

// Listed gives the files that a text names, one a line: a line of hf-ls, or a bare
// path, of which nothing else is known; then the size is -1. Empty lines are passed over. The error
// names the line; nothing comes after it.
func Listed(r io.Reader) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		in := bufio.NewReaderSize(r, maxListed)
		for number := 1; ; number++ {
			line, err := in.ReadSlice('\n')
			if err == bufio.ErrBufferFull {
				err = fmt.Errorf("longer than %d bytes, which no path is", maxListed)
			}
			if err != nil && err != io.EOF {
				yield(File{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			text := bytes.TrimRight(line, "\r\n")
			f := File{Path: string(text), Size: -1}
			var bad error
			if bytes.HasPrefix(text, []byte("{")) {
				f, bad = ParseFile(text)
			}
			if bad != nil {
				yield(File{}, fmt.Errorf("line %d: %w", number, bad))
				return
			}
			if f.Path != "" && !yield(f, nil) || err == io.EOF {
				return
			}
		}
	}
}

// month is a prefix that names a year, a month or a shard of the news.
var month = regexp.MustCompile(`^\d{4}(/\d{2}(/.*)?)?$`)

// Expand is the path that people mean by a short one: "2026/07" and what is below
// it lie under data/. Any other path is from the root, as it is.
func Expand(path string) string {
	if month.MatchString(path) {
		return "data/" + path
	}
	return path
}

// NewsRepo is the repository of the news index: CCRAWL_NEWS_REPO, else
// open-index/ccrawl-news.
func NewsRepo(getenv func(string) string) string {
	if name := getenv("CCRAWL_NEWS_REPO"); name != "" {
		return name
	}
	return "open-index/ccrawl-news"
}
