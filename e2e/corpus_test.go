package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/open-index/ccnews/lib/sharedtest"
)

// row is a record as an independent reader gives it.
type row struct {
	Offset      int64  `json:"warc_record_offset"`
	Length      int64  `json:"warc_record_length"`
	Type        string `json:"type"`
	ID          string `json:"warc_record_id"`
	URL         string `json:"url"`
	BlockLength int64  `json:"block_length"`
}

// expectation is what warc-records has to do with an archive of the corpus.
type expectation struct {
	status  int
	damages int // reported; -1 if the input is refused or holds no record
	records []row
	truth   bool // the records are those of the truth file, with all their fields
	message string
}

// A file of the corpus without truth and without a row in testdata/corpus.tsv
// fails: somebody has to look at its bytes first.
func TestCorpus(t *testing.T) {
	root := sharedtest.Path(t, "corpus", "warc")
	files, table := expectations(t, root)
	if len(files) != 253 {
		t.Errorf("%d files, not 253", len(files))
	}
	var slowest, largest outcome
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			var fromFile, fromStdin bytes.Buffer
			file := watch(t, nil, &fromFile, path)
			table[name][0].check(t, file, fromFile.String(), path)
			stdin := watch(t, bytes.NewReader(readFile(t, path)), &fromStdin)
			table[name][1].check(t, stdin, fromStdin.String(), path)
			stdin.args = name + " on stdin"
			slowest = slower(slowest, slower(file, stdin))
			largest = larger(largest, larger(file, stdin))
		})
	}
	t.Logf("slowest %s: %v; most memory %s: %d MiB", slowest.args, slowest.took, largest.args, largest.peak>>20)
}

// expectations lists the files below root with what is expected of each from a
// FILE and from stdin.
func expectations(t *testing.T, root string) (files []string, table map[string][2]expectation) {
	table = corpusTable(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		files = append(files, name)
		if _, ok := table[name]; !ok {
			records := readTruth(t, name)
			table[name] = [2]expectation{{records: records, truth: true}, {records: records, truth: true}}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range table {
		if !slices.Contains(files, name) {
			t.Errorf("testdata/corpus.tsv has a row for %s, which is not in the corpus", name)
		}
	}
	return files, table
}

func corpusTable(t *testing.T) map[string][2]expectation {
	t.Helper()
	table := map[string][2]expectation{}
	for line := range strings.Lines(string(readFile(t, "testdata", "corpus.tsv"))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 7 || f[6] == "" {
			t.Fatalf("corpus.tsv: want 7 fields, the last of them why, in %q", line)
		}
		file := expectation{status: number(t, f[1]), damages: -1, truth: f[3] == "truth", message: f[5]}
		if f[2] != "-" {
			file.damages = number(t, f[2])
		}
		if file.truth {
			file.records = readTruth(t, f[0])
		} else if f[3] != "-" {
			file.records = parseSpans(t, f[3])
		}
		stdin := file
		if cut, ok := strings.CutPrefix(f[4], "cut:"); ok {
			n, offset, _ := strings.Cut(cut, "@")
			stdin = expectation{1, -1, file.records[:number(t, n)], file.truth, "offset " + offset + ": input ends before its last record does"}
		}
		table[f[0]] = [2]expectation{file, stdin}
	}
	return table
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// parseSpans reads offset+length[xN] of each record.
func parseSpans(t *testing.T, text string) (spans []row) {
	t.Helper()
	for field := range strings.FieldsSeq(text) {
		span, times, shared := strings.Cut(field, "x")
		if !shared {
			times = "1"
		}
		offset, length, _ := strings.Cut(span, "+")
		r := row{Offset: int64(number(t, offset)), Length: int64(number(t, length))}
		spans = append(spans, slices.Repeat([]row{r}, number(t, times))...)
	}
	return spans
}

// readTruth gives the records of a file, with the three things in which the
// readers that made the truth differ from the design undone: a value loses its
// blanks and <>, and the %20 that one reader makes of a folded value's beginning.
func readTruth(t *testing.T, name string) (rows []row) {
	t.Helper()
	path := filepath.Join(sharedtest.Path(t, "corpus", "truth"), name+".jsonl")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s has neither truth nor a row in testdata/corpus.tsv", name)
	}
	for line := range bytes.Lines(b) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, value := range []*string{&r.Type, &r.ID, &r.URL} {
			*value = strings.Trim(strings.TrimPrefix(strings.TrimSpace(*value), "%20"), "<>")
		}
		rows = append(rows, r)
	}
	return rows
}

// line is a record as warc-records writes it.
type line struct {
	row
	HTTPStartLine string              `json:"http_start_line"`
	HTTPHeaders   map[string][]string `json:"http_headers"`
	BodyLength    int64               `json:"body_length"`
	BodyCut       bool                `json:"body_cut"`
	MemberShared  bool                `json:"member_shared"`
	Body          []byte              `json:"body"`
}

// blockLength is the length of the record's block: of the body, and of an HTTP
// head. The line does not hold the head as it is stored, so truth is believed if
// a head of start line and fields may be that long.
func (l line) blockLength(truth int64) int64 {
	if l.HTTPStartLine == "" {
		return l.BodyLength
	}
	least := l.BodyLength + int64(utf8.RuneCountInString(l.HTTPStartLine))
	for name, values := range l.HTTPHeaders {
		for _, v := range values {
			least += int64(utf8.RuneCountInString(name + ":" + v))
		}
	}
	return max(least, truth)
}

// check compares what a run left with what is expected.
func (want expectation) check(t *testing.T, o outcome, stdout, path string) {
	t.Helper()
	if o.status != want.status || !strings.Contains(o.stderr, want.message) {
		t.Errorf("%s: status %d, want %d and %q: %s", o.args, o.status, want.status, want.message, o.stderr)
	}
	all := strings.Split(stdout, "\n")
	if len(all) < 2 || all[len(all)-1] != "" {
		t.Fatalf("%s: no line, or no newline at the end, in %d bytes", o.args, len(stdout))
	}
	var got []row
	for i, text := range all[:len(all)-2] {
		l := parseLine(t, text)
		if shared := neighbour(want.records, i); l.MemberShared != shared {
			t.Errorf("%s: record %d: member_shared is %v, want %v", o.args, i, l.MemberShared, shared)
		}
		if !want.truth {
			l.row = row{Offset: l.Offset, Length: l.Length}
		} else if i < len(want.records) {
			l.row.BlockLength = l.blockLength(want.records[i].BlockLength)
		}
		got = append(got, l.row)
	}
	if diff := cmp.Diff(want.records, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: %d records, want %d: -want +got\n%s", o.args, len(got), len(want.records), diff)
	}
	want.checkEnd(t, o, all[len(all)-2], path)
}

func parseLine(t *testing.T, text string) (l line) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	if n := int64(len(l.Body)); n > l.BodyLength || (n < l.BodyLength) != l.BodyCut {
		t.Errorf("body_length is %d, body_cut %v, and body has %d bytes: %.200s", l.BodyLength, l.BodyCut, n, text)
	}
	return l
}

// neighbour reports whether the record at i has its span together with another.
func neighbour(records []row, i int) bool {
	at := func(j int) int64 {
		if j < 0 || j >= len(records) {
			return -1
		}
		return records[j].Offset
	}
	return at(i) >= 0 && (at(i) == at(i-1) || at(i) == at(i+1))
}

// checkEnd checks the control line: _end with the counts, if the input was read
// to its end, and else _error with the message that is on stderr.
func (want expectation) checkEnd(t *testing.T, o outcome, text, path string) {
	t.Helper()
	var control struct {
		End   *struct{ Bytes, Records, Damaged int64 } `json:"_end"`
		Error *struct{ Message string }                `json:"_error"`
	}
	if err := json.Unmarshal([]byte(text), &control); err != nil {
		t.Fatalf("%s: %.200s: %v", o.args, text, err)
	}
	if want.damages < 0 {
		if control.Error == nil || !strings.Contains(o.stderr, control.Error.Message) {
			t.Errorf("%s: ends with %.200s, want _error with the message of %s", o.args, text, o.stderr)
		}
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if end := control.End; end == nil || end.Bytes != info.Size() || end.Records != int64(len(want.records)) || end.Damaged != int64(want.damages) {
		t.Errorf("%s: ends with %.200s, want %d bytes, %d records and %d damages", o.args, text, info.Size(), len(want.records), want.damages)
	}
	if n := strings.Count(o.stderr, ": damage: offset "); n != want.damages {
		t.Errorf("%s: %d damages on stderr, want %d: %s", o.args, n, want.damages, o.stderr)
	}
}

// watchdog is how long a command may take, whatever it is fed.
const watchdog = 100 * time.Second

// outcome is how a command ended.
type outcome struct {
	args   string
	stderr string
	status int
	took   time.Duration
	peak   int64 // bytes of memory
}

func slower(a, b outcome) outcome {
	if a.took > b.took {
		return a
	}
	return b
}

func larger(a, b outcome) outcome {
	if a.peak > b.peak {
		return a
	}
	return b
}

// watch runs warc-records and checks what holds for every input: it ends by
// itself and in time, within maxMemory, and without a panic. What it prints goes
// to stdout.
func watch(t *testing.T, stdin io.Reader, stdout io.Writer, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), watchdog)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "warc-records"), args...)
	var errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &errOut
	began := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{fmt.Sprint(args), errOut.String(), cmd.ProcessState.ExitCode(), time.Since(began), peakMemory(cmd)}
	if ctx.Err() != nil || o.status < 0 || strings.Contains(o.stderr, "goroutine ") {
		t.Errorf("%s: %v after %v: %s", o.args, cmd.ProcessState, o.took, o.stderr)
	}
	if o.peak > maxMemory {
		t.Errorf("%s: %d MiB; a child counts from the %d MiB of this process on", o.args, o.peak>>20, ownPeak()>>20)
	}
	if o.took > watchdog/10 {
		t.Logf("%s: took %v", o.args, o.took)
	}
	return o
}

// ownPeak is the most memory that this process had. A child's peak is never
// told to be less, as Linux carries it over at exec.
func ownPeak() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Maxrss << 10
}
