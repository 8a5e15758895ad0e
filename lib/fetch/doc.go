// Package fetch reads the records that index rows point at, out of archives that are
// published elsewhere: a row says in which archive a record lies, from which byte on
// and how long, and only those bytes are read
// (https://commoncrawl.org/columnar-index has the three columns).
//
// A [Location] is such a place, with what the row tells of the record. [Fetcher.Run]
// writes the records of a stream of locations in one of the [Format]s, in the order of
// the stream.
//
// # Few requests
//
// Locations that arrive together are looked at together, up to 256 of them. Spans of
// one archive with little between them become one request, so that a page and its
// neighbour cost what one of them does. Nobody is kept waiting for it: a location for
// which no further ones have come within 20 ms is fetched as it is.
//
// # Never a wrong record
//
// The bytes must be one whole record from the first to the last, whose checksum is
// right and which is what the row says: its WARC-Record-ID, its URL, its digest. A
// shifted offset, another archive of the same name, a server that answers a range with
// something else: each is an error that names the row, and the others go on.
//
// # Memory
//
// Spans in flight are bounded in bytes. One above 4 MiB is kept in a temporary file,
// and one above [MaxLength] is refused. A block above 4 MiB is read by itself, never
// beside another such.
package fetch
