package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
)

// adding is an [Add] on its way.
type adding struct {
	add *Add
	oid string // of the git blob; "" without a Source
	// lfs says that the store keeps the content and the commit only names it.
	lfs   bool
	state State
	// doubtful says that a commit was sent with it whose answer was lost.
	doubtful bool

	mu   sync.Mutex
	told int64 // bytes that OnSent was told of
}

// sum reads the sources of adds once and fills in their sums.
func (r *remote) sum(ctx context.Context, adds []Add) ([]*adding, error) {
	files := make([]*adding, len(adds))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.options.Jobs)
	for i := range adds {
		f := &adding{add: &adds[i]}
		files[i] = f
		group.Go(func() error {
			if err := f.sum(ctx); err != nil {
				return fmt.Errorf("%s: %s: %w", r, f.add.Path, err)
			}
			return nil
		})
	}
	return files, group.Wait()
}

func (f *adding) sum(ctx context.Context) error {
	if err := CheckPath(f.add.Path); err != nil {
		return err
	}
	if f.add.Source == nil {
		if !isHex(f.add.SHA256, 64) || f.add.Size <= 0 {
			return errors.New("without a source it needs the SHA-256 and size of what was uploaded")
		}
		return nil
	}
	sums, err := Sum(ctx, f.add.Source)
	if err != nil {
		return err
	}
	f.add.SHA256, f.add.Size, f.oid = sums.SHA256, sums.Size, sums.OID
	return nil
}

// is reports whether e, which the repository has, is the file itself.
func (f *adding) is(e entry) bool {
	switch {
	case e.Type != "file":
		return false
	case e.LFS != nil:
		return e.LFS.OID == f.add.SHA256
	}
	return f.oid != "" && e.OID == f.oid
}

// tell reports that bytes of the file are stored, counted from its start.
func (r *remote) tell(f *adding, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if bytes > f.told {
		if r.options.OnSent != nil {
			r.options.OnSent(bytes - f.told)
		}
		f.told = bytes
	}
}

// section opens length bytes of the source at offset.
func (f *adding) section(offset, length int64) (io.ReadCloser, error) {
	content, err := f.add.Source.Open()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(content, offset, length), content}, nil
}

// maxSample is how many bytes of a file the hub looks at to see what it is.
const maxSample = 512

// start is the first bytes of the file, at most most.
func (f *adding) start(most int64) ([]byte, error) {
	section, err := f.section(0, min(most, f.add.Size))
	if err != nil {
		return nil, err
	}
	defer section.Close()
	return io.ReadAll(section)
}
