package shard

import (
	"fmt"
	"iter"

	"github.com/open-index/ccnews/lib/ccindex"
)

// Rows gives all rows in the order of the file. After an error it gives
// nothing more.
//
// A column that the file does not have is null in every row, and its
// ContentLength is -1. In a column that cannot hold nulls, "" stands for one.
func (s *Shard) Rows() iter.Seq2[ccindex.Row, error] {
	return s.rows(func(group int) iter.Seq2[int64, error] {
		return func(yield func(int64, error) bool) {
			for at := range s.file.GroupRows(group) {
				if !yield(at, nil) {
					return
				}
			}
		}
	})
}

// Find gives the rows whose url_host_name the pattern matches, in the order of
// the file. Of a row group without any it reads at most the host column. After
// an error it gives nothing more.
func (s *Shard) Find(p Pattern) iter.Seq2[ccindex.Row, error] {
	return s.rows(func(group int) iter.Seq2[int64, error] {
		return func(yield func(int64, error) bool) { s.places(group, p, yield) }
	})
}

// held is how many rows of a row group are held back until the group was read
// without an error: damage in the footer, which has no checksum, can show in
// values before it shows as an error. Our own groups have fewer rows.
const held = 8192

// rows gives the rows at the places that a function picks in each row group,
// in ascending order.
func (s *Shard) rows(pick func(group int) iter.Seq2[int64, error]) iter.Seq2[ccindex.Row, error] {
	return func(yield func(ccindex.Row, error) bool) {
		reader := &rowReader{shard: s}
		defer reader.close()
		var rows []ccindex.Row
		give := func() bool {
			for _, row := range rows {
				if !yield(row, nil) {
					return false
				}
			}
			rows = rows[:0]
			return true
		}
		for group := range s.file.Groups() {
			opened := false
			for at, err := range pick(group) {
				if !opened {
					reader.open(group)
					opened = true
				}
				var row ccindex.Row
				if err == nil {
					row, err = reader.read(at)
				}
				if err != nil {
					yield(ccindex.Row{}, fmt.Errorf("%s: row group %d: %w", s.name, group, err))
					return
				}
				if rows = append(rows, row); len(rows) == held && !give() {
					return
				}
			}
			if !give() {
				return
			}
		}
	}
}

// places gives the places in a row group whose host the pattern matches.
func (s *Shard) places(group int, p Pattern, yield func(int64, error) bool) {
	if may, err := s.mayHave(group, p); err != nil || !may {
		if err != nil {
			yield(0, err)
		}
		return
	}
	hosts := s.file.Cursor(s.columns[hostColumn])
	defer hosts.Close()
	hosts.Open(group)
	for at := range s.file.GroupRows(group) {
		host, err := hosts.Next()
		if err != nil || !host.Null && p.Matches(string(host.Bytes)) {
			if !yield(at, err) || err != nil {
				return
			}
		}
	}
}

// mayHave asks a row group's bloom filter. Only our own shards are known to
// spell hosts as patterns do. The filter of registered domains is of no use
// here: a domain can have hosts below it that count as another registered
// domain, as kawasaki.jp has a.b.kawasaki.jp.
func (s *Shard) mayHave(group int, p Pattern) (bool, error) {
	if s.index == nil || !p.Exact {
		return true, nil
	}
	return s.file.MayContain(group, s.columns[hostColumn], p.Host)
}
