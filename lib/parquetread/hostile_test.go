package parquetread

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// readAll reads everything that a file has, and returns how many values that
// were, and the first error.
func readAll(file []byte) (values int, err error) {
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return 0, err
	}
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	for _, c := range f.Columns() {
		if c.Kind == Opaque {
			continue
		}
		cursor := f.Cursor(c)
		for g := range f.Groups() {
			if c.Kind == Bytes {
				_, e := f.MayContain(g, c, "eng")
				keep(e)
			}
			cursor.Open(g)
			// A page of a few bytes can announce two thousand million nulls.
			for range min(f.GroupRows(g), 100_000) {
				if _, e := cursor.Next(); e != nil {
					keep(e)
					break
				}
				values++
			}
		}
	}
	keep(f.Check())
	return values, err
}

// allocated is how many bytes do allocates in all.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostileSamples are files that together use all that a file can use.
func hostileSamples(t testing.TB, n int) [][]byte {
	rows := samples(n)
	filter := parquet.BloomFilters(parquet.SplitBlockFilter(10, "text"), parquet.SplitBlockFilter(10, "maybe"))
	return [][]byte{
		write(t, rows, 100, filter, parquet.Compression(&parquet.Zstd), parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary)),
		write(t, rows, 300, filter, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)),
		write(t, rows, 300, parquet.Compression(&parquet.Gzip), parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray),
			parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked), parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked)),
		write(t, rows, 300, parquet.Compression(&parquet.Uncompressed)),
	}
}

// TestFlippedBits reads damaged files: each is read to some extent, and neither
// panics nor takes memory without bounds.
func TestFlippedBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	flips := 400
	if testing.Short() {
		flips = 100
	}
	for n, file := range hostileSamples(t, 300) {
		failed := 0
		for range flips {
			bit := rnd.IntN(8 * len(file))
			if rnd.IntN(3) == 0 { // the footer is where most harm is done
				size := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
				bit = 8*(len(file)-8-size) + rnd.IntN(8*(size+8))
			}
			damaged := bytes.Clone(file)
			damaged[bit/8] ^= 1 << (bit % 8)
			bytesUsed := allocated(func() {
				if _, err := readAll(damaged); err != nil {
					failed++
				}
			})
			if bytesUsed > 2*maxMemory {
				t.Errorf("file %d, bit %d: %d bytes allocated", n, bit, bytesUsed)
			}
		}
		t.Logf("file %d of %d bytes: %d of %d flips noticed", n, len(file), failed, flips)
	}
}

func TestCutFiles(t *testing.T) {
	file := hostileSamples(t, 300)[0]
	for n := 0; n < len(file); n += 13 {
		if _, err := readAll(file[:n]); err == nil {
			t.Errorf("no error for the first %d bytes", n)
		}
	}
}

// TestBombs unpacks little that would become much.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 64<<20)
	encoder, _ := zstd.NewWriter(nil)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(zeros)
	z.Close()
	streamed := new(bytes.Buffer) // without the size in its header
	w, _ := zstd.NewWriter(streamed)
	w.Write(zeros)
	w.Close()
	for name, bomb := range map[format.CompressionCodec][][]byte{
		format.Zstd: {encoder.EncodeAll(zeros, nil), streamed.Bytes()}, format.Gzip: {zipped.Bytes()}, format.Snappy: {snappy.Encode(nil, zeros)},
	} {
		for _, src := range bomb {
			var err error
			n := allocated(func() {
				var u unpacker
				err = u.unpack(name, make([]byte, 1000), src)
			})
			if err == nil || n > 4<<20 {
				t.Errorf("%s: %d bytes become 64 MiB, error %v, %d bytes allocated", name, len(src), err, n)
			}
		}
	}
}

func TestPagesOfAnotherSize(t *testing.T) {
	text := []byte("twelve bytes")
	encoder, _ := zstd.NewWriter(nil)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(text)
	z.Close()
	for codec, src := range map[format.CompressionCodec][]byte{
		format.Uncompressed: text, format.Zstd: encoder.EncodeAll(text, nil), format.Gzip: zipped.Bytes(), format.Snappy: snappy.Encode(nil, text),
	} {
		for size := range 30 {
			var u unpacker
			dst := make([]byte, size)
			err := u.unpack(codec, dst, src)
			if ok := err == nil; ok != (size == len(text)) || ok && !bytes.Equal(dst, text) {
				t.Errorf("%s into %d bytes: %q, %v", codec, size, dst, err)
			}
		}
	}
}

// TestStructures has structures that lie about their size.
func TestStructures(t *testing.T) {
	deep := bytes.Repeat([]byte{0x1c}, 1000) // a field of type struct, over and over
	for name, b := range map[string][]byte{
		"list of 2^31 structs":     append([]byte{0x19, 0xfc}, binary.AppendUvarint(nil, 1<<31)...),
		"list of a million empty":  append(append([]byte{0x19, 0xfc}, binary.AppendUvarint(nil, 1e6)...), make([]byte, 1e6+1)...),
		"string of 2^40 bytes":     append([]byte{0x18}, binary.AppendUvarint(nil, 1<<40)...),
		"nested too deep":          append(deep, make([]byte, 1001)...),
		"number without an end":    append([]byte{0x16}, bytes.Repeat([]byte{0xff}, 20)...),
		"unknown type":             {0x1f, 0},
		"map":                      {0x1b, 0, 0},
		"nothing":                  {},
		"field number without end": {0x05},
	} {
		if n, err := checkStruct(b); err == nil {
			t.Errorf("%s: no error, %d bytes", name, n)
		}
	}
	for _, size := range []uintptr{unsafe.Sizeof(format.ColumnChunk{}), unsafe.Sizeof(format.RowGroup{}), unsafe.Sizeof(format.SchemaElement{})} {
		if size > structCost {
			t.Errorf("a structure of %d bytes costs more than %d", size, structCost)
		}
	}
}

func FuzzOpenNeverPanics(f *testing.F) {
	for _, file := range hostileSamples(f, 10) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if n := allocated(func() { readAll(file) }); n > 4*maxMemory {
			t.Errorf("%d bytes allocated", n)
		}
	})
}

// FuzzDecodersEnd decodes pages of any bytes: a decoder gives an error at the
// latest when it has given more values than the page has bits for.
func FuzzDecodersEnd(f *testing.F) {
	f.Add(uint8(format.Plain), []byte{1, 0, 0, 0, 'x'})
	f.Add(uint8(format.DeltaBinaryPacked), []byte{128, 1, 4, 10, 2, 2, 0, 0, 0, 0})
	f.Add(uint8(format.RLEDictionary), []byte{1, 3, 0xff})
	f.Fuzz(func(t *testing.T, encoding uint8, page []byte) {
		dict := new(dictionary)
		dict.load([]byte{1, 0, 0, 0, 'a', 0, 0, 0, 0}, 2, format.ByteArray)
		for _, physical := range []format.Type{format.ByteArray, format.Int32, format.Int64, format.Double, format.Boolean} {
			d, err := newDecoder(format.Encoding(encoding%10), physical, page, dict)
			n := 0
			for ; err == nil && n < 10000; n++ {
				_, err = d.next()
			}
			// The others may say that a value comes again and again: readers stop at the page's count.
			if e := format.Encoding(encoding % 10); (e == format.Plain || e == format.ByteStreamSplit) && n > 8*len(page)+1 {
				t.Fatalf("%v %v: %d values of %d bytes", e, physical, n, len(page))
			}
		}
	})
}
