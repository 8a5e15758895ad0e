package warc

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Random damage of an archive costs exactly the records that it touches.
func TestDamageCostsOnlyWhatItTouches(t *testing.T) {
	records := testRecords(200)
	archive := perMember(records)
	whole := readBytes(archive).records
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range 400 {
		damaged, from, to := harm(rng, archive)
		res := readBytes(damaged)
		if res.err != nil {
			t.Fatalf("round %d: %v", round, res.err)
		}
		got := map[string]bool{}
		for _, url := range res.urls() {
			if got[url] {
				t.Fatalf("round %d: %s is there twice", round, url)
			}
			got[url] = true
		}
		for _, rec := range whole {
			url := rec.Header.Get("warc-target-uri")
			touched := from < rec.Offset+rec.Length && to > rec.Offset
			if !touched && !got[url] {
				t.Fatalf("round %d: damage of %d to %d lost %s at %d+%d: %v", round, from, to, url, rec.Offset, rec.Length, res.damages)
			}
			if touched && got[url] && !unchecked(rec, from, to) {
				t.Fatalf("round %d: damage of %d to %d left %s at %d+%d", round, from, to, url, rec.Offset, rec.Length)
			}
		}
		if len(got) < len(whole) && res.stats.Damaged == 0 {
			t.Fatalf("round %d: a loss was not reported", round)
		}
	}
}

// harm flips, cuts, inserts or zeroes a span of b. The bytes from..to of b are
// those that were touched; an insertion touches the record it splits.
func harm(rng *rand.Rand, b []byte) (out []byte, from, to int64) {
	at, n := rng.IntN(len(b)-1), 1+rng.IntN(1<<rng.IntN(14))
	n = min(n, len(b)-at)
	switch out = bytes.Clone(b); rng.IntN(4) {
	case 0:
		out[at] ^= 1 << rng.IntN(8)
		return out, int64(at), int64(at + 1)
	case 1:
		return append(out[:at], b[at+n:]...), int64(at), int64(at + n)
	case 2:
		junk := make([]byte, n)
		for i := range junk {
			junk[i] = byte(rng.Uint32())
		}
		return append(append(out[:at], junk...), b[at:]...), int64(at), int64(at + 1)
	default:
		clear(out[at : at+n])
		return out, int64(at), int64(at + n)
	}
}

// unchecked reports whether from..to lies in bytes of rec's member that no
// checksum covers and that mean nothing: flags, time, system.
func unchecked(rec *Record, from, to int64) bool {
	return from >= rec.Offset+3 && to <= rec.Offset+gzipFixed || to <= rec.Offset+1
}
