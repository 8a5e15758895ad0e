package hub

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// taskVariable makes a test binary a process of its own that does one task with a
// folder: "task folder number".
const taskVariable = "HUB_FOLDER_TASK"

// TestFolderProcess is not a test but what the tests below run in processes.
func TestFolderProcess(t *testing.T) {
	task, rest, _ := strings.Cut(os.Getenv(taskVariable), " ")
	if task == "" {
		t.Skip("it is what other tests start")
	}
	name, number, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(number)
	f := newFolder(Name{Folder: name}, Options{})
	fmt.Println("ready")
	if err := map[string]func(*testing.T, *folder, int) error{
		"change": dieAtStep, "read": readAndDie, "generation": commitGeneration, "count": countUp, "full": commitOnFullDisk, "look": look, "wait": wait,
	}[task](t, f, n); err != nil {
		t.Fatal(err)
	}
	fmt.Println("done")
}

// process starts a task and waits until it is about to begin.
func process(t *testing.T, f *folder, task string, n int) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolderProcess$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", taskVariable, task, f.name.Folder, n))
	return cmd, begin(t, cmd)
}

func begin(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	for line := ""; line != "ready\n"; {
		if line, err = out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// end waits for a process, and says whether it did its task. One that neither did
// it nor was killed is a failure.
func end(t *testing.T, cmd *exec.Cmd, out *bufio.Reader) bool {
	t.Helper()
	text, _ := io.ReadAll(out)
	err := cmd.Wait()
	if err == nil && strings.Contains(string(text), "done\n") {
		return true
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%v\n%s", err, text)
	}
	return false
}

// dieAt kills the process at step n of whatever it does.
func dieAt(n int) {
	var steps atomic.Int64
	atStep = func(string) {
		if steps.Add(1) == int64(n) {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

func dieAtStep(t *testing.T, f *folder, n int) error {
	dieAt(n)
	_, err := f.Commit(t.Context(), secondChange())
	return err
}

func readAndDie(t *testing.T, f *folder, n int) error {
	dieAt(n)
	_, err := f.Head(t.Context())
	return err
}

func text(path, content string) Add {
	return Add{Path: path, Source: BytesSource(path, []byte(content))}
}

func firstChange() Change {
	return Change{Adds: []Add{
		text("a/replaced", "1"), text("a/same", "same"), text("a/gone", "gone"), text("b/c/x", "x"), text("b/c/y", "y"), text("b/z", "z"), text("e", "e"),
	}}
}

func secondChange() Change {
	return Change{
		Adds:    []Add{text("a/replaced", "2"), text("a/same", "same"), text("b/c/x", "new x"), text("d/d/new", "new"), text("f", "e")},
		Deletes: []string{"a/gone", "b/", "none", "e"},
	}
}

// contents are those of a folder by path, read as another command would.
func contents(t *testing.T, f *folder) map[string]string {
	t.Helper()
	files := map[string]string{}
	for file, err := range f.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file.URL)
		if err != nil {
			t.Fatal(err)
		}
		files[file.Path] = string(b)
	}
	return files
}

// state is all that is to see of a folder.
func state(t *testing.T, f *folder) string {
	t.Helper()
	head, err := f.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(head, contents(t, f)) // a map is printed in the order of its keys
}

func fresh(t *testing.T) *folder {
	t.Helper()
	f := newFolder(Name{Folder: t.TempDir()}, Options{})
	if _, err := f.Commit(t.Context(), firstChange()); err != nil {
		t.Fatal(err)
	}
	return f
}

// expected are the states before and after secondChange.
func expected(t *testing.T) (before, after string) {
	f := fresh(t)
	before = state(t, f)
	if _, err := f.Commit(t.Context(), secondChange()); err != nil {
		t.Fatal(err)
	}
	after = state(t, f)
	want := map[string]string{"a/replaced": "2", "a/same": "same", "b/c/x": "new x", "d/d/new": "new", "f": "e"}
	if got := contents(t, f); !maps.Equal(got, want) {
		t.Fatalf("after both changes: %v, want %v", got, want)
	}
	return before, after
}

func checkRepeats(t *testing.T, f *folder, after string) {
	t.Helper()
	if _, err := f.Commit(t.Context(), secondChange()); err != nil {
		t.Fatal(err)
	}
	if got := state(t, f); got != after {
		t.Errorf("the change again: %s, want %s", got, after)
	}
	left, err := os.ReadDir(filepath.Join(f.name.Folder, stateDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), stagePrefix) || e.Name() == "journal" || strings.HasSuffix(e.Name(), temporary) {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// A commit whose process dies at any step leaves the old or the new tree, and the
// same commit again gives the new one.
func TestFolderCommitDiesAtEveryStep(t *testing.T) {
	t.Parallel()
	before, after := expected(t)
	old, landed := 0, 0
	for n, done := 1, false; !done; n++ {
		f := fresh(t)
		cmd, out := process(t, f, "change", n)
		done = end(t, cmd, out)
		switch got := state(t, f); got {
		case before:
			old++
		case after:
			landed++
		default:
			t.Errorf("step %d: %s, want %s or %s", n, got, before, after)
		}
		checkRepeats(t, f, after)
	}
	t.Logf("died at %d steps before and %d after landing", old, landed-1)
	if old < 5 || landed < 10 {
		t.Errorf("the old tree %d times, the new one %d", old, landed)
	}
}

// So does one that dies while it finishes another that died.
func TestFolderReplayDiesAtEveryStep(t *testing.T) {
	placed := stepOf(t, "journal placed")
	t.Parallel() // not before, as that counts the steps of all
	_, after := expected(t)
	for m, done := 1, false; !done; m++ {
		f := fresh(t)
		for _, task := range []struct {
			name string
			n    int
		}{{"change", placed}, {"read", m}, {"read", 1 + m/2}} {
			cmd, out := process(t, f, task.name, task.n)
			done = end(t, cmd, out)
		}
		if got := state(t, f); got != after {
			t.Errorf("step %d: %s, want %s", m, got, after)
		}
		checkRepeats(t, f, after)
	}
}

// stepOf is the number of a step in secondChange.
func stepOf(t *testing.T, name string) (number int) {
	f := fresh(t)
	var steps atomic.Int64
	atStep = func(step string) {
		if n := steps.Add(1); step == name {
			number = int(n)
		}
	}
	defer func() { atStep = func(string) {} }()
	if _, err := f.Commit(t.Context(), secondChange()); err != nil {
		t.Fatal(err)
	}
	return number
}
