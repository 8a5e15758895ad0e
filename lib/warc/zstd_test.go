package warc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// zstdFrames stores each record as a frame; no public archive of this kind is at
// hand.
func zstdFrames(t testing.TB, records [][]byte, opts ...zstd.EOption) (out []byte) {
	enc, err := zstd.NewWriter(nil, append(opts, zstd.WithEncoderCRC(true))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		out = enc.EncodeAll(append(bytes.Clone(rec), trailer...), out)
	}
	return out
}

// skippable is a skippable frame; the dictionary's has nibble 0xd.
func skippable(nibble byte, content []byte) []byte {
	head := []byte{0x50 | nibble, 0x2a, 0x4d, 0x18, 0, 0, 0, 0}
	binary.LittleEndian.PutUint32(head[4:], uint32(len(content)))
	return append(head, content...)
}

func testDict(t testing.TB) []byte {
	var samples [][]byte
	for i := range 100 {
		samples = append(samples, testRecord("response", fmt.Sprint("https://example.com/", i), []byte(strings.Repeat("sample text ", i))))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: samples[50], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	return dict
}

func TestZstdLayouts(t *testing.T) {
	records := testRecords(60)
	dict := testDict(t)
	withDict := zstdFrames(t, records, zstd.WithEncoderDict(dict))
	small, _ := zstd.NewWriter(nil)
	halves := append(small.EncodeAll(records[0][:150], nil), small.EncodeAll(append(bytes.Clone(records[0][150:]), trailer...), nil)...)
	for name, archive := range map[string][]byte{
		"frames":                zstdFrames(t, records),
		"dictionary":            append(skippable(0xd, dict), withDict...),
		"compressed dictionary": append(skippable(0xd, small.EncodeAll(dict, nil)), withDict...),
		"skippable frames":      append(append(skippable(3, []byte("x")), zstdFrames(t, records)...), skippable(15, nil)...),
		"empty frames":          append(append(zstdFrames(t, records[:1]), small.EncodeAll(nil, nil)...), zstdFrames(t, records[1:])...),
		"two frames a record":   append(halves, zstdFrames(t, records[1:])...),
	} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.HalfReader} {
			t.Run(name, func(t *testing.T) {
				res := read(wrap(bytes.NewReader(archive)), Options{Size: int64(len(archive))})
				checkRecords(t, res, records)
				last := res.records[len(res.records)-1]
				dec, _ := zstd.NewReader(bytes.NewReader(archive[last.Offset:last.Offset+last.Length]), zstd.WithDecoderDicts(dict))
				if b, err := io.ReadAll(dec); err != nil || !bytes.HasPrefix(b, records[59]) {
					t.Errorf("the span %d+%d is not the record: %v", last.Offset, last.Length, err)
				}
			})
		}
	}
}

func TestZstdDamageCostsOnlyWhatItTouches(t *testing.T) {
	records := testRecords(50)
	archive := zstdFrames(t, records)
	whole := readBytes(archive).records
	rng := rand.New(rand.NewPCG(8, 8))
	for round := range 100 {
		damaged, from, to := harm(rng, archive)
		if from < 4 {
			continue // no longer recognised as zstd
		}
		res := readBytes(damaged)
		got := map[string]bool{}
		for _, url := range res.urls() {
			got[url] = true
		}
		for _, rec := range whole {
			touched := from < rec.Offset+rec.Length && to > rec.Offset
			if url := rec.Header.Get("warc-target-uri"); touched == got[url] && !(touched && res.stats.Damaged == 0) {
				t.Fatalf("round %d: damage of %d to %d, record at %d+%d: there %v: %v %v", round, from, to, rec.Offset, rec.Length, got[url], res.err, res.damages)
			}
		}
	}
}

func TestZstdLimits(t *testing.T) {
	wide, _ := zstd.NewWriter(nil, zstd.WithWindowSize(128<<20), zstd.WithSingleSegment(false))
	var frame bytes.Buffer
	wide.Reset(&frame)
	wide.Write(append(testRecord("response", "http://a/", make([]byte, 100<<20)), trailer...))
	wide.Close()
	res := readBytes(frame.Bytes())
	if len(res.records) != 0 || len(res.damages) == 0 || !strings.Contains(res.damages[0].String(), "window") {
		t.Errorf("a window of 128 MiB: %d records, %v", len(res.records), res.damages)
	}
	for name, archive := range map[string][]byte{
		"large":  skippable(0xd, make([]byte, 17<<20)),
		"cut":    skippable(0xd, make([]byte, 100))[:50],
		"broken": skippable(0xd, []byte("\x37\xa4\x30\xecnonsense")),
	} {
		if res := readBytes(archive); res.err == nil || !strings.Contains(res.err.Error(), "zstd dictionary") {
			t.Errorf("%s dictionary: %v", name, res.err)
		}
	}
}

// A frame's end is found from its blocks exactly as the decoder finds it.
func FuzzZstdFramesEndWhereTheDecoderSays(f *testing.F) {
	f.Add(zstdFrames(f, testRecords(2)))
	f.Add(append(skippable(3, []byte("x")), zstdFrames(f, testRecords(1))...))
	f.Fuzz(func(t *testing.T, frames []byte) {
		if !isZstd(frames) || bytes.HasPrefix(frames, zstdDictMagic) {
			return
		}
		dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			t.Fatal(err)
		}
		defer dec.Close()
		want, err := dec.DecodeAll(frames, nil)
		if err != nil {
			return
		}
		src, err := newZstdSource(t.Context(), newBuffered(frames), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.close()
		var got []byte
		for {
			c, err := src.next()
			if err == io.EOF {
				break
			}
			if err != nil || c.lost != nil {
				t.Fatalf("%v, %v", err, c.lost)
			}
			got = append(got, c.data...)
		}
		if !bytes.Equal(got, want) || src.read() != int64(len(frames)) {
			t.Fatalf("%d bytes of %d, %d stored of %d", len(got), len(want), src.read(), len(frames))
		}
	})
}
