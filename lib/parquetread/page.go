package parquetread

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// bufferSize is how many bytes of a column are read at a time, at most, and the
// length of the longest page header that is accepted.
const bufferSize = 128 << 10

// pages reads the pages of one column of one row group one after the other,
// each checked before anything is done with it.
type pages struct {
	file   *File
	in     *bufio.Reader
	chunk  *format.ColumnMetaData
	offset int64 // of the next page
	left   int64 // bytes after offset
	values int64 // values in the pages after offset
	first  bool
}

// open starts at the first page.
func (p *pages) open(f *File, group int, c Column) {
	p.chunk = &f.meta.RowGroups[group].Columns[c.index].MetaData
	p.file, p.offset, p.left = f, chunkStart(p.chunk), p.chunk.TotalCompressedSize
	p.values, p.first = p.chunk.NumValues, true
	section := io.NewSectionReader(f.r, p.offset, p.left)
	if size := int(min(p.left, bufferSize)); p.in == nil || p.in.Size() < size {
		p.in = bufio.NewReaderSize(section, size)
	} else {
		p.in.Reset(section)
	}
}

// next reads a page's header; the body must then be read or skipped.
func (p *pages) next() (*format.PageHeader, error) {
	head, err := p.peekHeader()
	if err != nil {
		return nil, p.fail(fmt.Errorf("header: %w", err))
	}
	header := new(format.PageHeader)
	if err := decodeStruct(head, header); err != nil {
		return nil, p.fail(fmt.Errorf("header: %w", err))
	}
	p.in.Discard(len(head))
	p.offset, p.left = p.offset+int64(len(head)), p.left-int64(len(head))
	if err := p.check(header); err != nil {
		return nil, p.fail(err)
	}
	p.first = false
	return header, nil
}

// peekHeader looks at the whole structure that comes next, and no further.
func (p *pages) peekHeader() ([]byte, error) {
	for want := 512; ; want *= 4 {
		b, readErr := p.in.Peek(min(want, p.in.Size()))
		n, err := checkStruct(b)
		if err == nil {
			return b[:n:n], nil
		}
		if err != io.ErrUnexpectedEOF || readErr != nil || want >= p.in.Size() {
			if readErr != nil && readErr != io.EOF {
				err = readErr
			}
			return nil, err
		}
	}
}

// check compares what a header announces with what is left of the column.
func (p *pages) check(h *format.PageHeader) error {
	if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > p.left {
		return fmt.Errorf("%d bytes, but the column has %d left", h.CompressedPageSize, p.left)
	}
	if h.UncompressedPageSize < 0 || h.UncompressedPageSize > maxMemory || h.CompressedPageSize > maxMemory {
		return fmt.Errorf("%d bytes are over the limit of %d", h.UncompressedPageSize, maxMemory)
	}
	switch h.Type {
	case format.DictionaryPage:
		if !p.first || !h.DictionaryPageHeader.Valid || h.DictionaryPageHeader.V.NumValues < 0 {
			return errors.New("a dictionary out of place")
		}
		return nil
	case format.DataPage, format.DataPageV2:
	default:
		return fmt.Errorf("type %s", h.Type)
	}
	n, err := pageValues(h)
	if err != nil {
		return err
	}
	if n > p.values {
		return fmt.Errorf("%d values, but the column has %d left", n, p.values)
	}
	p.values -= n
	return nil
}

// pageValues is the number of values, nulls among them, of a data page.
func pageValues(h *format.PageHeader) (int64, error) {
	n := int32(-1)
	switch v1, v2 := h.DataPageHeader, h.DataPageHeaderV2; {
	case h.Type == format.DataPage && v1.Valid:
		n = v1.V.NumValues
	case h.Type == format.DataPageV2 && v2.Valid:
		n = v2.V.NumValues
		levels := int64(v2.V.DefinitionLevelsByteLength) + int64(v2.V.RepetitionLevelsByteLength)
		if v2.V.DefinitionLevelsByteLength < 0 || v2.V.RepetitionLevelsByteLength < 0 ||
			levels > int64(min(h.CompressedPageSize, h.UncompressedPageSize)) {
			return 0, errors.New("levels longer than the page")
		}
	}
	if n < 0 {
		return 0, errors.New("header without a number of values")
	}
	return int64(n), nil
}

func (p *pages) skip(h *format.PageHeader) error {
	size := int64(h.CompressedPageSize)
	if _, err := p.in.Discard(int(size)); err != nil {
		return p.fail(endless(err))
	}
	p.offset, p.left = p.offset+size, p.left-size
	return nil
}

// read returns the page's body as stored, valid until the file's next read.
func (p *pages) read(h *format.PageHeader) ([]byte, error) {
	f, size := p.file, int(h.CompressedPageSize)
	body, err := f.resize(f.body, size)
	if err != nil {
		return nil, p.fail(err)
	}
	f.body = body
	if _, err := io.ReadFull(p.in, body); err != nil {
		return nil, p.fail(endless(err))
	}
	if h.CRC != 0 && crc32.ChecksumIEEE(body) != uint32(h.CRC) {
		return nil, p.fail(errors.New("checksum does not match"))
	}
	p.offset, p.left = p.offset+int64(size), p.left-int64(size)
	return body, nil
}

// unpack returns the levels, if the page has any, and the values of a body,
// using buf. The levels are those of the definition: 1 for a value, 0 for null.
func (p *pages) unpack(h *format.PageHeader, body, buf []byte, optional bool) (levels, values, newBuf []byte, err error) {
	codec, size := p.chunk.Codec, int(h.UncompressedPageSize)
	var above []byte // what a version 2 page stores before its compressed part
	if h.Type == format.DataPageV2 {
		v2 := &h.DataPageHeaderV2.V
		repetition := int(v2.RepetitionLevelsByteLength)
		end := repetition + int(v2.DefinitionLevelsByteLength)
		above, body, size = body[repetition:end], body[end:], size-end
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	if newBuf, err = p.file.resize(buf, len(above)+size); err != nil {
		return nil, nil, buf, err
	}
	values = newBuf[copy(newBuf, above):]
	if size > 0 || len(body) > 0 {
		if err := p.file.unpacker.unpack(codec, values, body); err != nil {
			return nil, nil, newBuf, err
		}
	}
	if h.Type == format.DataPage && optional {
		levels, values, err = cutLevels(values, h.DataPageHeader.V.DefinitionLevelEncoding)
	} else {
		levels = newBuf[:len(above)]
	}
	return levels, values, newBuf, err
}

// cutLevels takes the levels off a version 1 page.
func cutLevels(b []byte, encoding format.Encoding) (levels, rest []byte, err error) {
	if encoding != format.RLE {
		return nil, nil, fmt.Errorf("levels encoded as %s", encoding)
	}
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, nil, errors.New("levels longer than the page")
	}
	end := 4 + int(binary.LittleEndian.Uint32(b))
	return b[4:end], b[end:], nil
}

// resize makes room for n bytes in buf, as far as the file's memory goes.
func (f *File) resize(buf []byte, n int) ([]byte, error) {
	if n <= cap(buf) {
		return buf[:n], nil
	}
	if grow := int64(n - cap(buf)); grow <= f.memory {
		f.memory -= grow
		return make([]byte, n), nil
	}
	return nil, fmt.Errorf("pages open at a time take more than the limit of %d bytes", maxMemory)
}

// fail says where err is.
func (p *pages) fail(err error) error { return fmt.Errorf("page before byte %d: %w", p.offset, err) }

func endless(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
