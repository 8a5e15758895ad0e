package wholefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.parquet")
	hello := func(f *os.File) error {
		if _, err := os.Stat(path); err == nil {
			t.Error("the name is there before the file is whole")
		}
		if matches, _ := filepath.Glob(filepath.Join(dir, "*.parquet")); len(matches) > 0 {
			t.Errorf("*.parquet finds %q", matches)
		}
		_, err := f.WriteString("hello")
		return err
	}
	failed := errors.New("failed")
	if err := Save(t.Context(), path, func(f *os.File) error { hello(f); return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Save(ended, path, hello); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if err := Save(t.Context(), path, hello); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "hello" || len(files(t, dir)) != 1 {
		t.Errorf("%q in %q", got, files(t, dir))
	}
}

// Nobody asked for the temporary file, so no error speaks of it.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	path, missing := filepath.Join(dir, "x"), filepath.Join(dir, "no", "dir", "x")
	err := Save(t.Context(), missing, nil)
	want := "open " + missing + ": no such file or directory: make the folder " + filepath.Dir(missing) + " first"
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != want {
		t.Errorf("no folder: %v, want %s", err, want)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(path, "y")
	if err := Save(t.Context(), below, nil); !errors.Is(err, syscall.ENOTDIR) || err.Error() != "open "+below+": not a directory" {
		t.Errorf("a file for a folder: %v", err)
	}
	err = Save(t.Context(), path, func(f *os.File) error {
		f.Close()
		_, err := f.WriteString("hello")
		return fmt.Errorf("rows: %w", err)
	})
	if want := "rows: write " + path + ": file already closed"; !errors.Is(err, fs.ErrClosed) || err.Error() != want {
		t.Errorf("no write: %v, want %s", err, want)
	}
	err = Save(t.Context(), path, func(*os.File) error {
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o777), os.WriteFile(below, nil, 0o666))
	})
	if want := path + ": it cannot get its name: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("no name: %v, want %s", err, want)
	}
}

func TestStream(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	failed := errors.New("failed")
	write := func(f *os.File) error {
		_, err := f.WriteString("hello")
		return err
	}
	if err := Stream(t.Context(), &out, func(f *os.File) error { write(f); return failed }); !errors.Is(err, failed) || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := Stream(t.Context(), &out, write); err != nil || out.String() != "hello" {
		t.Errorf("%v, %q", err, out.String())
	}
	if left := files(t, os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
