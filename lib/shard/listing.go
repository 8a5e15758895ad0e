package shard

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/open-index/ccnews/lib/jsonl"
)

// Listing gives the names of the shards that a text lists, one a line: a bare
// path, or a line of hf-ls, {"path","url",…}, whose url is taken, else its
// path. After an error it gives nothing more.
func Listing(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for number := 1; ; number++ {
			line, err := in.ReadSlice('\n')
			if err != nil && err != io.EOF {
				if err == bufio.ErrBufferFull {
					err = errors.New("too long for the name of a shard")
				}
				yield("", fmt.Errorf("line %d: %w", number, err))
				return
			}
			name, lineErr := listed(bytes.TrimSpace(line))
			if lineErr != nil {
				yield("", fmt.Errorf("line %d: %w", number, lineErr))
				return
			}
			if name != "" && !yield(name, nil) || err == io.EOF {
				return
			}
		}
	}
}

// listed is the name in one line, "" if there is none.
func listed(line []byte) (string, error) {
	if bytes.HasPrefix(line, []byte("PAR1")) {
		return "", errors.New("this is a Parquet file, not a list of them: give its name as an argument")
	}
	if !bytes.HasPrefix(line, []byte("{")) {
		return string(line), nil
	}
	if end, fault, err := jsonl.Control(line); err != nil {
		return "", err
	} else if fault != nil {
		return "", fault
	} else if end != nil {
		return "", nil
	}
	var url, path string
	err := jsonl.Object(line, func(iter *jsonl.Iterator, key string) (err error) {
		switch key {
		case "url":
			url, err = jsonl.String(iter)
		case "path":
			path, err = jsonl.String(iter)
		case "url_surtkey":
			err = errors.New("this is an index row, not the listing of a shard")
		default:
			iter.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return "", err
	case url != "":
		return url, nil
	case path != "":
		return path, nil
	}
	return "", errors.New("it has neither url nor path")
}
