package warc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Archives compressed with zstd have one or more frames a record, and perhaps a
// dictionary in a skippable frame at the start
// (https://iipc.github.io/warc-specifications/specifications/warc-zstd/).
const (
	// maxZstdWindow is the largest window that is decoded, in bytes. The
	// specification asks for 8 MiB.
	maxZstdWindow = 64 << 20
	// maxZstdDict is the largest dictionary, in bytes, stored or not.
	maxZstdDict = 16 << 20
)

var (
	zstdMagic      = []byte{0x28, 0xb5, 0x2f, 0xfd}
	zstdDictMagic  = []byte{0x5d, 0x2a, 0x4d, 0x18}
	errNotFrame    = errors.New("no zstd frame begins here")
	errZstdReserve = errors.New("zstd block of a reserved type")
)

// isSkippable recognises the sixteen magic numbers of skippable frames.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], zstdDictMagic[1:])
}

func isZstd(head []byte) bool { return bytes.HasPrefix(head, zstdMagic) || isSkippable(head) }

func newZstdSource(ctx context.Context, in *bufio.Reader, opt Options) (source, error) {
	options := []zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow),
	}
	if head, _ := in.Peek(len(zstdDictMagic)); bytes.Equal(head, zstdDictMagic) {
		in = bufio.NewReaderSize(in, maxZstdDict+8)
		dict, err := readDictionary(in)
		if err != nil {
			return nil, fmt.Errorf("zstd dictionary at the start of the archive: %w", err)
		}
		options = append(options, zstd.WithDecoderDicts(dict))
	}
	if _, err := zstd.NewReader(nil, options...); err != nil {
		return nil, fmt.Errorf("zstd dictionary at the start of the archive: %w", err)
	}
	newCodec := func() codec {
		dec, _ := zstd.NewReader(nil, options...) // the options were tried above
		return &zstdCodec{dec: dec}
	}
	asStream := func(s segment) (piece, error) { return piece{segment: s}, nil }
	return newMemberSource(ctx, in, 1, newCodec, asStream), nil
}

// readDictionary looks at the dictionary frame without consuming it. The
// dictionary in it may be compressed itself.
func readDictionary(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(8)
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	if size > maxZstdDict {
		return nil, fmt.Errorf("%d bytes are more than the limit of %d", size, maxZstdDict)
	}
	frame, err := in.Peek(8 + int(size))
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	dict := bytes.Clone(frame[8:])
	if !bytes.HasPrefix(dict, zstdMagic) {
		return dict, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxZstdDict))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(dict, nil)
}

// zstdCodec reads one zstd frame after another. A skippable frame is a member
// that holds nothing.
type zstdCodec struct {
	dec   *zstd.Decoder
	frame frameReader
	// skip is how many bytes of a skippable frame are left.
	skip      int64
	skippable bool
}

func (c *zstdCodec) magic() []byte        { return zstdMagic }
func (c *zstdCodec) begins(b []byte) bool { return bytes.HasPrefix(b, zstdMagic) }
func (c *zstdCodec) release()             { c.dec.Close() }

func (c *zstdCodec) probe(src *bufio.Reader) error { return c.open(src) }

func (c *zstdCodec) open(src *bufio.Reader) error {
	c.skip, c.skippable, c.frame = 0, false, frameReader{src: src}
	b, err := src.Peek(zstd.HeaderMaxSize)
	if len(b) == 0 {
		return err
	}
	var head zstd.Header
	if _, err := head.DecodeAndStrip(b); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		return errNotFrame
	}
	if head.Skippable {
		src.Discard(head.HeaderSize)
		c.skip, c.skippable = int64(head.SkippableSize), true
		return nil
	}
	c.frame.part, c.frame.checksum = int64(head.HeaderSize), head.HasCheckSum
	return c.dec.Reset(&c.frame)
}

func (c *zstdCodec) Read(p []byte) (int, error) {
	if !c.skippable {
		return c.dec.Read(p)
	}
	if c.skip == 0 {
		return 0, io.EOF
	}
	n, err := c.frame.src.Discard(int(min(c.skip, streamBuffer)))
	if c.skip -= int64(n); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

// frameReader passes on the bytes of one frame and ends with it: where a frame
// ends is known only from its blocks (RFC 8878, section 3.1.1).
type frameReader struct {
	src      *bufio.Reader
	part     int64 // bytes left of the part that state says
	state    frameState
	checksum bool
	last     bool
}

type frameState int

const (
	frameHeader frameState = iota
	frameBlock             // a block's header and content
	frameChecksum
)

func (f *frameReader) Read(p []byte) (int, error) {
	for f.part == 0 {
		if err := f.nextPart(); err != nil {
			return 0, err
		}
	}
	n, err := f.src.Read(p[:min(int64(len(p)), f.part)])
	f.part -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// nextPart finds out what follows the part that was read.
func (f *frameReader) nextPart() error {
	switch {
	case f.state == frameChecksum || f.last && !f.checksum:
		return io.EOF
	case f.last:
		f.state, f.part = frameChecksum, 4
		return nil
	}
	b, err := f.src.Peek(3)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	head := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
	const raw, runLength, reserved = 0, 1, 3
	f.state, f.last, f.part = frameBlock, head&1 != 0, 3
	switch head >> 1 & 3 {
	case runLength:
		f.part++
	case reserved:
		return errZstdReserve
	default:
		f.part += head >> 3
	}
	return nil
}
