package shard

import "github.com/open-index/ccnews/lib/ccindex"

// mayHave asks what the tail of the file says of a row group: the bounds of its
// keys, and its filters. Only our own shards are believed, and only if they are
// regular. False is certain as far as the tail's bytes are intact: Parquet has no
// checksum for them.
func (s *Shard) mayHave(group int, q *Query) (bool, error) {
	if s.index == nil || !s.index.SURTRegular {
		return true, nil
	}
	for i := range q.Patterns {
		p := &q.Patterns[i]
		if !s.inBounds(group, q.spansOf(i)) {
			continue
		}
		if may, err := s.inFilter(group, p); err != nil || may {
			return may, err
		}
	}
	return false, nil
}

// inBounds compares where keys of a pattern lie with where those of the group do.
func (s *Shard) inBounds(group int, spans []span) bool {
	least, greatest, ok := s.file.Bounds(group, s.columns[keyColumn])
	if !ok {
		return true
	}
	for _, span := range spans {
		if span.meets(string(least), string(greatest)) {
			return true
		}
	}
	return false
}

// inFilter asks the filter of hosts for a host, and that of registered domains for
// a domain. A domain can have hosts below it that count as another registered
// domain, as kawasaki.jp has a.b.kawasaki.jp; the index knows.
func (s *Shard) inFilter(group int, p *Pattern) (bool, error) {
	if p.Exact {
		if err := s.fetchFilters(hostColumn); err != nil {
			return false, err
		}
		return s.file.MayContain(group, s.columns[hostColumn], p.Host)
	}
	domains, ok := s.index.domains(p.Host)
	if !ok {
		return true, nil
	}
	if err := s.fetchFilters(domainColumn); err != nil {
		return false, err
	}
	for _, domain := range domains {
		if may, err := s.file.MayContain(group, s.columns[domainColumn], domain); err != nil || may {
			return may, err
		}
	}
	return false, nil
}

// fetchFilters gets the filters of a column together, once. They usually lie in what
// was read of the end of the file already; in a large shard they lie before that.
func (s *Shard) fetchFilters(column int) error {
	offset, length, ok := s.file.Filters(s.columns[column])
	if !ok || s.filtersFetched[column] {
		return nil
	}
	s.filtersFetched[column] = true
	_, err := s.fetch([]Span{{offset, length}}, length) // held until the file is closed
	return err
}

// Span is a part of a file: Length bytes from Offset on.
type Span struct{ Offset, Length int64 }

// Prefetcher is what a file may offer beside io.ReaderAt: to read parts of it
// together before they are needed. Reads inside of them are then free, until release
// is called. [Open] takes one.
type Prefetcher interface {
	Prefetch(spans []Span) (release func(), err error)
}

// fetchAtOnce is how many bytes of a row group are read together, hosts and all,
// before it is known whether there is a row: another request takes longer. Groups
// of our own shards have fewer.
const fetchAtOnce = 1 << 20

// maxFetch is how much of a row group is held at most, in bytes. More is read page
// by page.
const maxFetch = 32 << 20

// fetchHosts gets what is needed to find rows in a group, and the rows as well if
// that is little.
func (s *Shard) fetchHosts(group int, wanted ccindex.Selection) (release func(), err error) {
	spans, size := s.chunks(group, wanted)
	if size > fetchAtOnce {
		var hosts ccindex.Selection
		hosts[hostColumn] = true
		spans, size = s.chunks(group, hosts)
	}
	return s.fetch(spans, size)
}

// fetchRows gets what fetchHosts left out because it is much.
func (s *Shard) fetchRows(group int, wanted ccindex.Selection) (release func(), err error) {
	spans, size := s.chunks(group, wanted)
	if size <= fetchAtOnce {
		return func() {}, nil
	}
	return s.fetch(spans, size)
}

func (s *Shard) fetch(spans []Span, size int64) (release func(), err error) {
	prefetcher, ok := s.source.(Prefetcher)
	if !ok || size > maxFetch {
		return func() {}, nil
	}
	if release, err = prefetcher.Prefetch(spans); err != nil {
		return func() {}, err
	}
	return release, nil
}

// chunks are where the columns of a group lie, and how many bytes they are.
func (s *Shard) chunks(group int, wanted ccindex.Selection) (spans []Span, size int64) {
	for i, column := range s.columns {
		if wanted[i] && !s.missing[i] {
			offset, length := s.file.Chunk(group, column)
			spans = append(spans, Span{offset, length})
			size += length
		}
	}
	return spans, size
}
