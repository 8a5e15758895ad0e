package warc

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-index/ccnews/lib/sharedtest"
)

// truth is one record as independent readers agree on it.
type truth struct {
	Offset      int64   `json:"warc_record_offset"`
	Length      int64   `json:"warc_record_length"`
	Type        *string `json:"type"`
	ID          *string `json:"warc_record_id"`
	URL         *string `json:"url"`
	BlockLength int64   `json:"block_length"`
	BlockSHA1   string  `json:"block_sha1"`
}

func readTruth(t *testing.T, path string) []truth {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []truth
	for line := range bytes.Lines(b) {
		var tr truth
		if err := json.Unmarshal(line, &tr); err != nil {
			t.Fatal(err)
		}
		tr.Type, tr.ID, tr.URL = tidy(tr.Type), tidy(tr.ID), tidy(tr.URL)
		out = append(out, tr)
	}
	return out
}

func asTruth(rec *Record) truth {
	sum := sha1.Sum(rec.Block)
	return truth{
		Offset: rec.Offset, Length: rec.Length,
		Type: value(rec, "warc-type"), ID: value(rec, "warc-record-id"), URL: value(rec, "warc-target-uri"),
		BlockLength: rec.BlockLength, BlockSHA1: hex.EncodeToString(sum[:]),
	}
}

// value is a field as the readers give it, nil if it is absent.
func value(rec *Record, name string) *string {
	values := rec.Header.Values(name)
	if values == nil {
		return nil
	}
	return tidy(&values[0])
}

// tidy takes one pair of angle brackets off a value, and the blank that one of
// the readers keeps where a folded value begins; it also writes blanks inside
// URLs as %20.
func tidy(s *string) *string {
	if s == nil {
		return nil
	}
	v := strings.TrimPrefix(strings.TrimSpace(*s), "%20")
	if strings.HasPrefix(v, "<") && strings.HasSuffix(v, ">") {
		v = v[1 : len(v)-1]
	}
	v = strings.ReplaceAll(v, " ", "%20")
	return &v
}

func TestRecordsEqualTruth(t *testing.T) {
	root := sharedtest.Path(t, "corpus", "truth")
	archives := sharedtest.Path(t, "corpus", "warc")
	files, records := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".jsonl")
		t.Run(name, func(t *testing.T) {
			want := readTruth(t, path)
			archive, err := os.ReadFile(filepath.Join(archives, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, jobs := range []int{1, 8} {
				got, err := readAll(archive, jobs)
				if err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-j%d: -truth +got\n%s", jobs, diff)
				}
			}
			records += len(want)
		})
		files++
		return nil
	})
	t.Logf("%d records of %d archives", records, files)
	if err != nil || files == 0 {
		t.Errorf("%d truth files: %v", files, err)
	}
}

func readAll(archive []byte, jobs int) ([]truth, error) {
	r, err := NewReader(context.Background(), bytes.NewReader(archive),
		Options{Jobs: jobs, MaxBlock: 1 << 30, Size: int64(len(archive))})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var got []truth
	for rec, err := range r.Records() {
		if err != nil {
			return got, fmt.Errorf("after %d records: %w", len(got), err)
		}
		got = append(got, asTruth(rec))
	}
	return got, nil
}
