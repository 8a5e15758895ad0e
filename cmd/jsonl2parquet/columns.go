package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/schema"
	"github.com/open-index/ccnews/lib/table"
)

// readSchema reads the columns that --schema names.
func readSchema(name string) ([]table.Column, error) {
	text, ok := schema.Named(name)
	if !ok {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, cli.Hint(fmt.Errorf("--schema: %w", err), "it is no built-in schema either: those are news and cc-index")
		} else if err != nil {
			return nil, fmt.Errorf("--schema: %w", err)
		}
		defer file.Close()
		const most = 1 << 20
		b, err := io.ReadAll(io.LimitReader(file, most+1))
		if err == nil && len(b) > most {
			err = fmt.Errorf("%s: a schema of more than 1 MiB", name)
		}
		if err != nil {
			return nil, fmt.Errorf("--schema: %w", err)
		}
		text = string(b)
	}
	columns, err := schema.Parse(text)
	if err != nil {
		return nil, cli.Hint(fmt.Errorf("--schema: %s: %w", name, err), "doc/tables.md has the syntax")
	}
	return columns, nil
}

// sample are the lines by which the columns of a table were chosen.
type sample struct {
	lines spool
	guess table.Guess
	// before are the columns as they were after --infer lines; those that
	// --on-misfit string chose by all lines can be others.
	before []table.Column
}

// take reads the first lines, or with all set every line of in, and chooses
// columns.
func (s *sample) take(in *source, limit int64, all bool) error {
	n := int64(0)
	for ; all || n < limit; n++ {
		line, err := in.next()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if n == limit {
			s.before = s.guess.Columns()
		}
		if err := s.guess.Look(line); err != nil {
			return in.fail(err)
		}
		if err := s.lines.add(line, in.at); err != nil {
			return err
		}
	}
	if n <= limit {
		s.before = s.guess.Columns()
	}
	switch {
	case n == 0 && in.end != nil:
		return in.recordStream()
	case n == 0:
		return cli.Hint(errors.New("stdin: it is empty: there is nothing to make columns of"), "--schema gives an empty table its columns")
	case len(s.guess.Columns()) == 0:
		return errors.New("stdin: objects without a key make no table")
	}
	return nil
}

// changes says in which columns the table differs from one chosen by the first
// --infer lines alone.
func (s *sample) changes(std *cli.IO) {
	for i, c := range s.guess.Columns() {
		switch {
		case i >= len(s.before):
			std.Warnf("column %q: it is not in the lines of --infer", c.Name)
		case s.before[i].Kind != c.Kind:
			std.Warnf("column %q: it holds %s, by the lines of --infer alone it would hold %s", c.Name, c.Kind, s.before[i].Kind)
		}
	}
}

// after gives the lines of the sample again, and then those that follow in in.
func (s *sample) after(in *source) lineSeq {
	return func(yield func([]byte, error) bool) {
		for line, err := range s.lines.all(func(at place) { in.at = at }) {
			if !yield(line, err) || err != nil {
				return
			}
		}
		in.each(yield)
	}
}
