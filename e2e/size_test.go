package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// maxMemory is what a command may take whatever the archive is, in bytes.
const maxMemory = 300 << 20

// peakMemory is the most memory a finished process had, in bytes.
func peakMemory(cmd *exec.Cmd) int64 {
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// page is a stored response of size bytes of HTML, in a gzip member.
func page(t *testing.T, url string, size int) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	fmt.Fprintf(w, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-07-01T02:25:01Z\r\n"+
		"WARC-Record-ID: <urn:uuid:%s>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s",
		url, url, len(head)+size, head)
	body := bytes.Repeat([]byte("<p>The bridge over the river was opened again on Monday.</p>\n"), size/61+1)
	w.Write(body[:size])
	w.Write([]byte("\r\n\r\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Beyond 4 GiB of data, and with bodies of many sizes, offsets are right and
// memory stays where it was.
func TestMoreThanFourGiB(t *testing.T) {
	target := int64(4<<30 + 64<<20)
	if os.Getenv("TORTURE") == "" {
		target /= 10
	}
	members := [][]byte{page(t, "https://a.example/", 1<<20), page(t, "https://b.example/", 5<<20), page(t, "https://c.example/", 17<<20)}
	round := bytes.Join(members, nil)
	repeats := int(target/(23<<20)) + 1

	dir := t.TempDir()
	s := startStages(t, dir, bytes.Repeat(round, repeats), "-q", "--require-end", "-o", "x.parquet")
	s.wait()
	for _, cmd := range s.cmds {
		if !cmd.ProcessState.Success() || peakMemory(cmd) > maxMemory {
			t.Errorf("%s: %v, %d MiB: %s", filepath.Base(cmd.Path), cmd.ProcessState, peakMemory(cmd)>>20, s.errOut)
		}
		t.Logf("%s: %d MiB", filepath.Base(cmd.Path), peakMemory(cmd)>>20)
	}
	var want []string
	for i := range repeats {
		offset := int64(i * len(round))
		for j, m := range members {
			want = append(want, fmt.Sprintf(`"url":"https://%c.example/" %d %d`, 'a'+j, offset, len(m)))
			offset += int64(len(m))
		}
	}
	var got []string
	for _, line := range lines(t, must(t, dir, "shard-grep -q example x.parquet; shard-grep example x.parquet")) {
		got = append(got, fmt.Sprintf(`"url":%s %s %s`, field(line, "url"), field(line, "warc_record_offset"), field(line, "warc_record_length")))
	}
	if sortLines(strings.Join(got, "\n")) != sortLines(strings.Join(want, "\n")) {
		t.Errorf("%d rows, want %d; spans differ", len(got), len(want))
	}
	t.Logf("%d rows of %d MiB of data", len(got), int64(repeats)*23)
}

// field is the JSON text of a key's value in a row.
func field(line, key string) string {
	_, rest, _ := strings.Cut(line, `"`+key+`":`)
	end := strings.IndexAny(rest, ",}")
	return rest[:end]
}
