package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"text/tabwriter"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/ledger"
)

// print writes a line a shard and decides on the exit status.
func (c *command) print(std *cli.IO, results iter.Seq2[result, error]) error {
	var out printer = &lines{jsonl.NewWriter(std.Out)}
	if c.table {
		out = newTable(std.Out)
	}
	progress := std.Progress("shards", -1)
	defer progress.Done()
	var sum summary
	for r, err := range results {
		if err != nil {
			return errors.Join(err, out.close())
		}
		progress.Add(c.files.Stats().Bytes - sum.bytes)
		sum.bytes = c.files.Stats().Bytes
		sum.add(r)
		if r.err != nil {
			std.Errorf("%v", r.err)
			continue
		}
		if err := out.line(r.line); err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
	if err := out.close(); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	cost := c.files.Stats()
	std.Notef("shards: %d, known: %d, read: %d, failed: %d; requests: %d, bytes: %d",
		sum.shards, sum.known, sum.shards-sum.known-sum.failed, sum.failed, cost.Resolver+cost.Storage, cost.Bytes)
	return sum.status()
}

type summary struct {
	shards, known, failed int
	later                 int   // failed, and may not tomorrow
	bytes                 int64 // that were read up to the last shard
}

func (s *summary) add(r result) {
	s.shards++
	if r.known {
		s.known++
	}
	if r.err != nil {
		s.failed++
		if later := (interface{ TryLater() })(nil); errors.As(r.err, &later) {
			s.later++
		}
	}
}

func (s *summary) status() error {
	switch {
	case s.failed == 0:
		return nil
	case s.failed == s.later:
		return cli.Exit(cli.StatusTryLater)
	}
	return cli.Exit(cli.StatusFailed)
}

// printer is a form of the output.
type printer interface {
	line(*ledger.Line) error
	close() error
}

type lines struct{ out *jsonl.Writer }

func (l *lines) line(line *ledger.Line) error { return l.out.Line(line.AppendJSON(nil)) }
func (l *lines) close() error                 { return l.out.Flush() }

// table is for people: its columns are aligned, so it comes at the end.
type table struct {
	out                                                 *tabwriter.Writer
	shards, rows, success, html, damaged, read, written int64
}

func newTable(w io.Writer) *table {
	t := &table{out: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.out, "rows\t2xx\thtml\tdamaged\tarchive bytes\tparquet bytes\tfirst\tlast\t  path")
	return t
}

func (t *table) line(l *ledger.Line) error {
	read, damaged, first, last := "-", "-", "-", "-"
	if l.Index != nil {
		if l.Bytes != nil {
			read = fmt.Sprint(*l.Bytes)
			t.read += *l.Bytes
		}
		if l.Damaged != nil {
			damaged = fmt.Sprint(*l.Damaged)
			t.damaged += *l.Damaged
		}
		if l.FirstFetch != "" {
			first, last = l.FirstFetch, l.LastFetch
		}
	}
	t.shards++
	t.rows += l.Rows
	t.success += l.Success()
	t.html += l.HTML()
	t.written += l.ParquetBytes
	_, err := fmt.Fprintf(t.out, "%d\t%d\t%d\t%s\t%s\t%d\t%s\t%s\t  %s\n",
		l.Rows, l.Success(), l.HTML(), damaged, read, l.ParquetBytes, first, last, l.Path)
	return err
}

func (t *table) close() error {
	fmt.Fprintf(t.out, "%d\t%d\t%d\t%d\t%d\t%d\t\t\t  %d shards\n",
		t.rows, t.success, t.html, t.damaged, t.read, t.written, t.shards)
	return t.out.Flush()
}
