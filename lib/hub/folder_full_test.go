package hub

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// commitOnFullDisk has the system refuse to write more than n bytes to a file.
func commitOnFullDisk(t *testing.T, f *folder, n int) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	_, err := f.Commit(t.Context(), secondChange())
	if err == nil || !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("committed on a full disk: %w", err)
	}
	return nil
}

// A disk that is full, from nothing fitting to all but the last line of the journal,
// keeps the old tree.
func TestFolderOnAFullDisk(t *testing.T) {
	t.Parallel()
	before, after := expected(t)
	for _, limit := range []int{0, 1, 4, 100, 300, 900} {
		f := fresh(t)
		cmd, out := process(t, f, "full", limit)
		if !end(t, cmd, out) {
			t.Error("the process was killed")
		}
		if got := state(t, f); got != before {
			t.Errorf("at most %d bytes a file: %s, want %s", limit, got, before)
		}
		checkRepeats(t, f, after)
	}
}

// look reads a folder that cannot be written to in every way.
func look(t *testing.T, f *folder, want int) error {
	if n := len(contents(t, f)); n != want {
		return fmt.Errorf("%d files, want %d", n, want)
	}
	files, err := f.Lookup(t.Context(), "", []string{"e"})
	if err != nil || len(files) != 1 {
		return fmt.Errorf("lookup: %v, %w", files, err)
	}
	c, err := f.Open(t.Context(), files[0])
	if err != nil {
		return err
	}
	c.Close()
	if _, err = f.Commit(t.Context(), secondChange()); !errors.Is(err, os.ErrPermission) && !errors.Is(err, ErrDenied) {
		return fmt.Errorf("it was written to: %w", err)
	}
	if err = f.Upload(t.Context(), secondChange().Adds); err == nil {
		return errors.New("it was uploaded to")
	}
	return nil
}

// wait is told that there is nothing to read yet.
func wait(t *testing.T, f *folder, _ int) error {
	_, err := f.Head(t.Context())
	if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "a commit to be finished") {
		return fmt.Errorf("got %w", err)
	}
	return nil
}

func TestFolderReadOnly(t *testing.T) {
	binary, attr := asSomebodyElse(t)
	t.Run("with state", func(t *testing.T) {
		f := fresh(t)
		write(t, f, "dropped", "in by hand")
		lookAs(t, f, "look", binary, attr, 8)
	})
	t.Run("by hand alone", func(t *testing.T) {
		f := newFolder(Name{Folder: t.TempDir()}, Options{})
		write(t, f, "e", "e")
		lookAs(t, f, "look", binary, attr, 1)
	})
	t.Run("half a commit", func(t *testing.T) {
		f := fresh(t)
		cmd, out := process(t, f, "change", stepOf(t, "journal placed")+1)
		end(t, cmd, out)
		lookAs(t, f, "wait", binary, attr, 0)
		if got := contents(t, f); got["f"] != "e" { // by one who may write
			t.Errorf("the commit was not finished: %v", got)
		}
	})
}

// asSomebodyElse says how to run this binary so that it may not write: root may
// write everywhere, so it becomes another user.
func asSomebodyElse(t *testing.T) (binary string, attr *syscall.SysProcAttr) {
	if os.Getuid() != 0 {
		return os.Args[0], nil
	}
	dir, err := os.MkdirTemp("", "hub-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile(os.Args[0])
	binary = filepath.Join(dir, "hub.test")
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(binary, program, 0o755)); err != nil {
		t.Fatal(err)
	}
	return binary, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func lookAs(t *testing.T, f *folder, task, binary string, attr *syscall.SysProcAttr, want int) {
	readOnly(t, f.name.Folder)
	if err := os.Chmod(filepath.Dir(f.name.Folder), 0o755); err != nil { // which TempDir keeps to us
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^TestFolderProcess$", "-test.v")
	cmd.Dir, cmd.SysProcAttr = f.name.Folder, attr
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s . %d", taskVariable, task, want))
	if out := begin(t, cmd); !end(t, cmd, out) {
		t.Error("the process was killed")
	}
}

// readOnly takes the right to write from a folder and all in it.
func readOnly(t *testing.T, dir string) {
	var names []string
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || os.Chmod(name, info.Mode()&^0o222) != nil {
			t.Fatal(name, err)
		}
	}
	t.Cleanup(func() {
		for _, name := range names {
			os.Chmod(name, 0o755)
		}
	})
}

// write puts a file into a folder by hand.
func write(t *testing.T, f *folder, path, content string) {
	t.Helper()
	name := filepath.Join(f.name.Folder, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(content), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// Whatever a journal says, nothing outside of the folder changes.
func FuzzReplayStaysInTheFolder(f *testing.F) {
	head := `{"head":{"commit":"` + strings.Repeat("1", 40) + `"},"stage":".hub/stage-x"}`
	for _, journal := range []string{
		"", head, `{"delete":"in"}` + head, `{"put":"new","from":".hub/stage-x/0","size":1}` + head, `{"delete":"in"}`, `{"delete":"../out"}` + head,
		`{"put":"in","from":"../out"}` + head, `{"put":"link/out","from":".hub/stage-x/0"}` + head, `{"delete":"link/out"}` + head, strings.Replace(head, "stage-x", "stage-/../../in", 1),
	} {
		f.Add([]byte(journal))
	}
	f.Fuzz(func(t *testing.T, journal []byte) {
		dir := t.TempDir()
		repo := newFolder(Name{Folder: filepath.Join(dir, "repo")}, Options{})
		for _, path := range []string{"in", "../out", ".hub/stage-x/0"} {
			write(t, repo, path, path)
		}
		write(t, repo, ".hub/journal", string(journal))
		if err := os.Symlink("..", filepath.Join(repo.name.Folder, "link")); err != nil {
			t.Fatal(err)
		}
		repo.Head(t.Context()) // goes through the journal, or says why it cannot
		outside, _ := os.ReadDir(dir)
		if b, err := os.ReadFile(filepath.Join(dir, "out")); string(b) != "../out" || len(outside) != 2 {
			t.Errorf("outside there is %v, %q, %v", outside, b, err)
		}
	})
}
