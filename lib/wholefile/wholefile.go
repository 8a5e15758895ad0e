// Package wholefile makes files that are whole or not there: a file gets its name
// by rename(2) when all its bytes are on the disk, and a stream gets its first byte
// when the last one is known. So no reader meets half a file, however the writer
// ends.
package wholefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Save makes the file at path, or none: write fills a temporary file in the
// same folder, which gets its name only after write returned nil and all bytes
// are on the disk. The temporary file's name begins with a dot and ends in
// ".tmp"; it is gone again if write fails or ctx ends, and errors call it path.
// What is no regular file, /dev/null for one, is written to and not replaced.
func Save(ctx context.Context, path string, write func(*os.File) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return saveInto(ctx, path, write)
	}
	temp, err := createTemp(path)
	if err != nil {
		return err
	}
	defer func() {
		temp.Close()
		if err != nil {
			os.Remove(temp.Name())
			err = &namedError{err, temp.Name(), path}
		}
	}()
	if err := write(temp); err != nil {
		return err
	}
	if err := errors.Join(temp.Sync(), temp.Close(), ctx.Err()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return fmt.Errorf("%s: it cannot get its name: %w", path, errors.Unwrap(err))
	}
	return syncDir(filepath.Dir(path))
}

// namedError speaks of the file that is made, and not of the temporary one.
type namedError struct {
	error
	temp, path string
}

func (e *namedError) Error() string { return strings.ReplaceAll(e.error.Error(), e.temp, e.path) }
func (e *namedError) Unwrap() error { return e.error }

// createTemp is like os.CreateTemp, but the file has the permissions that any
// new file gets: it is going to stay.
func createTemp(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	name := filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
	temp, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil:
		return temp, nil
	case absent(dir):
		return nil, fmt.Errorf("%w: make the folder %s first", &namedError{err, name, path}, filepath.Clean(dir))
	}
	return nil, &namedError{err, name, path}
}

// absent says that there is no such folder. "" is the working directory.
func absent(dir string) bool {
	_, err := os.Stat(dir)
	return dir != "" && errors.Is(err, fs.ErrNotExist)
}

func saveInto(ctx context.Context, path string, write func(*os.File) error) error {
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	return Stream(ctx, out, write)
}

// syncDir makes a new name in dir last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Stream is Save for a stream: not a byte goes to out before write returned nil.
func Stream(ctx context.Context, out io.Writer, write func(*os.File) error) error {
	temp, err := os.CreateTemp("", "ccnews-*")
	if err != nil {
		return err
	}
	defer temp.Close()
	os.Remove(temp.Name()) // the system frees it however the process ends
	if err := errors.Join(write(temp), ctx.Err()); err != nil {
		return err
	}
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(out, temp)
	return err
}
