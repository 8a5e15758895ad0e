package httpmsg

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// newPage makes a page with enough variety that no coding makes it tiny.
func newPage(paragraphs int) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><title>news</title>")
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>%x the %d. paragraph</p>\n", i*i*7919, i)
	}
	return b.String()
}

var page = newPage(500)

func pack(coding, s string) string {
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zlib":
		w = zlib.NewWriter(&out)
	case "deflate":
		w, _ = flate.NewWriter(&out, 6)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, _ = zstd.NewWriter(&out)
	}
	io.WriteString(w, s)
	w.Close()
	return out.String()
}

func chunk(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(len(s), 1000)
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, s[:n])
		s = s[n:]
	}
	return b.String() + "0\r\n\r\n"
}

func header(pairs ...string) (h Header) {
	for i := 0; i < len(pairs); i += 2 {
		h = append(h, Field{Name: pairs[i], Values: []string{pairs[i+1]}})
	}
	return h
}

func TestDecode(t *testing.T) {
	const te, ce, ct = "transfer-encoding", "content-encoding", "content-type"
	gz, png := pack("gzip", page), "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x04\x00"
	tests := []struct {
		name   string
		header Header
		body   string
		want   string // equal to body: unchanged
	}{
		{"plain", nil, page, page},
		{"empty", header(te, "chunked", ce, "gzip"), "", ""},
		{"gzip", header(ce, "gzip"), gz, page},
		{"x-gzip, upper case", header(ce, "X-GZIP"), gz, page},
		{"gzip of nothing", header(ce, "gzip"), pack("gzip", ""), ""},
		{"two members", header(ce, "gzip"), pack("gzip", "a") + pack("gzip", "b"), "ab"},
		{"junk after the member", header(ce, "gzip"), gz + "junk", page},
		{"zstd", header(ce, "zstd"), pack("zstd", page), page},
		{"deflate as zlib", header(ce, "deflate"), pack("zlib", page), page},
		{"deflate bare", header(ce, "deflate"), pack("deflate", page), page},
		{"br", header(ce, "br"), pack("br", page), page},
		{"gzip declared, br is undone below it", header(ce, "br, gzip"), gz, page},
		{"stacked", header(ce, "gzip, br"), pack("br", gz), page},
		{"stacked in two fields", Header{{Name: ce, Values: []string{"gzip", "br"}}}, pack("br", gz), page},
		{"gzip declared, deflate sent", header(ce, "gzip"), pack("zstd", page), page},
		{"as a transfer coding", header(te, "gzip, chunked"), chunk(gz), page},
		{"chunked", header(te, "chunked"), chunk(page), page},
		{"chunked and gzip", header(te, "Chunked", ce, "gzip"), chunk(gz), page},
		{"chunked twice in the header", Header{{Name: te, Values: []string{"chunked", "chunked"}}}, chunk(page), page},

		{"gzip undone already", header(ce, "gzip", te, "chunked"), page, page},
		{"br undone already", header(ce, "br"), page, page},
		{"deflate undone already", header(ce, "deflate"), page, page},
		{"br undone already, an image", header(ce, "br"), png, png},
		{"deflate undone already, an image", header(ce, "deflate"), png, png},
		{"gzip not declared, text", header(ct, "text/html; charset=utf-8"), gz, page},
		{"gzip twice, declared once, text", header(ce, "gzip", ct, "text/html"), pack("gzip", gz), page},
		{"gzip not declared, an archive", header(ct, "application/gzip"), gz, gz},
		{"an archive in chunks", header(ct, "application/gzip", te, "chunked"), chunk(gz), gz},
		{"an archive in gzip", header(ct, "application/gzip", ce, "gzip"), pack("gzip", gz), gz},
		{"gzip not declared, no type", nil, gz, gz},
		{"unknown coding", header(ce, "utf-8", ct, "image/png"), gz, gz},
		{"masked names", header("x-crawler-transfer-encoding", "chunked"), chunk(page), chunk(page)},
		{"no gzip behind the magic", header(ce, "gzip"), "\x1f\x8b\x08 no", "\x1f\x8b\x08 no"},
		{"the magic alone", header(ce, "gzip"), "\x1f\x8b", "\x1f\x8b"},
		{"gzip with a wrong checksum", header(ce, "gzip"), gz[:len(gz)-8] + "\x00\x00\x00\x00" + gz[len(gz)-4:], page},

		{"extension", header(te, "chunked"), "5;x=y\r\nhello\r\n0\r\n\r\n", "hello"},
		{"blanks", header(te, "chunked"), "5  \r\nhello\r\n 0\r\n\r\n", "hello"},
		{"leading zeros", header(te, "chunked"), "000005\r\nhello\r\n000\r\n\r\n", "hello"},
		{"trailers", header(te, "chunked"), "5\r\nhello\r\n0\r\nA: 1\r\n\r\n", "hello"},
		{"bare lf", header(te, "chunked"), "5\nhello\n0\n\n", "hello"},
		{"no last chunk", header(te, "chunked"), "5\r\nhello\r\n", "hello"},
		{"cut in the data", header(te, "chunked"), "5\r\nhello\r\n5\r\nwo", "hellowo"},
		{"cut in the first chunk", header(te, "chunked"), "1ff8\r\nhello", "hello"},
		{"cut in the size", header(te, "chunked"), "5\r\nhello\r\n1f", "hello"},
		{"broken size", header(te, "chunked"), "5\r\nhello\r\nzz\r\nmore", "hello"},
		{"size one too large", header(te, "chunked"), "3\r\naa\r\n0\r\n\r\n", "aa\r"},
		{"no chunk", header(te, "chunked"), "0\r\n\r\n", ""},
		{"not chunked", header(te, "chunked"), "\nhello", "\nhello"},
		{"not chunked, begins with a number", header(te, "chunked"), "2024\nyear in review", "2024\nyear in review"},
		{"not chunked, begins with 0", header(te, "chunked"), "0\r\n<p>", "0\r\n<p>"},
		{"huge size", header(te, "chunked"), "fffffffffffffffff\r\nhello", "fffffffffffffffff\r\nhello"},
		{"chunked not declared", nil, chunk(page), chunk(page)},
	}
	for _, tt := range tests {
		got, changed := Decode(tt.header, []byte(tt.body), 1<<20)
		if string(got) != tt.want || changed != (tt.body != tt.want) {
			t.Errorf("%s: changed %v, %d bytes %.80q; want %d bytes %.80q", tt.name, changed, len(got), got, len(tt.want), tt.want)
		}
	}
}

// A body cut anywhere gives the start of what the whole one gives.
func TestDecodeOfAPrefix(t *testing.T) {
	page := newPage(12_000) // zstd comes in blocks of 128 KiB, whole or not at all
	for _, coding := range []string{"gzip", "zlib", "deflate", "br", "zstd"} {
		declared := strings.Replace(coding, "zlib", "deflate", 1)
		body := []byte(chunk(pack(coding, page)))
		h := header("content-encoding", declared, "transfer-encoding", "chunked")
		for _, n := range []int{len(body) / 2, len(body) - 20, len(body) - 7, len(body) - 1} {
			got, changed := Decode(h, body[:n], 1<<20)
			if !changed || !strings.HasPrefix(page, string(got)) || len(got) < 1000 {
				t.Errorf("%s, %d of %d bytes: changed %v, %d bytes", coding, n, len(body), changed, len(got))
			}
		}
		for _, limit := range []int{0, 1, 100, len(page) - 1, len(page)} {
			got, _ := Decode(h, body, limit)
			if string(got) != page[:limit] {
				t.Errorf("%s, limit %d: %d bytes", coding, limit, len(got))
			}
		}
	}
}

func TestDecodeIsBoundedAgainstBombs(t *testing.T) {
	const limit = 1 << 20
	zeros := strings.Repeat("\x00", 16<<20)
	bomb := pack("gzip", pack("gzip", zeros))
	got, changed := Decode(header("content-encoding", "gzip, gzip"), []byte(bomb), limit)
	if !changed || len(got) != min(limit, len(zeros)) {
		t.Errorf("changed %v, %d bytes", changed, len(got))
	}
	// A frame that asks for a window of 2 GiB is refused.
	greedy := "\x28\xb5\x2f\xfd\x00\xa8" + strings.Repeat("x", 100)
	if got, changed := Decode(header("content-encoding", "zstd"), []byte(greedy), limit); changed || string(got) != greedy {
		t.Errorf("greedy zstd: changed %v, %d bytes", changed, len(got))
	}
}

func FuzzDecodeIsBounded(f *testing.F) {
	for _, coding := range []string{"gzip", "zlib", "deflate", "br", "zstd"} {
		f.Add("chunked", strings.Replace(coding, "zlib", "deflate", 1), []byte(chunk(pack(coding, page[:2000]))), 5000)
		f.Add("", "gzip, "+coding, []byte(pack(coding, pack("gzip", page[:2000]))), 100)
	}
	f.Fuzz(func(t *testing.T, te, ce string, body []byte, limit int) {
		limit %= 1 << 20
		keep := bytes.Clone(body)
		got, changed := Decode(header("transfer-encoding", te, "content-encoding", ce), body, limit)
		if len(got) > max(limit, 0) {
			t.Fatalf("%d bytes, limit %d", len(got), limit)
		}
		if !changed && !bytes.HasPrefix(body, got) {
			t.Fatal("unchanged, yet not the start of the body")
		}
		if !bytes.Equal(keep, body) {
			t.Fatal("the body was written to")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	block := []byte("HTTP/1.1 200 OK\r\nDate: Wed, 01 Jul 2026 02:25:01 GMT\r\nContent-Type: text/html; charset=UTF-8\r\n" +
		"Server: nginx\r\nSet-Cookie: a=b; path=/\r\nSet-Cookie: c=d; path=/\r\nCache-Control: max-age=60\r\nVary: Accept-Encoding\r\n" +
		"X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Transfer-Encoding: chunked\r\nContent-Length: 100000\r\n\r\n" +
		strings.Repeat("x", 100_000))
	b.ReportAllocs()
	for b.Loop() {
		Parse(block)
	}
}

func BenchmarkDecodePlain(b *testing.B) {
	h := header("content-type", "text/html", "content-encoding", "gzip", "transfer-encoding", "chunked")
	body := []byte(strings.Repeat(page, 100_000/len(page)+1))
	b.ReportAllocs()
	for b.Loop() {
		Decode(h, body, 256<<10)
	}
}

func BenchmarkDecodeGzip(b *testing.B) {
	h := header("content-type", "text/html", "content-encoding", "gzip")
	body := []byte(pack("gzip", strings.Repeat(page, 100_000/len(page)+1)))
	b.SetBytes(100_000)
	for b.Loop() {
		Decode(h, body, 256<<10)
	}
}

func BenchmarkCharset(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Charset("text/html; charset=UTF-8")
	}
}
