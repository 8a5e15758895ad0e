package e2e

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func sortLines(s string) string {
	all := strings.Split(s, "\n")
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// stages of the main pipeline, started one by one so that each can be killed.
type stages struct {
	cmds   []*exec.Cmd
	errOut *strings.Builder
}

func startStages(t *testing.T, dir string, archive []byte, last ...string) *stages {
	t.Helper()
	s := &stages{errOut: new(strings.Builder)}
	commands := [][]string{{"warc-records", "-j2", "--filename", newsName + ".warc.gz"}, {"record-index", "-j2"}, append([]string{"jsonl2parquet"}, last...)}
	var from *os.File
	var held []*os.File
	for i, args := range commands {
		cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
		cmd.Dir, cmd.Stderr = dir, s.errOut
		if i > 0 {
			cmd.Stdin = from
		}
		if i < len(commands)-1 {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			from, cmd.Stdout = read, write
			held = append(held, read, write)
		}
		s.cmds = append(s.cmds, cmd)
	}
	in, err := s.cmds[0].StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range s.cmds {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range held {
		f.Close()
	}
	go feed(in, archive)
	return s
}

func (s *stages) wait() {
	for _, cmd := range s.cmds {
		cmd.Wait()
	}
}

// Whatever stage is killed at whatever moment, no file appears under
// --require-end, and without it at most one that says complete:false.
func TestKilledStagesLeaveNoWholeFile(t *testing.T) {
	archive, dir := readFile(t, newsArchive(t)), t.TempDir()
	began := time.Now()
	startStages(t, dir, archive, "-q", "--require-end", "-o", "whole.parquet").wait()
	took := time.Since(began)
	if _, err := os.Stat(filepath.Join(dir, "whole.parquet")); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, "whole.parquet"))

	rng := rand.New(rand.NewPCG(2, 50))
	rounds, killed := tenth(t, 50), 0
	for round := range rounds {
		for victim := range 3 {
			for _, flags := range [][]string{{"-q", "--require-end"}, {"-q"}} {
				s := startStages(t, dir, archive, append(flags, "-o", "x.parquet")...)
				time.Sleep(time.Duration(rng.Int64N(int64(took))))
				s.cmds[victim].Process.Kill()
				s.wait()
				state := s.cmds[victim].ProcessState.Sys().(syscall.WaitStatus)
				if state.Signaled() {
					killed++
					checkAfterKill(t, dir, round, victim, flags)
				}
				os.Remove(filepath.Join(dir, "x.parquet"))
			}
		}
	}
	t.Logf("%d kills hit", killed)
	if killed < rounds {
		t.Errorf("only %d kills of %d hit", killed, rounds*6)
	}
}

// checkAfterKill: the file is there only if the stage that writes it was not
// killed and may write an incomplete one, and then it says so.
func checkAfterKill(t *testing.T, dir string, round, victim int, flags []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		switch {
		case victim == 2 && strings.HasPrefix(filepath.Base(name), ".x.parquet.") && strings.HasSuffix(name, ".tmp"):
			os.Remove(name) // of the writer itself; no pattern for Parquet files finds it
		case filepath.Base(name) != "x.parquet":
			t.Errorf("round %d, stage %d: %s was left", round, victim, name)
		case slices.Contains(flags, "--require-end"):
			t.Errorf("round %d, stage %d: a file appeared under --require-end", round, victim)
		default:
			b := readFile(t, name)
			if !strings.Contains(string(b), `"complete":false`) {
				t.Errorf("round %d, stage %d: the file does not say complete:false", round, victim)
			}
		}
	}
}

// An archive cut inside a member never becomes a file under --require-end, and
// the message names the offset of that member.
func TestCutArchiveGivesNoFile(t *testing.T) {
	archive, dir, rows := readFile(t, newsArchive(t)), t.TempDir(), newsTruth(t)
	rng := rand.New(rand.NewPCG(2, 200))
	places := []string{"header", "data", "trailer"}
	for round := range tenth(t, 200) {
		row := rows[rng.IntN(len(rows))]
		cut := row.Offset + 1 + rng.Int64N(9)
		switch places[round%3] {
		case "data":
			cut = row.Offset + 10 + rng.Int64N(row.Length-18)
		case "trailer":
			cut = row.Offset + row.Length - 8 + rng.Int64N(8)
		}
		s := startStages(t, dir, archive[:cut], "--require-end", "-o", "x.parquet")
		s.wait()
		want := "offset " + itoa(row.Offset) + ": input ends before its last record does"
		if !strings.Contains(s.errOut.String(), want) {
			t.Errorf("cut at %d in the %s of the member at %d: %s", cut, places[round%3], row.Offset, s.errOut)
		}
		for i, cmd := range s.cmds {
			if cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("cut at %d: stage %d ends with %v", cut, i, cmd.ProcessState)
			}
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 0 {
			t.Fatalf("cut at %d: left %v", cut, names)
		}
	}
}
