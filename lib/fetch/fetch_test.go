package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/record"
)

// lines are what warc-records writes of an archive.
func lines(t testing.TB, data []byte) []string {
	t.Helper()
	var out bytes.Buffer
	w := jsonl.NewWriter(&out)
	split := record.Splitter{Jobs: 1, Filename: name, MaxBody: 16 << 20, Size: int64(len(data))}
	if _, err := split.Run(t.Context(), bytes.NewReader(data), w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return slices.Collect(strings.Lines(out.String()))
}

func TestNeighboursCostOneRequestAndKeepTheirOrder(t *testing.T) {
	a := pages(100)
	s := serve(t, a.data, honest)
	f := newFetcher(t, s.URL)
	records := lines(t, a.data)
	var rows []Location
	var want strings.Builder
	for i := range 100 {
		i = i * 37 % 100
		rows = append(rows, a.rows[i], a.rows[i]) // twice the same is twice written
		want.WriteString(records[i] + records[i])
	}
	got := f.do(t, rows...)
	if got.out != want.String() || got.Failed > 0 {
		t.Errorf("%d bytes in %d records, want %d: %v", len(got.out), got.Records, want.Len(), got.failures)
	}
	if s.requests() != 1 {
		t.Errorf("%d requests for neighbours: %v", s.requests(), s.Ranges())
	}
}

func TestWhatIsFarIsNotRead(t *testing.T) {
	a := new(archived)
	for i := range 3 {
		m := member(response(fmt.Sprint("http://a/", i), page("", "x")))
		a.add(fmt.Sprint("http://a/", i), append(m, noise(1, 100<<10)...), len(m))
	}
	s := serve(t, a.data, honest)
	got := newFetcher(t, s.URL).do(t, a.rows...)
	if got.Records != 3 || s.requests() != 3 {
		t.Errorf("%d records with %d requests: %v %v", got.Records, s.requests(), s.Ranges(), got.failures)
	}
	for i, r := range a.rows {
		if want := fmt.Sprintf("%d-%d", r.Offset, r.end()-1); !slices.Contains(s.Ranges(), want) {
			t.Errorf("record %d: %s was not asked for: %v", i, want, s.Ranges())
		}
	}
}

func TestARecordComesOutBeforeTheInputEnds(t *testing.T) {
	a := pages(2)
	s := serve(t, a.data, honest)
	f := newFetcher(t, s.URL)
	f.linger = 0
	input, rows := io.Pipe()
	output, written := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := f.Run(t.Context(), Locations(input), written)
		written.CloseWithError(err)
		done <- err
	}()
	out := jsonl.NewReader(output, 0)
	for i, r := range a.rows {
		fmt.Fprintf(rows, `{"warc_filename":%q,"warc_record_offset":%d,"warc_record_length":%d}`+"\n", r.Filename, r.Offset, r.Length)
		line, err := out.Next()
		if err != nil || !bytes.Contains(line, []byte(r.URL)) {
			t.Fatalf("row %d gave %q, %v", i, line, err)
		}
	}
	rows.Close()
	if _, err := out.Next(); err != io.EOF {
		t.Errorf("after the last: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestServersThatFail(t *testing.T) {
	a := pages(6)
	tests := []struct {
		what     string
		usual    behaviour
		answers  []behaviour
		requests int
		later    bool
		failure  string // of every record; "" if all come
	}{
		{"drops in the middle of a body", honest, []behaviour{cut(3000), cut(2000)}, 3, false, ""},
		{"is overloaded for a while", honest, []behaviour{status(403), status(503), status(403)}, 4, false, ""},
		{"has no such archive", status(404), nil, 1, false, "404 Not Found"},
		{"is overloaded", status(403), nil, 4, true, "given up after 4 tries"},
		{"has no ranges", ignoring, nil, 1, false, "it knows no ranges"},
		{"says it is a range and sends the whole", func(w http.ResponseWriter, r *http.Request, src source) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(src.Data)-1, len(src.Data)))
			w.WriteHeader(206)
			w.Write(src.Data)
		}, nil, 2, false, "206 with Content-Range"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			s := serve(t, a.data, tt.usual, tt.answers...)
			got := newFetcher(t, s.URL).do(t, a.rows[1:4]...)
			if tt.failure == "" && got.out != strings.Join(lines(t, a.data)[1:4], "") {
				t.Errorf("%d bytes: %v", len(got.out), got.failures)
			}
			for i, failure := range got.failures {
				want := fmt.Sprintf("%s: offset %d: ", name, a.rows[1+i].Offset)
				if !strings.HasPrefix(failure, want) || !strings.Contains(failure, tt.failure) || tt.failure == "" {
					t.Errorf("failure %q, want %q", failure, tt.failure)
				}
			}
			if tt.failure != "" && (got.Failed != 3 || got.out != "" || (got.Later == 3) != tt.later) {
				t.Errorf("%+v", got)
			}
			if s.requests() != tt.requests {
				t.Errorf("%d requests, want %d: %v", s.requests(), tt.requests, s.Ranges())
			}
		})
	}
}

func TestAnArchiveThatIsGivenUpIsNotAskedForEveryRow(t *testing.T) {
	a := new(archived)
	for range 50 {
		a.add("", make([]byte, 100<<10), 10)
	}
	s := serve(t, a.data, status(404))
	f := newFetcher(t, s.URL)
	if got := f.do(t, a.rows...); got.Failed != 50 || s.requests() > f.Jobs {
		t.Errorf("%d failures, %d requests", got.Failed, s.requests())
	}
}

func TestOneBadRowCostsNoOther(t *testing.T) {
	a := pages(5)
	s := serve(t, a.data, honest)
	beyond, long, absent := a.rows[2], a.rows[3], a.rows[0]
	beyond.Offset = int64(len(a.data)) + 7
	long.Length = MaxLength
	absent.Filename = "no-such.warc.gz"
	got := newFetcher(t, s.URL).do(t, a.rows[0], beyond, a.rows[1], long, absent, a.rows[4])
	if got.out != lines(t, a.data)[0]+lines(t, a.data)[1]+lines(t, a.data)[4] || got.Failed != 3 {
		t.Errorf("%d records: %q", got.Records, got.failures)
	}
}

func TestALargeRecordIsReadInPieces(t *testing.T) {
	a := pages(1)
	m := member(response("http://large/", page("", noise(7, 6<<20))), []byte(blank))
	a.add("http://large/", m, len(m))
	s := serve(t, a.data, honest)
	f := newFetcher(t, s.URL)
	if got := f.do(t, a.rows...); got.out != strings.Join(lines(t, a.data), "") {
		t.Errorf("%d bytes: %v", len(got.out), got.failures)
	}
	if most := 1 + len(m)/spoolPiece + 1; s.requests() > most {
		t.Errorf("%d requests, want at most %d", s.requests(), most)
	}
	f.Format = Raw
	if got := f.do(t, a.rows...); got.out != string(a.data) {
		t.Errorf("raw: %d bytes of %d: %v", len(got.out), len(a.data), got.failures)
	}
}

func TestABlockThatExpandsIsCutOrRefused(t *testing.T) {
	a := new(archived)
	m := member(response("http://bomb/", page("", strings.Repeat("\x00", 43<<20))))
	a.add("http://bomb/", m, len(m))
	f := newFetcher(t, serve(t, a.data, honest).URL)
	f.MaxBody = 1 << 10
	if got := f.do(t, a.rows...); got.Records != 1 || !strings.Contains(got.out, `"body_length":45088768,"body_cut":true`) {
		t.Errorf("%.300s %v", got.out, got.failures)
	}
	f.Format = Body
	if got := f.do(t, a.rows...); got.Failed != 1 || !strings.Contains(got.failures[0], "45088768 bytes") {
		t.Errorf("%+v", got)
	}
}

// Of an archive that is cut, the record that the cut is in and those behind it fail.
func TestArchiveThatIsCut(t *testing.T) {
	a := pages(6)
	end := a.rows[1].Offset + 5
	s := serve(t, a.data[:end], honest)
	got := newFetcher(t, s.URL).do(t, a.rows[1:4]...)
	want := []string{
		fmt.Sprintf("%s: offset %d: the archive has only %d bytes, and the record should end at %d", name, a.rows[1].Offset, end, a.rows[1].end()),
		fmt.Sprintf("%s: offset %d: the archive ends before byte %d, where the record should begin", name, a.rows[2].Offset, a.rows[2].Offset),
		fmt.Sprintf("%s: offset %d: the archive ends before byte %d, where the record should begin", name, a.rows[3].Offset, a.rows[3].Offset),
	}
	if !slices.Equal(got.failures, want) || got.out != "" || s.requests() != 1 {
		t.Errorf("%d requests, %q", s.requests(), got.failures)
	}
}

func TestRunEndsWithItsContextAndItsOutput(t *testing.T) {
	a := pages(50)
	s := serve(t, a.data, honest)
	full := errors.New("disk full")
	if _, err := newFetcher(t, s.URL).Run(t.Context(), list(a.rows...), failing{full}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s = serve(t, a.data, func(_ http.ResponseWriter, r *http.Request, _ source) {
		cancel()
		<-r.Context().Done()
	})
	f := newFetcher(t, s.URL)
	f.OnFailure = func(err error) { t.Errorf("a failure is told: %v", err) }
	if _, err := f.Run(ctx, list(a.rows...), io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// A window is what comes within a short time, and no more than its bounds.
func TestWindow(t *testing.T) {
	arriving := make(chan *span, 1000)
	for range 300 {
		arriving <- newSpan(Location{Length: 10}, nil)
	}
	for _, want := range []int{windowRows, 300 - windowRows} {
		if got := window(t.Context(), arriving, time.Millisecond); len(got) != want {
			t.Errorf("%d locations, want %d", len(got), want)
		}
	}
	for range 3 {
		arriving <- newSpan(Location{Length: windowBytes/2 + 1}, nil)
	}
	close(arriving)
	for _, want := range []int{2, 1, 0} {
		if got := window(t.Context(), arriving, time.Hour); len(got) != want {
			t.Errorf("%d locations, want %d", len(got), want)
		}
	}
}
