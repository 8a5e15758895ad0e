package hub_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/open-index/ccnews/lib/hub"
)

func TestSources(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	text := pattern(10_000)
	ok(t, os.WriteFile(name, text, 0o666))
	file, err := hub.FileSource(name)
	ok(t, err)
	for _, source := range []hub.Source{file, hub.BytesSource("some bytes", text)} {
		if source.Size() != int64(len(text)) || source.String() == "" || source.Check() != nil {
			t.Errorf("%s: size %d, %v", source, source.Size(), source.Check())
		}
		for range 2 { // it can be read twice, and both at once
			c, err := source.Open()
			ok(t, err)
			defer c.Close()
			if c.Size() != source.Size() {
				t.Errorf("%s: %d bytes open", source, c.Size())
			}
			ok(t, iotest.TestReader(io.NewSectionReader(c, 0, c.Size()), text))
		}
	}
}

// A file that is not what it was when its Source was made says so, by its name.
func TestFileSourceNoticesChanges(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"touched":  func(name string) error { return os.Chtimes(name, time.Now(), time.Now().Add(time.Hour)) },
		"longer":   func(name string) error { return os.WriteFile(name, []byte("longer"), 0o666) },
		"removed":  os.Remove,
		"replaced": replace,
	} {
		name := filepath.Join(t.TempDir(), "x")
		ok(t, os.WriteFile(name, []byte("text"), 0o666))
		source, err := hub.FileSource(name)
		ok(t, err)
		ok(t, source.Check())
		ok(t, change(name))
		if err := source.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: Check: %v", what, err)
		}
		if _, err := source.Open(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: Open: %v", what, err)
		}
	}
}

// replace puts another file of the same size and time in a file's place.
func replace(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", []byte("TEXT"), 0o666); err != nil {
		return err
	}
	if err := os.Chtimes(name+".new", info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

func TestFileSourceTakesFilesAlone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none"), os.DevNull} {
		if _, err := hub.FileSource(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
