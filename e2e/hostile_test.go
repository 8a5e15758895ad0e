package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// sound is a record that has to come out of whatever stands before it.
const sound = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://sound.example/\r\nContent-Length: 2\r\n\r\nok\r\n\r\n"

// hostile is an archive made to waste time and memory. It is written while it is
// read, so that nobody holds it.
type hostile struct {
	name    string
	archive io.Reader
	args    []string
	status  int
	records int
	says    string // on stderr, or on one of the last lines of stdout
}

// Whatever an archive is made of, memory and time are bounded: watch checks
// both. What can be read comes out, and what cannot is named.
func TestHostileArchives(t *testing.T) {
	for _, h := range slices.Concat(hostilePlain(), hostileGzip(t), hostileMembers(t), hostileZstd(t)) {
		t.Run(h.name, func(t *testing.T) { h.run(t) })
	}
}

func (h hostile) run(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	out := new(tally)
	o := watch(t, h.archive, out, h.args...)
	t.Logf("%v, %d MiB", o.took.Round(time.Millisecond), o.peak>>20)
	if o.status != h.status || out.records() != h.records {
		t.Errorf("status %d and %d records, want %d and %d: %.1000s", o.status, out.records(), h.status, h.records, o.stderr)
	}
	if says := o.stderr + string(out.head) + string(out.tail); !strings.Contains(says, h.says) {
		t.Errorf("%q is not in %.1000s", h.says, says)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v in TMPDIR", left)
	}
}

// hostilePlain are archives that are not compressed.
func hostilePlain() []hostile {
	const tooLong = "offset 0: record header is longer than 1048576 bytes"
	endless := func(size int64) io.Reader {
		return join(text("WARC/1.0\r\nX: "), repeat("x", size))
	}
	fields := func(n int) io.Reader { // all of another name
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%x:\r\n", i)
		}
		return strings.NewReader(b.String())
	}
	all := []hostile{
		{"header without end", endless(500 << 20), nil, 1, 0, tooLong},
		{"record after such a header", join(endless(500<<20), text("\r\n"+sound)), nil, 1, 1, tooLong},
		{"5 million fields", join(text("WARC/1.0\r\n"), repeat("X-Field: value\r\n", 5e6*16), text("\r\n"+sound)), nil, 1, 1, tooLong},
		{"120,000 fields in 1 MiB", join(text("WARC/1.0\r\nContent-Length: 0\r\n"), fields(120_000), text("\r\n"+sound)), nil, 0, 2, `"damaged":0`},
		{"line without end", repeat("x", 1<<30), nil, 1, 0, "no WARC record found"},
		{"nothing but NUL", repeat("\x00", 1<<30), nil, 1, 0, "no WARC record found"},
		{"nothing but version lines", repeat("WARC/1.0\r\n", 200<<20), nil, 1, 0, tooLong},
	}
	for _, length := range []string{"1099511627776", "4611686018427387904", "9223372036854775807"} {
		all = append(all, hostile{"Content-Length " + length, join(text(announcing(length)), repeat("x", 100<<20), text(sound)), nil, 1, 0,
			`offset 0: input ends before its last record does","offset":0}}`})
	}
	for _, length := range []string{"-1", "-9223372036854775808", strings.Repeat("9", 30), "0x10", ""} {
		all = append(all, hostile{"Content-Length " + length, join(text(announcing(length)), repeat("x", 100<<20), text("\r\n"+sound)), nil, 1, 2,
			fmt.Sprintf("offset 0: record has no usable Content-Length: %q", length)})
	}
	return all
}

// announcing is the header of a record that says how long its block is.
func announcing(length string) string {
	return "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: " + length + "\r\n\r\n"
}

// hostileGzip are archives whose gzip members hold more than they look.
func hostileGzip(t *testing.T) []hostile {
	const big = 1 << 30
	bomb := text(announcing(fmt.Sprint(big)))
	empty := func(n int64) io.Reader { // records of nothing
		return repeat(announcing("0")+"\r\n\r\n", n*int64(len(announcing("0")+"\r\n\r\n")))
	}
	thousand := announcing("1500") + strings.Repeat("news ", 300) + "\r\n\r\n"
	long := page(t, "http://long.example/", 17<<20)
	all := []hostile{
		{"1 GiB of zeros in a record", gzipped(t, join(bomb, repeat("\x00", big), text("\r\n\r\n"))), nil, 0, 1, `"body_length":1073741824,"body_cut":true`},
		{"1 GiB of zeros in no record", gzipped(t, repeat("\x00", big)), nil, 1, 0, "no WARC record found"},
		{"1 GiB of header", join(gzipped(t, join(text("WARC/1.0\r\nX: "), repeat("x", big))), gzipped(t, text(sound))), nil, 1, 1, "record header is longer than"},
		{"50 records of 17 MiB", repeat(string(long), int64(50*len(long))), nil, 0, 50, `"records":50,`},
		{"20 records of 17 MiB, 40 MiB asked for", repeat(string(long), int64(20*len(long))), []string{"--max-body=40M", "-j8"}, 0, 20, `"records":20,`},
		{"200,000 records in a member", gzipped(t, repeat(thousand, int64(200_000*len(thousand)))), nil, 0, 200_000, `"member_shared":true`},
		{"1,000,000 records of nothing in a member", gzipped(t, empty(1_000_000)), []string{"--no-body"}, 0, 1_000_000, `"records":1000000,`},
	}
	for _, length := range []string{"1099511627776", "4611686018427387904", "-1", strings.Repeat("9", 30)} {
		all = append(all, hostile{"Content-Length " + length + " in a member", join(gzipped(t, text(announcing(length)+"hello\r\n\r\n")), gzipped(t, text(sound))), nil, 1, 2,
			"damage: offset 0: "})
	}
	return all
}

// hostileMembers are archives whose gzip members are odd.
func hostileMembers(t *testing.T) []hostile {
	const allFlags, bare = "\x1f\x8b\x08", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	deflated := drain(t, gzipped(t, text(sound)))[len(bare):]
	nothing := drain(t, gzipped(t, text("")))
	many, littered := tenth(t, 200_000), bare+deflated+"junk"
	letter := drain(t, gzipped(t, text("x")))
	named := join(text("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff"), repeat("n", 400<<20), text("\x00"+deflated))
	extra := "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\xff\xff" + strings.Repeat("\x1f\x8b\x08", 65535/3) + deflated
	return []hostile{
		{"10 million members of nothing", join(repeat(nothing, 10_000_000*int64(len(nothing))), gzipped(t, text(sound))), nil, 0, 1,
			`"members":10000001,"records":1,`},
		{"magic numbers with all flags", repeat(allFlags, 100<<20), nil, 1, 0, `{"_error":`},
		{"a record after magic numbers with all flags", join(repeat(allFlags, 20<<20), text(bare+deflated)), nil, 1, 1, "damage: offset 0: "},
		{"headers without data", join(repeat(bare, 100<<20), text(bare+deflated)), nil, 1, 1, "damage: offset 0: "},
		{"magic numbers behind another byte", join(text("x"), repeat(allFlags, 4<<20)), nil, 1, 0, `{"_error":`},
		{"500 MiB of junk between members", join(text(bare+deflated), repeat("junk", 500<<20), text(bare+deflated)), nil, 1, 2, ": 524288000 bytes lost: "},
		{"junk after each of many members", repeat(littered, int64(many*len(littered))), nil, 1, many, fmt.Sprintf(`"damaged":%d,`, many)},
		{"a record in a million members", join(gzipped(t, text(announcing("1000000"))), repeat(letter, int64(1_000_000*len(letter)))), nil, 0, 1, `"body_length":1000000,`},
		{"a name of 400 MiB", named, nil, 1, 0, "gzip header is longer than 131072 bytes"},
		{"2,000 extra fields of 64 KiB", repeat(extra, int64(2000*len(extra))), nil, 0, 2000, `"damaged":0`},
	}
}

// hostileZstd are archives whose zstd frames say they are large, or are.
func hostileZstd(t *testing.T) []hostile {
	const magic = "\x28\xb5\x2f\xfd"
	size := string(binary.LittleEndian.AppendUint64(nil, 1<<62))
	rawBlock := "\x11\x00\x00ok" // the last one, of 2 bytes
	nothing := magic + "\x20\x00\x01\x00\x00"
	frame := drain(t, zstded(t, text(sound)))
	bomb := zstded(t, join(text(announcing(fmt.Sprint(1<<30))), repeat("\x00", 1<<30), text("\r\n\r\n")))
	return []hostile{
		{"a window of 3.75 TiB", text(magic + "\x00\xff" + rawBlock + frame), nil, 1, 1, "damage: offset 0: "},
		{"a content of 4 EiB", text(magic + "\xe0" + size + rawBlock + frame), nil, 1, 1, "damage: offset 0: "},
		{"a dictionary of 4 GiB", join(text("\x5d\x2a\x4d\x18\xff\xff\xff\xff"), repeat("x", 100<<20)), nil, 1, 0, "zstd dictionary at the start of the archive"},
		{"a skippable frame of 4 GiB", join(text(frame+"\x50\x2a\x4d\x18\xff\xff\xff\xff"), repeat("x", 500<<20)), nil, 1, 1, "input ends before its last record does"},
		{"zstd magic numbers", join(text(frame), repeat(magic, 20<<20), text(frame)), nil, 1, 2, `"damaged":1,`},
		{"a million zstd frames of nothing", join(repeat(nothing, int64(1_000_000*len(nothing))), text(frame)), nil, 0, 1, `"records":1,`},
		{"a million zstd frames to skip", join(text(frame), repeat("\x50\x2a\x4d\x18\x00\x00\x00\x00", 8_000_000), text(frame)), nil, 0, 2, `"records":2,`},
		{"1 GiB of zeros in a zstd record", bomb, nil, 0, 1, `"body_length":1073741824,"body_cut":true`},
	}
}

// The records of a large member wait in a temporary file that has no name, so
// that nothing is left of it however the process ends.
func TestKilledWhileSpoolingLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(filepath.Join(bin, "warc-records"))
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	record := announcing("100000") + strings.Repeat("x", 100_000) + "\r\n\r\n"
	cmd.Stdin = gzipped(t, repeat(record, 1<<40))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(watchdog); !spools(cmd.Process.Pid, dir); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("no temporary file was opened")
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v in TMPDIR", left)
	}
}

// spools reports whether a process has a file of dir open that was not empty.
func spools(pid int, dir string) bool {
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range open {
		target, _ := os.Readlink(fd)
		info, err := os.Stat(fd)
		if err == nil && strings.HasPrefix(target, dir) && info.Size() > 0 {
			return true
		}
	}
	return false
}

// tally counts the lines that go through it and keeps the first and last bytes.
type tally struct {
	lines      int
	head, tail []byte
}

func (s *tally) Write(p []byte) (int, error) {
	const keep = 4 << 10
	s.lines += bytes.Count(p, []byte("\n"))
	s.head = append(s.head, p[:min(len(p), keep-len(s.head))]...)
	s.tail = append(s.tail, p[max(0, len(p)-keep):]...)
	s.tail = s.tail[max(0, len(s.tail)-keep):]
	return len(p), nil
}

// records is the number of lines without the control line.
func (s *tally) records() int { return s.lines - 1 }

func text(s string) io.Reader             { return strings.NewReader(s) }
func join(readers ...io.Reader) io.Reader { return io.MultiReader(readers...) }

// repeat is a pattern over and over, n bytes long.
func repeat(pattern string, n int64) io.Reader {
	return io.LimitReader(&repeater{strings.Repeat(pattern, 64<<10/len(pattern)+1), 0}, n)
}

type repeater struct {
	pattern string
	at      int
}

func (r *repeater) Read(p []byte) (int, error) {
	n := copy(p, r.pattern[r.at:])
	r.at = (r.at + n) % len(r.pattern)
	return n, nil
}

// gzipped is r as one gzip member.
func gzipped(t *testing.T, r io.Reader) io.Reader {
	return compressed(t, r, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) })
}

// zstded is r as one zstd frame.
func zstded(t *testing.T, r io.Reader) io.Reader {
	return compressed(t, r, func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	})
}

// compressed compresses r while it is read.
func compressed(t *testing.T, r io.Reader, newWriter func(io.Writer) (io.WriteCloser, error)) io.Reader {
	in, out := io.Pipe()
	t.Cleanup(func() { in.Close() })
	w, err := newWriter(out)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := io.Copy(w, r)
		out.CloseWithError(errors.Join(err, w.Close()))
	}()
	return in
}

func drain(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
