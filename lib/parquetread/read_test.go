package parquetread

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/iotest"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

// sample has a column of each kind that can be read.
type sample struct {
	Text   string   `parquet:"text"`
	Maybe  *string  `parquet:"maybe,optional"`
	Int32  int32    `parquet:"int32"`
	Int64  *int64   `parquet:"int64,optional"`
	Float  float32  `parquet:"float"`
	Double *float64 `parquet:"double,optional"`
	Time   int64    `parquet:"time,timestamp(microsecond)"`
	Flag   bool     `parquet:"flag"`
	List   []string `parquet:"list,list"`
}

func samples(n int) []sample {
	rows := make([]sample, n)
	for i := range rows {
		rows[i] = sample{
			Text: fmt.Sprintf("com,example%d)/a/path/%d", i/50, i*7919%1000), Int32: int32(i*i - 5000),
			Float: float32(i) / 3, Time: int64(i) * 1e9, Flag: i%2 == 0, List: []string{"a", "b"}[:i%3%2],
		}
		if i%5 > 0 && i/100 != 3 { // page after page of nulls too
			rows[i].Maybe = &[]string{"eng", "deu", "", "fra,eng"}[i%4]
			n, f := int64(math.MinInt64)+int64(i)<<40, math.Sqrt(float64(i))
			rows[i].Int64, rows[i].Double = &n, &f
		}
	}
	return rows
}

func write(t testing.TB, rows []sample, groupRows int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[sample](&out, append(options, parquet.MaxRowsPerRowGroup(int64(groupRows)))...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// same compares a value with the one that was written; nil is null.
func same(got Value, want any) bool {
	if got.Null {
		return want == nil
	}
	switch want := want.(type) {
	case string:
		return string(got.Bytes) == want
	case int64:
		return got.Int == want
	case float64:
		return got.Float == want
	}
	return false
}

// wanted are the values of a row by column.
func (s *sample) wanted() map[string]any {
	want := map[string]any{
		"text": s.Text, "int32": int64(s.Int32), "float": float64(s.Float), "time": s.Time,
		"maybe": nil, "int64": nil, "double": nil,
	}
	if s.Maybe != nil {
		want["maybe"], want["int64"], want["double"] = *s.Maybe, *s.Int64, *s.Double
	}
	return want
}

// check reads every step-th row and compares it.
func check(t *testing.T, file []byte, rows []sample, step int64) {
	t.Helper()
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != int64(len(rows)) {
		t.Fatalf("%d rows, want %d", f.Rows(), len(rows))
	}
	for name := range rows[0].wanted() {
		c, ok := f.Column(name)
		if !ok {
			t.Fatalf("no column %s", name)
		}
		cursor := f.Cursor(c)
		base := int64(0)
		for g := range f.Groups() {
			cursor.Open(g)
			for i := int64(0); i < f.GroupRows(g); i += step {
				v, err := cursor.Next()
				if err != nil {
					t.Fatal(err)
				}
				if want := rows[base+i].wanted()[name]; !same(v, want) {
					t.Fatalf("%s of row %d: %+v, want %v", name, base+i, v, want)
				}
				if err := cursor.Skip(min(step, f.GroupRows(g)-i) - 1); err != nil {
					t.Fatal(err)
				}
			}
			base += f.GroupRows(g)
			if _, err := cursor.Next(); err == nil {
				t.Fatalf("%s: a row after the last one", name)
			}
		}
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}

func TestReadsWhatAnyWriterMayChoose(t *testing.T) {
	rows := samples(1000)
	codecs := []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd}
	texts := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray}
	ints := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked, &parquet.ByteStreamSplit}
	floats := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit, &parquet.Plain}
	for version := 1; version <= 2; version++ {
		for i, codec := range codecs {
			for j := range texts {
				name := fmt.Sprintf("v%d %s %s %s %s", version, codec, texts[j], ints[j], floats[j])
				t.Run(name, func(t *testing.T) {
					file := write(t, rows, 400+100*i, parquet.DataPageVersion(version), parquet.Compression(codec), parquet.PageBufferSize(500),
						parquet.DefaultEncodingFor(parquet.ByteArray, texts[j]),
						parquet.DefaultEncodingFor(parquet.Int32, ints[j]), parquet.DefaultEncodingFor(parquet.Int64, ints[j]),
						parquet.DefaultEncodingFor(parquet.Float, floats[j]), parquet.DefaultEncodingFor(parquet.Double, floats[j]))
					for _, step := range []int64{1, 7, 333} {
						check(t, file, rows, step)
					}
				})
			}
		}
	}
}

func TestColumns(t *testing.T) {
	file := write(t, samples(10), 10)
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Columns() {
		names = append(names, c.Name)
	}
	// The list is not at the top of the schema, and may have many values a row.
	if got, want := fmt.Sprint(names), "[text maybe int32 int64 float double time flag]"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if c, _ := f.Column("time"); c.Unit != time.Microsecond || c.Optional {
		t.Errorf("time is %+v", c)
	}
	if c, _ := f.Column("maybe"); c.Kind != Bytes || !c.Optional {
		t.Errorf("maybe is %+v", c)
	}
	flag, _ := f.Column("flag")
	cursor := f.Cursor(flag)
	cursor.Open(0)
	if _, err := cursor.Next(); err == nil {
		t.Error("booleans are not read, but give no error")
	}
}

func TestMetadata(t *testing.T) {
	file := write(t, samples(3), 10, parquet.KeyValueMetadata("k", "v"))
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := f.Metadata("k"); v != "v" || !ok {
		t.Errorf("k is %q, %v", v, ok)
	}
	if _, ok := f.Metadata("absent"); ok {
		t.Error("absent is there")
	}
}

// TestMemoryComesBack reads a file over and over: its cursors share a memory
// that would otherwise run out.
func TestMemoryComesBack(t *testing.T) {
	file := write(t, samples(1000), 500)
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := f.Column("text")
	var least int64
	for i := range 100 {
		c := f.Cursor(text)
		for g := range f.Groups() {
			c.Open(g)
			if _, err := c.Next(); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
		if i == 0 {
			least = f.memory
		} else if f.memory != least {
			t.Fatalf("%d bytes are left, not %d", f.memory, least)
		}
	}
}

func TestMayContain(t *testing.T) {
	rows := samples(1000)
	file := write(t, rows, 500, parquet.BloomFilters(parquet.SplitBlockFilter(10, "text")))
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := f.Column("text")
	absent := 0
	for i, row := range rows {
		may, err := f.MayContain(i/500, text, row.Text)
		if err != nil || !may {
			t.Fatalf("%s is in group %d: %v, %v", row.Text, i/500, may, err)
		}
		if may, _ := f.MayContain(0, text, fmt.Sprint("absent", i)); !may {
			absent++
		}
	}
	if absent < 900 {
		t.Errorf("only %d of 1000 absent values were ruled out", absent)
	}
	maybe, _ := f.Column("maybe")
	if may, err := f.MayContain(0, maybe, "x"); !may || err != nil {
		t.Errorf("a column without a filter: %v, %v", may, err)
	}
}

// TestReadErrors has a byte that cannot be read, and a source that gives an
// error together with the last bytes, as an io.ReaderAt may.
func TestReadErrors(t *testing.T) {
	file := write(t, samples(100), 50)
	met := 0
	for fail := range int64(len(file)) {
		f, err := Open(failing{file, fail}, int64(len(file)))
		if err == nil {
			err = f.Check()
		}
		if err != nil && !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("byte %d: %v", fail, err)
		}
		if err != nil {
			met++
		}
	}
	// The rest are the first four bytes, the list and the page index.
	if met < len(file)*4/5 {
		t.Errorf("only %d of %d bytes were read", met, len(file))
	}
}

// failing cannot read the byte at fail.
type failing struct {
	b    []byte
	fail int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off <= f.fail && f.fail < off+int64(len(p)) {
		return copy(p, f.b[off:f.fail]), iotest.ErrTimeout
	}
	n := copy(p, f.b[off:])
	if n < len(p) || off+int64(n) == int64(len(f.b)) {
		return n, fmt.Errorf("with the last bytes: %w", iotest.ErrTimeout)
	}
	return n, nil
}
