package parquetread

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/bloom/xxhash"
	"github.com/parquet-go/parquet-go/format"
)

// MayContain asks a row group's bloom filter of a [Bytes] column for a value.
// False is certain, as far as the filter's bytes are intact: Parquet has no
// checksum for them. Without a filter that is understood the answer is true.
func (f *File) MayContain(group int, c Column, value string) (may bool, err error) {
	defer recovered(&err)
	offset := f.meta.RowGroups[group].Columns[c.index].MetaData.BloomFilterOffset
	if offset == 0 || c.physical != format.ByteArray {
		return true, nil
	}
	const longest = 64 // bytes of a header; a usual one has 15
	if offset < 0 || offset > f.dataEnd {
		return false, fmt.Errorf("column %s: bloom filter at %d is not inside the data", c.Name, offset)
	}
	head := make([]byte, min(longest, f.dataEnd-offset))
	if err := readFull(f.r, head, offset); err != nil {
		return false, fmt.Errorf("column %s: bloom filter: %w", c.Name, err)
	}
	n, err := checkStruct(head)
	var header format.BloomFilterHeader
	if err == nil {
		err = decodeStruct(head[:n], &header)
	}
	if err != nil {
		return false, fmt.Errorf("column %s: bloom filter: %w", c.Name, err)
	}
	offset, size := offset+int64(n), int64(header.NumBytes)
	if size <= 0 || size%bloom.BlockSize != 0 || size > f.dataEnd-offset {
		return false, fmt.Errorf("column %s: bloom filter of %d bytes at %d", c.Name, size, offset)
	}
	if !understood(&header) {
		return true, nil
	}
	section := io.NewSectionReader(f.r, offset, size)
	return bloom.CheckSplitBlock(section, size, xxhash.Sum64([]byte(value)))
}

// Filters is where the bloom filters of a column lie in the file, as far as the
// footer: length bytes from offset on. Other things may lie between them. ok is false
// if there are none.
func (f *File) Filters(c Column) (offset, length int64, ok bool) {
	offset = f.dataEnd
	for _, group := range f.meta.RowGroups {
		if at := group.Columns[c.index].MetaData.BloomFilterOffset; at > 0 {
			offset = min(offset, at)
		}
	}
	return offset, f.dataEnd - offset, offset < f.dataEnd
}

// understood reports whether a filter is of the one kind that the format has
// so far, uncompressed.
func understood(h *format.BloomFilterHeader) bool {
	_, split := h.Algorithm.Value.(*format.SplitBlockAlgorithm)
	_, hash := h.Hash.Value.(*format.XxHash)
	_, plain := h.Compression.Value.(*format.BloomFilterUncompressed)
	return split && hash && plain
}
