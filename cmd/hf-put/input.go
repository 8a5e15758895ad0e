package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/hub"
	"github.com/open-index/ccnews/lib/jsonl"
)

// input is what is to be put.
type input struct {
	adds  iter.Seq2[hub.Add, error]
	total int64 // bytes, -1 if not known before the end
	close func()
}

// input is the content of stdin, the files that stdin lists, or the arguments,
// which are all looked at before the first one is sent.
func (c *command) input(std *cli.IO, args []string) (*input, error) {
	in := &input{total: -1, close: func() {}}
	switch {
	case c.path != "":
		if err := std.NeedInput(); err != nil {
			return nil, err
		}
		source, err := spool(std.In)
		if err != nil {
			return nil, fmt.Errorf("stdin: %w", err)
		}
		in.total, in.close = source.size, func() { source.file.Close() }
		in.adds = func(yield func(hub.Add, error) bool) { yield(hub.Add{Path: c.path, Source: source}, nil) }
	case len(args) > 0:
		in.adds = c.local(args)
		in.total = 0
		for add, err := range in.adds {
			if err != nil {
				return nil, err
			}
			in.total += add.Source.Size()
		}
	case len(c.change.Deletes) > 0:
		in.adds = c.local(nil)
	default:
		if err := std.NeedInput(); err != nil {
			return nil, err
		}
		in.adds = listed(std.In)
	}
	return in, nil
}

// local gives the files of LOCAL[=PATH] arguments.
func (c *command) local(args []string) iter.Seq2[hub.Add, error] {
	return func(yield func(hub.Add, error) bool) {
		for _, arg := range args {
			name, to, named := strings.Cut(arg, "=")
			info, err := os.Stat(name)
			dir := err == nil && info.IsDir()
			switch {
			case dir:
				to = path.Clean(to)
				if !c.recursive {
					err = fmt.Errorf("%s: a folder: -r puts what is in it", name)
				}
			case !named:
				to = filepath.Base(name)
			case to == "" || strings.HasSuffix(to, "/"):
				to += filepath.Base(name)
			}
			// What is wrong in any folder comes before what is not there in this one.
			if bad := hub.CheckPath(to); bad != nil && !(dir && to == ".") {
				err = cli.Usagef("%v", bad)
			}
			if err == nil && dir {
				if !folder(name, to, yield) {
					return
				}
				continue
			}
			add := hub.Add{Path: to}
			if err == nil {
				add.Source, err = hub.FileSource(name)
			}
			if !yield(add, err) {
				return
			}
		}
	}
}

// folder gives the files of a folder at any depth, which go below to. What belongs
// to tools and not to the data, such as .git, is left out, as the hub's own
// clients do.
func folder(root, to string, yield func(hub.Add, error) bool) bool {
	more := true
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch entry.Name() {
			case ".git", ".cache", ".hub":
				return fs.SkipDir
			}
			return nil
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		add := hub.Add{Path: path.Join(to, filepath.ToSlash(below))}
		if add.Source, err = source(name, add.Path); err != nil {
			return err
		}
		if more = yield(add, nil); !more {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return yield(hub.Add{}, err)
	}
	return more
}

func source(name, to string) (hub.Source, error) {
	if err := hub.CheckPath(to); err != nil {
		return nil, err
	}
	return hub.FileSource(name)
}

// maxLine is how long a line of stdin may be, in bytes.
const maxLine = 64 << 10

// listed gives what the lines of r name: {"local","path"} is a file, and
// {"path","sha256","size"} an object that is stored already.
func listed(r io.Reader) iter.Seq2[hub.Add, error] {
	return func(yield func(hub.Add, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 0, 4<<10), maxLine)
		for number := 1; in.Scan(); number++ {
			line := bytes.TrimSpace(in.Bytes())
			if len(line) == 0 {
				continue
			}
			add, err := parseAdd(line)
			if err != nil {
				yield(add, fmt.Errorf("stdin: line %d: %w", number, err))
				return
			}
			if !yield(add, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(hub.Add{}, fmt.Errorf("stdin: %w", err))
		}
	}
}

func parseAdd(line []byte) (hub.Add, error) {
	var add hub.Add
	var local string
	size := false
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) (err error) {
		switch key {
		case "local":
			local, err = jsonl.String(iter)
		case "path":
			add.Path, err = jsonl.String(iter)
		case "sha256":
			add.SHA256, err = jsonl.String(iter)
		case "size":
			add.Size, err = jsonl.Count(iter)
			size = true
		default:
			iter.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return add, err
	case local != "" && add.Path == "":
		add.Path = filepath.Base(local)
	case local == "" && (!sha256Hex.MatchString(add.SHA256) || !size):
		return add, errors.New(`it has neither "local" nor "path", "sha256" and "size"`)
	}
	if local != "" {
		add.Source, err = source(local, add.Path)
		return add, err
	}
	return add, hub.CheckPath(add.Path)
}

// spool keeps stdin in a file without a name: its sum has to be known before its
// first byte is sent.
func spool(r io.Reader) (*spooled, error) {
	f, err := os.CreateTemp("", "hf-put-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // the system frees it however the process ends
	size, err := io.Copy(f, r)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &spooled{f, size}, nil
}

// spooled is a [hub.Source] of stdin.
type spooled struct {
	file *os.File
	size int64
}

func (s *spooled) String() string { return "stdin" }
func (s *spooled) Size() int64    { return s.size }
func (s *spooled) Check() error   { return nil }

func (s *spooled) Open() (hub.Content, error) {
	return spooledContent{io.NewSectionReader(s.file, 0, s.size)}, nil
}

type spooledContent struct{ *io.SectionReader }

func (spooledContent) Close() error { return nil }
