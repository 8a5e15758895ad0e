package parquetread

// Bounds are the least and the greatest value of a [Bytes] column in a row group, as
// its statistics say. They may be wider than the values, never narrower, as far as
// the footer's bytes are intact. ok is false if the file does not have them; a
// column of nulls has none. Nulls lie outside of all bounds.
func (f *File) Bounds(group int, c Column) (least, greatest []byte, ok bool) {
	stats := &f.meta.RowGroups[group].Columns[c.index].MetaData.Statistics
	// An empty greatest value is one that is not there, or that of a column which
	// nobody needs bounds for.
	return stats.MinValue, stats.MaxValue, len(stats.MaxValue) > 0
}

// Chunk is where the values of a column of a row group lie in the file: length
// bytes from offset on, compressed.
func (f *File) Chunk(group int, c Column) (offset, length int64) {
	meta := &f.meta.RowGroups[group].Columns[c.index].MetaData
	return chunkStart(meta), meta.TotalCompressedSize
}
