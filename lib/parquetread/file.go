// Package parquetread reads columns from Parquet files that nobody vouches
// for: downloaded, damaged, written by any tool, or made to do harm.
//
// A Parquet file is full of sizes and counts that a reader is asked to believe
// (https://github.com/apache/parquet-format). Libraries do, and one flipped
// bit then makes them panic or take all memory. Here everything is checked
// against the file's real size, and against limits, before it is used; pages
// are decompressed into buffers of the announced size and no further; values
// are decoded one at a time from the page, so that no count can make anything
// grow. What is found wrong is an error that says where.
//
// The footer's and the page headers' structures are parquet-go's (its format
// package), and so is their decoding, which is safe after [checkStruct].
//
// Only what lies at the top of the schema and is not repeated can be read.
package parquetread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	magic    = "PAR1"
	tailSize = 8 // length of the footer, magic

	// maxFooter is the largest footer, in bytes, that is read. A file of
	// 30,000 rows has 40 KB, one of 1,000 row groups about 3 MB.
	maxFooter = 16 << 20
	// maxMemory is what all pages and dictionaries that are open at a time may
	// take, in bytes, for one file. A dictionary's list of where its values
	// begin comes on top; it is never longer than the dictionary.
	maxMemory = 64 << 20
)

// File is an open Parquet file. Its cursors share its memory and must not be
// used concurrently.
type File struct {
	r        io.ReaderAt
	meta     format.FileMetaData
	dataEnd  int64 // offset at which the footer starts
	columns  []Column
	memory   int64 // bytes that cursors may still take
	body     []byte
	unpacker unpacker
}

// Open reads and checks the footer of a file of size bytes. It does not read
// any data. The error does not name the file.
func Open(r io.ReaderAt, size int64) (f *File, err error) {
	defer recovered(&err)
	footer, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	f = &File{r: r, dataEnd: size - tailSize - int64(len(footer)), memory: maxMemory}
	if err := decodeStruct(footer, &f.meta); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if f.columns, err = topColumns(f.meta.Schema); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if err := f.checkGroups(); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return f, nil
}

func readFooter(r io.ReaderAt, size int64) ([]byte, error) {
	if size < int64(len(magic))+tailSize {
		return nil, fmt.Errorf("not a Parquet file: it has %d bytes", size)
	}
	var tail [tailSize]byte
	if err := readFull(r, tail[:], size-tailSize); err != nil {
		return nil, fmt.Errorf("last bytes: %w", err)
	}
	switch string(tail[4:]) {
	case magic:
	case "PARE":
		return nil, errors.New("an encrypted Parquet file, which is not supported")
	default:
		return nil, errors.New("not a whole Parquet file: it does not end in PAR1")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if limit := min(maxFooter, size-tailSize-int64(len(magic))); length > limit {
		return nil, fmt.Errorf("footer: length of %d bytes is over the limit of %d", length, limit)
	}
	footer := make([]byte, length)
	if err := readFull(r, footer, size-tailSize-length); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return footer, nil
}

// decodeStruct decodes all of b into the structure to.
func decodeStruct(b []byte, to any) error {
	n, err := checkStruct(b)
	if err != nil {
		return err
	}
	if n != len(b) {
		return fmt.Errorf("%d bytes follow it", len(b)-n)
	}
	var protocol thrift.CompactProtocol
	return thrift.NewDecoder(protocol.NewReaderFromBytes(b)).Decode(to)
}

// readFull reads all of b at offset; a short read is io.ErrUnexpectedEOF.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// recovered turns a panic below the caller into its error. Nothing here is
// known to panic; a file that nobody vouches for may know better.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("cannot be decoded: %v", p)
	}
}

// Rows is the number of rows.
func (f *File) Rows() int64 { return f.meta.NumRows }

// Groups is the number of row groups.
func (f *File) Groups() int { return len(f.meta.RowGroups) }

// GroupRows is the number of rows in a row group.
func (f *File) GroupRows(group int) int64 { return f.meta.RowGroups[group].NumRows }

// Columns are the columns that can be read, in the order of the schema.
func (f *File) Columns() []Column { return f.columns }

// Column finds a column by its name.
func (f *File) Column(name string) (Column, bool) {
	for _, c := range f.columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

// Metadata finds a key-value pair of the footer.
func (f *File) Metadata(key string) (string, bool) {
	for _, pair := range f.meta.KeyValueMetadata {
		if pair.Key == key {
			return pair.Value, true
		}
	}
	return "", false
}
