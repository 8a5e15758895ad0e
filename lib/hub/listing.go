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
	"unicode/utf8"

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

// ParseFile reads what [File.AppendJSON] wrote. Other keys are passed over, and the
// size is -1 if the line does not say. A line without a path is none: records and rows
// have a url, too, and are not files.
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
		err = errors.New("it names no path: want a line of hf-ls, or a bare path")
	}
	return f, err
}

// maxListed is how long a line of a listing may be, in bytes.
const maxListed = 64 << 10

// errNoText is that of a line that no tool prints a path as.
var errNoText = errors.New("this is no text: give the names of files, not their content")

// isControl reports whether no path that can be shown has a character.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// Listed gives the files that a text names, one a line: a line of hf-ls, or a bare
// path or URL, of which nothing else is known; then the size is -1. Blank lines are
// passed over, and so is a byte order mark. Blanks belong to a bare path, but not to a
// line of hf-ls. The error names the line, counted from 1; nothing comes after it. A
// [jsonl.Fault] in the text is an error.
func Listed(r io.Reader) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		in := bufio.NewReaderSize(r, maxListed)
		for number := 1; ; number++ {
			line, end := in.ReadSlice('\n')
			var f File
			var err error
			switch {
			case end == bufio.ErrBufferFull && bytes.ContainsFunc(line, isControl):
				err = errNoText
			case end == bufio.ErrBufferFull:
				err = fmt.Errorf("longer than %d bytes, which no path is", maxListed)
			case end != nil && end != io.EOF:
				err = end
			case number == 1:
				f, err = listed(bytes.TrimPrefix(line, []byte("\ufeff")))
			default:
				f, err = listed(line)
			}
			if err != nil {
				yield(File{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			if f.Path != "" && !yield(f, nil) || end == io.EOF {
				return
			}
		}
	}
}

// listed is the file that a line names, the zero File if it names none.
func listed(line []byte) (File, error) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return File{}, nil
	}
	if text[0] != '{' {
		if !utf8.Valid(text) || bytes.ContainsFunc(text, isControl) {
			return File{}, errNoText
		}
		return File{Path: string(bytes.TrimRight(line, "\r\n")), Size: -1}, nil
	}
	end, fault, err := jsonl.Control(text)
	switch {
	case err != nil:
		return File{}, err
	case fault != nil:
		return File{}, fault
	case end != nil:
		return File{}, nil
	}
	return ParseFile(text)
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
