package httpmsg

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// zstdWindow is the largest window a zstd body may ask for: RFC 9659 forbids more in HTTP.
const zstdWindow = 8 << 20

// An unpacker decodes at most limit bytes and returns them with the error that ended decoding early:
// io.ErrUnexpectedEOF if the body is cut.
type unpacker func(body []byte, limit int) (plain []byte, err error)

// byMagic returns what decodes a body that begins with the magic bytes of a compressed format, nil if none does.
func byMagic(body []byte) unpacker {
	switch {
	case bytes.HasPrefix(body, []byte("\x1f\x8b\x08")):
		return gunzip
	case bytes.HasPrefix(body, []byte("\x28\xb5\x2f\xfd")):
		return unzstd
	}
	return nil
}

// withoutMagic decodes the codings that no magic bytes announce, by their names in headers.
var withoutMagic = map[string]unpacker{
	"br":        unbrotli,
	"deflate":   inflate,
	"x-deflate": inflate,
}

func gunzip(body []byte, limit int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return readUpTo(r, limit)
}

func unzstd(body []byte, limit int) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readUpTo(r, limit)
}

func unbrotli(body []byte, limit int) ([]byte, error) {
	return readUpTo(brotli.NewReader(bytes.NewReader(body)), limit)
}

// inflate reads zlib, which is what "deflate" means, or bare deflate data, which is what some servers take it to mean.
func inflate(body []byte, limit int) ([]byte, error) {
	if r, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
		if plain, err := readUpTo(r, limit); len(plain) > 0 {
			return plain, err
		}
	}
	return readUpTo(flate.NewReader(bytes.NewReader(body)), limit)
}

// readUpTo reads to the end, to limit, or to where the data stops making sense.
func readUpTo(r io.Reader, limit int) ([]byte, error) {
	var out bytes.Buffer
	_, err := io.Copy(&out, io.LimitReader(r, int64(limit)))
	return out.Bytes(), err
}
