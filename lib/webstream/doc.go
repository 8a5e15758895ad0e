// Package webstream reads the bytes of a URL once, from start to end, and survives
// the failures on the way: an archive of a gigabyte passes through the pipeline
// without ever being stored, so it cannot simply be fetched again.
//
// What comes out is exactly the bytes of one state of the source, or an error.
// No byte is lost and none comes twice, however often the connection drops,
// stalls or ends early.
//
// # Resuming
//
// A broken stream goes on with a request for the rest (RFC 9110, sections 13.1.5
// and 14): Range with If-Range. That needs a strong validator: a strong ETag, or a
// Last-Modified at least a minute older than the answer. A 206 is taken only if it
// begins at the right byte, has the same full length, goes to the end and repeats
// the validator.
//
// A server that sends the whole again instead (it knows no ranges, or there is no
// strong validator, or its 206 was unusable) is believed only as far as it can be
// proven: the bytes that were handed out already are read again, and their
// checksum must be the same. Otherwise, or where a strong ETag or the length
// differ, the source has changed: [ErrChanged].
//
// # Ends
//
// The announced length decides what is the whole. Where none is announced,
// [Stream.Size] is -1: a chunked body that is cut is noticed, but a body that is
// ended by closing the connection cannot be told from one that was cut cleanly.
//
// # Giving up
//
// Every byte gained begins the count of failures anew. When [retry.Policy] gives up,
// the error is a [*retry.LaterError]; a status that time does not mend is a
// [*retry.StatusError].
//
// # Codings
//
// The bytes must be those that are stored, so the request says Accept-Encoding:
// identity, and an answer with a Content-Encoding is refused, with one exception:
// gzip on a URL that ends in ".gz". Servers label such files so, and what they send
// is the file.
package webstream
