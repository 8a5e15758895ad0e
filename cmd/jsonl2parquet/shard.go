package main

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/open-index/ccnews/lib/ccindex"
	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/shard"
	"github.com/open-index/ccnews/lib/table"
)

// save hands a function the file to write.
type save func(write func(*os.File) error) error

// writeShard makes a shard of index rows. No file appears before the last line
// was read.
func (c *command) writeShard(ctx context.Context, std *cli.IO, in *source, save save) error {
	builder := shard.NewBuilder(0)
	defer builder.Close()
	for {
		line, err := in.next()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		row, err := ccindex.ParseRow(line)
		if err != nil {
			return in.fail(cmp.Or(table.CheckJSON(line), err))
		}
		if err := builder.Add(&row); err != nil {
			return err
		}
	}
	if err := in.check(builder.Rows(), c.requireEnd); err != nil {
		return err
	}
	switch {
	case in.end == nil:
		std.Warnf(`stdin: no _end line: the stream may have been cut; the shard says "complete":false`)
	case in.end.Cut:
		std.Warnf(`stdin: the archive was cut; the shard says "complete":false`)
	case in.end.Filtered:
		std.Warnf(`stdin: the rows were filtered; the shard says "complete":false`)
	}
	return save(func(f *os.File) error {
		_, err := builder.Write(ctx, f, in.end, c.metadata)
		return err
	})
}
