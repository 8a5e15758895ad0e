package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// stored is a record of an intact archive: its span, and its line without its offset.
type stored struct {
	offset, end int64
	line        [sha256.Size]byte
}

// Damage of the news archive costs exactly the records whose stored bytes it
// touches. The line of every other record is the one it had, but for the offset.
func TestDamageCostsOnlyTheRecordsItTouches(t *testing.T) {
	archive, path := readFile(t, newsArchive(t)), filepath.Join(t.TempDir(), "x.warc.gz")
	intact := map[string][]stored{}
	for _, body := range []string{"--no-body", "--max-body=40M"} {
		run := runDamaged(t, archive, path, body)
		if intact[body] = run.lines.records; run.status != 0 || len(run.lines.records) != 769 {
			t.Fatalf("intact: status %d, %d records: %s", run.status, len(run.lines.records), run.stderr)
		}
	}
	rng := rand.New(rand.NewPCG(3, 300))
	lost, harmless := 0, 0
	for round := range tenth(t, 300) {
		body := "--no-body"
		if round%10 == 5 {
			body = "--max-body=40M"
		}
		h := newHarm(rng, archive, intact[body])
		run := runDamaged(t, h.archive, path, body, fmt.Sprintf("--allow-damage=%v", round%2 == 1))
		h.check(t, run, round%2 == 1)
		if lost += h.lost; h.lost == 0 {
			harmless++
		}
		if t.Failed() {
			t.Fatalf("round %d: %s, %d bytes at %d: %s", round, h.kind, h.size, h.at, run.stderr)
		}
	}
	t.Logf("%d records lost; %d damages touched none", lost, harmless)
}

// harm is an archive with a span that was flipped, zeroed, cut or inserted.
type harm struct {
	kind     string
	at, size int
	archive  []byte
	// same and rest are how many bytes of the intact archive are still there, from
	// the start on and back from the end. They may overlap: of "aaa", nobody can
	// say which "a" was cut.
	same, rest int64
	shift      int64 // of the bytes behind the harm
	want       []stored
	lost       int
	// from and to bound the bytes of the harmed archive that a damage may name:
	// those of the records lost, and those that are new.
	from, to int64
}

// newHarm harms an archive somewhere: from one bit to 200 KB of it, and with a bias
// towards its ends and towards the places where members meet.
func newHarm(rng *rand.Rand, intact []byte, records []stored) *harm {
	kinds := []string{"a flipped bit", "flipped bits", "zeros", "a cut", "inserted noise", "inserted zeros", "inserted gzip headers"}
	h := &harm{kind: kinds[rng.IntN(len(kinds))], at: rng.IntN(len(intact))}
	h.size = int(math.Exp(rng.Float64() * math.Log(200_000)))
	switch rng.IntN(8) {
	case 0:
		h.at = 0
	case 1:
		h.at = len(intact)
	case 2, 3:
		h.at = int(records[1+rng.IntN(len(records)-1)].offset) - 12 + rng.IntN(24)
	}
	h.at = max(0, min(h.at, len(intact)-h.size))
	h.apply(rng, intact)
	h.expect(intact, records)
	return h
}

func (h *harm) apply(rng *rand.Rand, intact []byte) {
	h.archive = bytes.Clone(intact)
	switch span := h.archive[h.at : h.at+h.size]; h.kind {
	case "a flipped bit":
		span[0] ^= 1 << rng.IntN(8)
	case "flipped bits":
		for i := range span {
			span[i] ^= 1 << rng.IntN(8)
		}
	case "zeros":
		clear(span)
	case "a cut":
		h.archive = append(h.archive[:h.at], intact[h.at+h.size:]...)
	default:
		h.archive = append(append(h.archive[:h.at], h.inserted(rng)...), intact[h.at:]...)
	}
}

func (h *harm) inserted(rng *rand.Rand) []byte {
	b := make([]byte, h.size)
	switch h.kind {
	case "inserted noise":
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
	case "inserted gzip headers":
		b = bytes.Repeat([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), h.size/10+1)[:h.size]
	}
	return b
}

// expect finds out which records are left.
func (h *harm) expect(intact []byte, records []stored) {
	before, after := int64(len(intact)), int64(len(h.archive))
	h.shift = after - before
	for h.same < min(before, after) && intact[h.same] == h.archive[h.same] {
		h.same++
	}
	for h.rest < min(before, after) && intact[before-1-h.rest] == h.archive[after-1-h.rest] {
		h.rest++
	}
	h.from, h.to = min(h.same, min(before, after)-h.rest), max(h.same+max(0, h.shift), after-h.rest)
	for _, r := range records {
		switch {
		case h.shift == 0 && !meansTheSame(intact[r.offset:r.end], h.archive[r.offset:r.end]):
			h.lose(r)
		case h.shift == 0 || r.end <= h.same:
			h.want = append(h.want, r)
		case r.offset >= before-h.rest:
			h.want = append(h.want, stored{r.offset + h.shift, r.end + h.shift, r.line})
		default:
			h.lose(r)
		}
	}
}

func (h *harm) lose(r stored) {
	h.lost++
	h.from, h.to = min(h.from, r.offset), max(h.to, r.end+max(0, h.shift))
}

// meansTheSame reports whether a gzip member still says what it said, according
// to another decoder. Some stored bits say nothing, so that a record outlives
// their change: the time, the compressor's level and system, and the "text" flag
// in the header, which no checksum covers, and the bits that fill the last byte
// of the deflated data. A reserved flag means a member that must be refused
// (RFC 1952, section 2.3.1.2), which that decoder does not.
func meansTheSame(before, after []byte) bool {
	if bytes.Equal(before, after) {
		return true
	}
	const flags, reserved = 3, 0xe0
	if after[flags]&reserved != 0 {
		return false
	}
	old, err := inflate(before)
	if err != nil {
		panic(err)
	}
	b, err := inflate(after)
	return err == nil && bytes.Equal(old, b)
}

// inflate reads a gzip member that has to fill b.
func inflate(b []byte) ([]byte, error) {
	in := bytes.NewReader(b)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	out, err := io.ReadAll(z)
	if err == nil && in.Len() > 0 {
		err = fmt.Errorf("%d bytes after the member", in.Len())
	}
	return out, err
}

// damagedRun is what warc-records made of a harmed archive.
type damagedRun struct {
	outcome
	lines lineSums
}

func runDamaged(t *testing.T, archive []byte, path string, flags ...string) *damagedRun {
	t.Helper()
	if err := os.WriteFile(path, archive, 0o666); err != nil {
		t.Fatal(err)
	}
	run := new(damagedRun)
	run.outcome = watch(t, nil, &run.lines, append(flags, path)...)
	return run
}

func (h *harm) check(t *testing.T, run *damagedRun, allowed bool) {
	t.Helper()
	got := run.lines.records
	for i, want := range h.want {
		if i >= len(got) || got[i] != want {
			t.Errorf("record %d of %d is not the one at %d to %d, or has another line", i, len(got), want.offset, want.end)
			break
		}
	}
	if len(got) > len(h.want) {
		t.Errorf("%d records, want %d", len(got), len(h.want))
	}
	damages := h.checkDamages(t, run.stderr)
	var control struct {
		End struct{ Bytes, Records, Damaged int64 } `json:"_end"`
	}
	if err := json.Unmarshal(run.lines.control, &control); err != nil {
		t.Error(err)
	}
	if end := control.End; end.Bytes != int64(len(h.archive)) || end.Records != int64(len(h.want)) || end.Damaged != damages {
		t.Errorf("ends with %s, want %d bytes, %d records, %d damages", run.lines.control, len(h.archive), len(h.want), damages)
	}
	status := 1
	if allowed || damages == 0 {
		status = 0
	}
	if run.status != status {
		t.Errorf("status %d, want %d: --allow-damage is %v, %d damages", run.status, status, allowed, damages)
	}
}

var namedDamage = regexp.MustCompile(`(?m): damage: offset (\d+): (?:(\d+) bytes lost: )?.+$`)

// checkDamages counts the damages on stderr. Each has an offset and a cause, and
// concerns bytes that are lost or new; there is one if a record is missing.
func (h *harm) checkDamages(t *testing.T, stderr string) int64 {
	t.Helper()
	all := namedDamage.FindAllStringSubmatch(stderr, -1)
	for _, m := range all {
		offset, _ := strconv.ParseInt(m[1], 10, 64)
		length, _ := strconv.ParseInt("0"+m[2], 10, 64)
		if offset < h.from || offset+length > h.to {
			t.Errorf("bytes %d to %d were harmed, but%s", h.from, h.to, m[0])
		}
	}
	if h.lost > 0 && len(all) == 0 {
		t.Errorf("%d records are lost without a word", h.lost)
	}
	return int64(len(all))
}

// lineSums takes the lines of warc-records as a [stored] each, in little memory.
type lineSums struct {
	records []stored
	control []byte
	partial []byte
}

var span = regexp.MustCompile(`"warc_record_offset":(\d+),"warc_record_length":(\d+)`)

func (s *lineSums) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if s.partial = append(s.partial, line...); s.partial[len(s.partial)-1] == '\n' {
			s.add(s.partial)
			s.partial = s.partial[:0]
		}
	}
	return len(p), nil
}

func (s *lineSums) add(line []byte) {
	m := span.FindSubmatchIndex(line[:min(len(line), 1<<10)])
	if m == nil {
		s.control = bytes.Clone(line)
		return
	}
	offset, _ := strconv.ParseInt(string(line[m[2]:m[3]]), 10, 64)
	length, _ := strconv.ParseInt(string(line[m[4]:m[5]]), 10, 64)
	sum := sha256.New()
	sum.Write(line[:m[2]])
	sum.Write(line[m[3]:])
	s.records = append(s.records, stored{offset, offset + length, [sha256.Size]byte(sum.Sum(nil))})
}
