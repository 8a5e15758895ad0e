package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// testRecord is a record's bytes as an archive stores them, without the blank
// lines after it.
func testRecord(kind, url string, block []byte) []byte {
	head := fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-07-01T02:25:01Z\r\n"+
		"Content-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n", kind, url, len(block))
	return append([]byte(head), block...)
}

const trailer = "\r\n\r\n"

// testRecords makes n records with blocks of text and noise of many lengths.
func testRecords(n int) [][]byte {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([][]byte, n)
	for i := range out {
		block := bytes.Repeat([]byte("news and more news, "), rng.IntN(400))
		noise := make([]byte, rng.IntN(3000))
		for j := range noise {
			noise[j] = byte(rng.Uint32())
		}
		out[i] = testRecord("response", fmt.Sprintf("https://example.com/%d", i), append(block, noise...))
	}
	return out
}

// packer is one for all members: making one costs more than packing a record.
var packer = gzip.NewWriter(nil)

func gzipMember(parts ...[]byte) []byte {
	var out bytes.Buffer
	packer.Reset(&out)
	for _, p := range parts {
		packer.Write(p)
	}
	packer.Close()
	return out.Bytes()
}

// perMember stores each record as a member, as nearly all archives do.
func perMember(records [][]byte) []byte {
	var out []byte
	for _, rec := range records {
		out = append(out, gzipMember(rec, []byte(trailer))...)
	}
	return out
}

func plain(records [][]byte) []byte {
	var out []byte
	for _, rec := range records {
		out = append(append(out, rec...), trailer...)
	}
	return out
}

// result is what reading an archive gave.
type result struct {
	records []*Record
	damages []Damage
	stats   Stats
	err     error
}

func read(r io.Reader, opt Options) (res result) {
	opt.OnDamage = func(d Damage) { res.damages = append(res.damages, d) }
	if opt.MaxBlock == 0 {
		opt.MaxBlock = 1 << 30
	}
	reader, err := NewReader(context.Background(), r, opt)
	if err != nil {
		res.err = err
		return res
	}
	defer reader.Close()
	for rec, err := range reader.Records() {
		if err != nil {
			res.err = err
			break
		}
		res.records = append(res.records, rec)
	}
	res.stats = reader.Stats()
	return res
}

func readBytes(archive []byte) result {
	return read(bytes.NewReader(archive), Options{Jobs: 2, Size: int64(len(archive))})
}

// urls are the records' URLs, and so which of testRecords they are.
func (res result) urls() []string {
	var out []string
	for _, rec := range res.records {
		out = append(out, rec.Header.Get("warc-target-uri"))
	}
	return out
}

// checkRecords checks that res has exactly the records of want, block for block,
// and that nothing was reported.
func checkRecords(t *testing.T, res result, want [][]byte) {
	t.Helper()
	if res.err != nil || len(res.damages) > 0 {
		t.Errorf("error %v, damages %v", res.err, res.damages)
	}
	if len(res.records) != len(want) {
		t.Fatalf("%d records, want %d", len(res.records), len(want))
	}
	for i, rec := range res.records {
		if !bytes.HasSuffix(want[i], rec.Block) || int64(len(rec.Block)) != rec.BlockLength {
			t.Fatalf("record %d: block of %d bytes is not the one written", i, rec.BlockLength)
		}
	}
}

func newBuffered(b []byte) *bufio.Reader { return bufio.NewReaderSize(bytes.NewReader(b), detectSize) }
