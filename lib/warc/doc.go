// Package warc splits a web archive into its records, each with the exact span
// of bytes that holds it.
//
// An archive is a run of records (https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/),
// stored plain or, as nearly always, as gzip members of one record each
// (Annex D there). [Reader] inflates members on all cores and returns records
// in file order. A record is returned only once the member that ends it has
// passed its checksum, so that nothing from a damaged member comes out.
//
// # How it is fast
//
// Where a gzip member ends is known only after inflating it. The reader cuts
// the stored bytes at places that look like a member's header, lets workers
// inflate each piece from there, and then checks in order that every piece
// began exactly where the one before it ended. A piece that did not (the header
// was a coincidence, a member is huge, or there is damage) is read again as one
// stream, member by member, until both agree.
//
// # What it forgives
//
// Real archives are not what the grammar says: line ends, blank lines, letter
// case, versions and charsets vary, and nobody loses a record for that. What
// cannot be forgiven is [Damage]: it costs the records it hits, is reported with
// its offset and cause, and reading goes on at the next member, or line, that
// begins a record.
package warc
