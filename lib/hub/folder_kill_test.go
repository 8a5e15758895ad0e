package hub

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const generationFiles = 40

// commitGeneration makes all files of the tree say n.
func commitGeneration(t *testing.T, f *folder, n int) error {
	c := Change{Message: fmt.Sprint("generation ", n), Deletes: []string{fmt.Sprintf("only/%d", n-1)}}
	for i := range generationFiles - 1 {
		c.Adds = append(c.Adds, text(fmt.Sprintf("data/%d/%d", i/10, i), strings.Repeat(fmt.Sprintf("%d,%d\n", i, n), 2000)))
	}
	c.Adds = append(c.Adds, text(fmt.Sprintf("only/%d", n), strings.Repeat(fmt.Sprintf("only,%d\n", n), 2000)))
	_, err := f.Commit(t.Context(), c)
	return err
}

// generation is what all files say.
func generation(t *testing.T, f *folder) string {
	t.Helper()
	one := ""
	files := contents(t, f)
	for path, text := range files {
		line, _, _ := strings.Cut(text, "\n")
		_, n, _ := strings.Cut(line, ",")
		if one == "" {
			one = n
		}
		if n != one || text != strings.Repeat(line+"\n", 2000) {
			t.Fatalf("%s is of generation %s and others of %s", path, n, one)
		}
	}
	if len(files) != generationFiles || files["only/"+one] == "" {
		t.Fatalf("generation %s has %d files", one, len(files))
	}
	return one
}

// Killed at random moments, 10 times, or 100 under TORTURE.
func TestFolderSurvivesKills(t *testing.T) {
	t.Parallel()
	rounds := 10
	if os.Getenv("TORTURE") != "" {
		rounds = 100
	}
	random := rand.New(rand.NewPCG(9, 2026))
	f := newFolder(Name{Folder: t.TempDir()}, Options{})
	start := time.Now()
	if err := commitGeneration(t, f, 0); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	last, old, landed := "0", 0, 0
	for n := 1; n <= rounds; n++ {
		cmd, out := process(t, f, "generation", n)
		time.Sleep(time.Duration(random.Float64() * 1.3 * float64(took)))
		cmd.Process.Kill()
		done := end(t, cmd, out)
		switch got := generation(t, f); {
		case got == strconv.Itoa(n):
			landed++
		case got == last && !done:
			old++
		default:
			t.Fatalf("generation %s after %s; %d done: %v", got, last, n, done)
		}
		if err := commitGeneration(t, f, n); err != nil {
			t.Fatal(err)
		}
		last = generation(t, f)
	}
	t.Logf("of %d kills %d came before and %d after landing", rounds, old, landed)
}

const counts = 15

// countUp adds one to a counter, again and again, whoever else does, and writes
// two files that always agree.
func countUp(t *testing.T, f *folder, writer int) error {
	for i := 0; i < counts; {
		head, err := f.Head(t.Context())
		if err != nil {
			return err
		}
		count, err := readCount(t, f, head)
		if err == nil {
			n := strconv.Itoa(count + 1)
			_, err = f.Commit(t.Context(), Change{Parent: head, Adds: []Add{text("count", n), text("copy", n), text(fmt.Sprintf("%d/%d", writer, i), n)}})
		}
		switch {
		case err == nil:
			i++
		case !errors.Is(err, ErrMoved):
			return err
		}
	}
	return nil
}

func readCount(t *testing.T, f *folder, head string) (int, error) {
	files, err := f.Lookup(t.Context(), head, []string{"count", "copy"})
	if err != nil || len(files) == 0 {
		return 0, err
	}
	if len(files) != 2 || files[0].SHA256 != files[1].SHA256 {
		t.Errorf("half a commit: %v", files)
	}
	c, err := f.Open(t.Context(), files[0])
	if err != nil {
		return 0, err
	}
	defer c.Close()
	b := make([]byte, c.Size())
	if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

// Processes that write at once lose nothing, and who reads sees whole commits.
func TestFolderProcessesRace(t *testing.T) {
	t.Parallel()
	f := newFolder(Name{Folder: t.TempDir()}, Options{})
	const writers = 2
	var group sync.WaitGroup
	for w := range writers {
		cmd, out := process(t, f, "count", w)
		group.Go(func() {
			if !end(t, cmd, out) {
				t.Error("a writer failed")
			}
		})
	}
	reads, stop := 0, make(chan struct{})
	go func() { group.Wait(); close(stop) }()
	for running := true; running; reads++ {
		select {
		case <-stop:
			running = false
		default:
		}
		if _, err := readCount(t, f, ""); err != nil && !errors.Is(err, ErrMoved) {
			t.Fatal(err)
		}
	}
	got := contents(t, f)
	if len(got) != writers*counts+2 || got["count"] != strconv.Itoa(writers*counts) {
		t.Errorf("%d files, counted %s", len(got), got["count"])
	}
	t.Logf("%d reads meanwhile", reads)
}
