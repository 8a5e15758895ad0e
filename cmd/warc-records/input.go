package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/record"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/webstream"
)

// input is an archive to read.
type input struct {
	io.Reader
	close    func() error
	label    string // in messages
	filename string // for warc_filename; "" if only the archive knows it
	size     int64  // bytes as stored, -1 if not known
}

// open opens what name says: "-" is stdin, a URL is streamed, and a path that
// begins with crawl-data/ and is no file here is one below CC_BASE.
func open(ctx context.Context, std *cli.IO, name string, tries int) (*input, error) {
	if name == "-" {
		return &input{std.In, func() error { return nil }, "stdin", "", -1}, nil
	}
	place := name
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "crawl-data/") {
		place = webstream.Resolve(webstream.Base(), name)
	}
	if webstream.IsURL(place) {
		return openURL(ctx, std, name, place, tries)
	}
	f, err := os.Open(place)
	if err != nil {
		return nil, err
	}
	in := &input{f, f.Close, name, record.ArchiveName(name), -1}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		in.size = info.Size()
	}
	return in, nil
}

func openURL(ctx context.Context, std *cli.IO, name, url string, tries int) (*input, error) {
	stream, err := webstream.Open(ctx, url, webstream.Options{Retry: retry.Policy{
		Tries:  tries,
		Also:   []int{http.StatusForbidden}, // what Common Crawl says when it is overloaded
		OnWait: func(w retry.Wait) { std.Warnf("%v", w) },
	}})
	if err != nil {
		return nil, err
	}
	return &input{stream, stream.Close, name, record.ArchiveName(name), stream.Size()}, nil
}
