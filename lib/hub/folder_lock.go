package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tree is a folder while it is locked: we do not change it meanwhile, or nobody but
// we.
type tree struct {
	*folder
	root *os.Root   // never leads out of the folder
	lock *os.File   // nil where there is none and we may not make one
	last *directory // that was asked for
}

func (t *tree) close() {
	t.leave()
	if t.lock != nil {
		t.lock.Close() // also unlocks
	}
	t.root.Close()
}

// shared locks the folder for reading.
func (f *folder) shared(ctx context.Context) (*tree, error) {
	for {
		t, err := f.locked(ctx, unix.LOCK_SH)
		if err != nil {
			return nil, err
		}
		if _, err := t.root.Lstat(journalFile); errors.Is(err, fs.ErrNotExist) {
			return t, nil
		}
		t.close()
		if t, err = f.exclusive(ctx); err != nil {
			return nil, fmt.Errorf("reading needs a commit to be finished first: %w", err)
		}
		t.close()
	}
}

// exclusive locks the folder for a change, and finishes one that was cut off.
func (f *folder) exclusive(ctx context.Context) (*tree, error) {
	t, err := f.locked(ctx, unix.LOCK_EX)
	switch {
	case isReadOnly(err):
		return nil, fmt.Errorf("%w: the folder cannot be written to: %w", ErrDenied, err)
	case err != nil:
		return nil, err
	}
	if err := t.replay(true); err != nil {
		t.close()
		return nil, fmt.Errorf("a commit that was cut off cannot be finished: %w: mend this and run again", err)
	}
	return t, nil
}

func (f *folder) locked(ctx context.Context, how int) (*tree, error) {
	root, err := f.open()
	if err != nil {
		return nil, err
	}
	t := &tree{folder: f, root: root}
	mode := os.O_RDONLY // is enough to share it
	if how == unix.LOCK_EX {
		mode = os.O_RDWR
	}
	t.lock, err = root.OpenFile(lockFile, mode, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.lock, err = createLock(root, lockFile)
		if isReadOnly(err) && how == unix.LOCK_SH {
			return t, nil // whoever may write makes the lock first
		}
	}
	if err == nil {
		err = flock(ctx, t.lock, how)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// createLock makes a file for locking, and its directory.
func createLock(root *os.Root, name string) (*os.File, error) {
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := syncFolder(root, path.Dir(dir)); err != nil {
		return nil, err
	}
	return root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
}

// flock asks again and again, as waiting in the system could not be broken off.
func flock(ctx context.Context, file *os.File, how int) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB); err {
		case nil:
			return nil
		case unix.EWOULDBLOCK, unix.EINTR:
		default:
			return &fs.PathError{Op: "flock", Path: file.Name(), Err: err}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// sweep removes what died processes and old uploads have left.
func (t *tree) sweep() error {
	state, err := t.entries(stateDir)
	if err != nil {
		return err
	}
	for _, e := range state {
		name := stateDir + "/" + e.Name()
		switch {
		case strings.HasPrefix(e.Name(), stagePrefix) && t.abandoned(name):
			err = t.root.RemoveAll(name)
		case strings.HasSuffix(name, temporary):
			err = t.root.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return t.sweepObjects(time.Now().Add(-keepObjects))
}

// abandoned says whether no process holds a stage.
func (t *tree) abandoned(stage string) bool {
	lock, err := t.root.OpenFile(stage+"/lock", os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer lock.Close()
	return unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// entries reads a directory, which need not exist.
func (t *tree) entries(name string) ([]fs.DirEntry, error) {
	dir, err := t.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}
