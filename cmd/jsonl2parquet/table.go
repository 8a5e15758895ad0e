package main

import (
	"cmp"
	"context"
	"iter"
	"os"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/extsort"
	"github.com/open-index/ccnews/lib/table"
)

// writeTable makes a table of any objects, in the order they come or sorted.
func (c *command) writeTable(ctx context.Context, std *cli.IO, in *source, save save) error {
	t := tableWriter{command: c, in: in, misfits: misfits{onMisfit: c.table.onMisfit}}
	columns, lines, err := t.columns(std)
	defer t.sample.lines.close()
	if err != nil {
		return err
	}
	layout, err := c.table.layout(columns)
	if err != nil {
		return err
	}
	if err := save(func(f *os.File) error { return t.write(ctx, f, layout, lines) }); err != nil {
		return err
	}
	t.misfits.report(std)
	return nil
}

// lineSeq gives lines, each valid until the next one, or at last an error.
type lineSeq = iter.Seq2[[]byte, error]

// tableWriter makes one table of the lines of in.
type tableWriter struct {
	*command
	in      *source
	sample  sample // empty if there is a schema
	misfits misfits
}

// columns chooses the columns, and gives the lines to be written.
func (t *tableWriter) columns(std *cli.IO) ([]table.Column, lineSeq, error) {
	if t.table.schema != "" {
		return t.table.columns, t.in.each, nil
	}
	t.sample.guess.Nested = t.table.nested
	if err := t.sample.take(t.in, t.table.infer, t.table.onMisfit == "string"); err != nil {
		return nil, nil, err
	}
	if t.requireEnd {
		return nil, nil, t.in.notIndex()
	}
	t.sample.changes(std)
	return t.sample.guess.Columns(), t.sample.after(t.in), nil
}

func (t *tableWriter) write(ctx context.Context, f *os.File, layout table.Layout, lines lineSeq) error {
	writer := table.NewWriter(f, layout)
	writer.Interrupt(ctx)
	var err error
	if len(layout.SortedBy) == 0 {
		err = t.rows(ctx, layout.Columns, lines, writer.Write)
	} else {
		err = t.sorted(ctx, layout, lines, writer.Write)
	}
	if err != nil {
		return err
	}
	return writer.Close(t.metadata)
}

// sorted hands all rows to add in the layout's order.
func (t *tableWriter) sorted(ctx context.Context, layout table.Layout, lines lineSeq, add func(row []byte) error) error {
	sorter := extsort.New(extsort.Memory)
	defer sorter.Close()
	order := table.NewOrder(layout)
	var key []byte
	err := t.rows(ctx, layout.Columns, lines, func(row []byte) (err error) {
		if key, err = order.Key(key[:0], row); err != nil {
			return err
		}
		return sorter.Add(key, row)
	})
	if err != nil {
		return err
	}
	for row, err := range sorter.Sorted() {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = add(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rows hands the row of each line to add, and then looks at how the stream ended.
func (t *tableWriter) rows(ctx context.Context, columns []table.Column, lines lineSeq, add func(row []byte) error) error {
	objects := table.NewObjects(columns)
	t.misfits.attend(objects, t.in, t.table.ignoreUnknown)
	var row []byte
	var count int64
	for line, err := range lines {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		count++
		if row, err = objects.Row(row[:0], line); err != nil {
			if err := t.misfits.excuse(err, t.in); err != nil {
				return err
			}
			continue
		}
		if err := add(row); err != nil {
			return err
		}
	}
	if t.table.schema != "" {
		return t.in.check(count, t.requireEnd)
	}
	if t.in.end != nil {
		return t.in.notIndex()
	}
	return nil
}
