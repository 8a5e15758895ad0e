// Package rangeread reads bytes at offsets, over HTTP and from local files. A shard
// is searched where it is published: its footer and a few pages are read, and the
// megabytes in between stay where they are.
//
// A [Client] is shared by all files of a command, and a [Source] is one of them: an
// [io.ReaderAt] that knows its size. What comes out is exactly the bytes of one
// version of the file, or an error that names the URL and the range.
//
// # Requests
//
// A URL may lead elsewhere: the Hugging Face hub answers with a redirect to a
// signed URL at a store, and counts how often it is asked, while the store does
// not. So every request carries its Range from the start, redirects are followed
// by hand, and the address where the bytes were found serves all further ranges.
// It is given up a minute before its signature ends, or when the store refuses it.
// To open a file and to read its end costs one request to each of the two.
//
// The last bytes of a file (Options.Tail) are read at once and kept, because the
// footer of a Parquet file lies there with its indexes. [File.Prefetch] reads what
// else is known to be needed, in few requests; reads inside of it then cost none.
//
// Headers of Options.Header, such as a token, go to the origin (scheme, host and
// port) of the opened URL and to no other, wherever a redirect leads. net/http
// would send them to other ports and subdomains, too.
//
// # Trust
//
// A 206 is taken only if its Content-Range is what was asked for, its full length
// is the known one, and its body is as long as that (RFC 9110, section 15.3.7).
// The first strong validator from an origin binds all later ranges from it:
// If-Range asks for that version, and an answer from another is [ErrChanged]. The
// validators of two origins are never compared: the hub's X-Linked-ETag is a
// SHA-256, and its store's ETag something else. An origin without a strong
// validator is held to the length alone, so there a body that was cut is not
// completed but read again.
//
// A 200, the whole file, is taken if it is not longer than what was asked for or
// than the tail; otherwise the server knows no ranges, which is an error. Bytes
// with a Content-Encoding are refused, as they are not those that are stored; gzip
// on a URL that ends in ".gz" is the exception, because servers label such files so.
//
// # Failures
//
// What passes with time is tried again as [retry.Policy] says, and a body that was
// cut goes on where it ended. An answer that does not fit (a 401, 403, 404 or 410
// of a store, a 416, another range or length) may be the fault of one address, so
// the opened URL is asked for a new one, once; the same again is final.
// Observed are redirects that were cached and then cut into ranges,
// https://github.com/huggingface/datasets/issues/7685, and fresh signatures that
// were refused, https://github.com/huggingface/datasets/issues/8328.
//
// No error shows a query: that of a signed URL is a secret.
package rangeread
