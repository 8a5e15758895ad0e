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
	return s.rows(ccindex.SelectAll(), func(group int) iter.Seq2[int64, error] {
		return func(yield func(int64, error) bool) {
			for at := range s.file.GroupRows(group) {
				if !yield(at, nil) {
					return
				}
			}
		}
	})
}

// Find gives the rows that a query asks for, in the order of the file. The selected
// columns are filled in, and those that the query needs. After an error it gives
// nothing more.
//
// A row group is left out where its filters or its bounds say that it has no such
// row. Of another one without such a row, at most the host column is read, if
// reading that alone saves anything.
func (s *Shard) Find(q *Query, selection ccindex.Selection) iter.Seq2[ccindex.Row, error] {
	wanted := selection.With(q.columns())
	found := s.rows(wanted, func(group int) iter.Seq2[int64, error] {
		return func(yield func(int64, error) bool) { s.places(group, q, wanted, yield) }
	})
	return func(yield func(ccindex.Row, error) bool) {
		for row, err := range found {
			if (err != nil || q.matches(&row)) && !yield(row, err) {
				return
			}
		}
	}
}

// held is how many rows of a row group are held back until the group was read
// without an error: damage in the footer, which has no checksum, can show in
// values before it shows as an error. Our own groups have fewer rows.
const held = 8192

// rows gives the rows at the places that a function picks in each row group,
// in ascending order.
func (s *Shard) rows(wanted ccindex.Selection, pick func(group int) iter.Seq2[int64, error]) iter.Seq2[ccindex.Row, error] {
	return func(yield func(ccindex.Row, error) bool) {
		reader := &rowReader{shard: s, wanted: wanted}
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
				if err == nil && !opened {
					err = reader.open(group)
					opened = true
				}
				var row ccindex.Row
				if err == nil {
					row, err = reader.read(at)
				}
				if err != nil {
					yield(ccindex.Row{}, named(s.name, fmt.Errorf("row group %d: %w", group, err)))
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

// places gives the places in a row group whose host a pattern matches.
func (s *Shard) places(group int, q *Query, wanted ccindex.Selection, yield func(int64, error) bool) {
	may, err := s.mayHave(group, q)
	if err == nil && may {
		s.groupsRead++
		var release func()
		release, err = s.fetchHosts(group, wanted)
		defer release()
	}
	if err != nil || !may {
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
		if err != nil || !host.Null && q.matchesHost(string(host.Bytes)) {
			if !yield(at, err) || err != nil {
				return
			}
		}
	}
}
