package main

import (
	"errors"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/table"
)

// misfits counts what was done to objects that do not fit the columns. Nothing
// is lost in silence: report says how often, and where first.
type misfits struct {
	onMisfit                 string
	nulled, skipped, unknown tally
}

type tally struct {
	count int64
	first error
}

func (t *tally) add(err error) {
	if t.count == 0 {
		t.first = err
	}
	t.count++
}

// attend has objects ask m about the lines of in.
func (m *misfits) attend(objects *table.Objects, in *source, ignoreUnknown bool) {
	if m.onMisfit == "null" {
		objects.Forgive = func(misfit *table.Misfit) bool {
			m.nulled.add(in.fail(misfit))
			return true
		}
	}
	if ignoreUnknown {
		objects.Ignore = func(misfit *table.Misfit) bool {
			m.unknown.add(in.fail(misfit))
			return true
		}
	}
}

// excuse returns nil if the line that gave err is to be left out. Otherwise the
// error is the command's, and says what can be done.
func (m *misfits) excuse(err error, in *source) error {
	err = in.fail(err)
	var misfit *table.Misfit
	if !errors.As(err, &misfit) {
		return err
	}
	if m.onMisfit == "skip" {
		m.skipped.add(err)
		return nil
	}
	return cli.Hint(err, "--on-misfit and --ignore-unknown say what else to do with what does not fit")
}

func (m *misfits) report(std *cli.IO) {
	for _, t := range []struct {
		tally
		what string
	}{
		{m.nulled, "values became null"},
		{m.skipped, "lines were left out"},
		{m.unknown, "keys without a column were left out"},
	} {
		if t.count > 0 {
			std.Warnf("%d %s; the first: %v", t.count, t.what, t.first)
		}
	}
}
