package parquetread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// checkCodec allows the codecs that can be told how much to unpack at most.
func checkCodec(codec format.CompressionCodec) error {
	switch codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
		return nil
	}
	return fmt.Errorf("compressed with %s, which is not supported (codec %d)", codec, int32(codec))
}

var errSize = errors.New("unpacks to another size than announced")

// zstdDecoder never writes more than it has room for.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxMemory), zstd.WithDecoderLowmem(true))
})

// unpacker keeps what decompressors can use again.
type unpacker struct {
	gzip gzip.Reader
	src  bytes.Reader
}

// unpack fills dst with what src holds: exactly len(dst) bytes.
func (u *unpacker) unpack(codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Uncompressed:
		if len(src) != len(dst) {
			return errSize
		}
		copy(dst, src)
		return nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errors.Join(errSize, err)
		}
		_, err := snappy.Decode(dst, src)
		return err
	case format.Gzip:
		return u.gunzip(dst, src)
	default:
		decoder, err := zstdDecoder()
		if err != nil {
			return err
		}
		out, err := decoder.DecodeAll(src, dst[:0:len(dst)])
		if err == nil && len(out) != len(dst) {
			err = errSize
		}
		return err
	}
}

func (u *unpacker) gunzip(dst, src []byte) error {
	u.src.Reset(src)
	if err := u.gzip.Reset(&u.src); err != nil {
		return err
	}
	if _, err := io.ReadFull(&u.gzip, dst); err != nil {
		return err
	}
	var more [1]byte
	if n, err := u.gzip.Read(more[:]); n != 0 || err != io.EOF {
		return errors.Join(errSize, err)
	}
	return nil
}
