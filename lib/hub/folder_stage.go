package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// stage is where a process puts new content, before it has the folder's lock.
type stage struct {
	*folder
	root   *os.Root
	name   string // .hub/stage-ID
	lock   *os.File
	files  []staged // one for each Add
	placed bool     // its journal: whoever goes through that removes the stage
}

// staged is the content of an Add.
type staged struct {
	fileSums
	have bool // in the stage; otherwise it was in place already
}

func (s *stage) file(i int) string { return s.name + "/" + strconv.Itoa(i) }

// newStage makes a stage for n files. It does so under the lock, so that nobody
// sees one that is not held yet.
func (f *folder) newStage(ctx context.Context, n int) (*stage, error) {
	t, err := f.exclusive(ctx)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.sweep(); err != nil {
		return nil, err
	}
	s := &stage{folder: f, name: stateDir + "/" + stagePrefix + strings.ToLower(rand.Text()), files: make([]staged, n)}
	if s.root, err = f.open(); err != nil {
		return nil, err
	}
	if s.lock, err = createLock(s.root, s.name+"/lock"); err == nil {
		err = unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	atStep("staging")
	return s, nil
}

func (s *stage) close() {
	if !s.placed {
		s.root.RemoveAll(s.name)
	}
	if s.lock != nil {
		s.lock.Close()
	}
	s.root.Close()
}

// fill stages what is not staged, unless what is at its path now is the same.
func (s *stage) fill(ctx context.Context, adds []Add) error {
	present, err := s.present(ctx, adds)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.options.Jobs)
	for i := range adds {
		if s.files[i].have {
			continue
		}
		group.Go(func() (err error) {
			if s.files[i], err = s.add(ctx, i, &adds[i], present[i]); err == nil {
				atStep("staged")
			}
			return err
		})
	}
	return group.Wait()
}

// present finds what is at the paths now, and, for content that is named only by
// its sum and not among the objects, a file that has it.
func (s *stage) present(ctx context.Context, adds []Add) ([]place, error) {
	t, err := s.shared(ctx)
	if err != nil {
		return nil, err
	}
	defer t.close()
	places := make([]place, len(adds))
	wanted := map[string]string{} // paths by sum
	for i, add := range adds {
		sums, err := t.find(ctx, add.Path)
		if err != nil {
			return nil, err
		}
		if sums != nil {
			places[i].now = *sums
		}
		if add.Source != nil || sums != nil && sums.SHA256 == add.SHA256 {
			continue
		}
		if places[i].from = objectsDir + "/" + add.SHA256; !t.hasFile(places[i].from) {
			wanted[add.SHA256] = ""
		}
	}
	if err := t.search(ctx, wanted); err != nil {
		return nil, err
	}
	for i, add := range adds {
		if from, ok := wanted[add.SHA256]; ok && places[i].from != "" {
			places[i].from = from
		}
	}
	return places, nil
}

// place is what is known of an Add before it is staged.
type place struct {
	now  fileSums // at its path; zero if there is none
	from string   // a file that has its content, if it has no Source; "" if there is none
}

func (t *tree) hasFile(name string) bool {
	info, err := t.root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

var errFound = errors.New("all found")

// search fills in the path of a file for each of the sums, where there is one.
func (t *tree) search(ctx context.Context, wanted map[string]string) error {
	if len(wanted) == 0 {
		return nil
	}
	left := len(wanted)
	w := &walk{tree: t, ctx: ctx, visit: func(d *directory, path string, info fs.FileInfo) error {
		sums, err := d.sums(ctx, info)
		if known, ok := wanted[sums.SHA256]; err == nil && ok && known == "" {
			wanted[sums.SHA256] = path
			if left--; left == 0 {
				return errFound
			}
		}
		return err
	}}
	if err := w.from(""); err != errFound {
		return err
	}
	return nil
}

// add stages one file and fills in its sums.
func (s *stage) add(ctx context.Context, i int, add *Add, at place) (file staged, err error) {
	if add.Source == nil {
		if file, err = s.stored(ctx, i, add, at); err != nil {
			return file, err
		}
	} else if file, err = s.source(ctx, i, add.Source, at.now); err != nil {
		return file, fmt.Errorf("%s: %w", add.Source, err)
	}
	add.SHA256, add.Size = file.SHA256, file.Size
	return file, nil
}

// source stages the content of a Source. It is read once to compare it first if it
// could be what is there.
func (s *stage) source(ctx context.Context, i int, source Source, now fileSums) (file staged, err error) {
	content, err := source.Open()
	if err != nil {
		return file, err
	}
	defer content.Close()
	size := source.Size()
	if now.SHA256 != "" && now.Size == size {
		if file.Sums, err = copySums(ctx, io.Discard, content, size); err != nil || file.SHA256 == now.SHA256 {
			return file, err
		}
	}
	file.fileSums, err = s.write(ctx, i, content, size)
	file.have = true
	return file, err
}

// stored stages content that the folder has already. It is copied and its sum taken
// again, as files of the tree may be changed by hand.
func (s *stage) stored(ctx context.Context, i int, add *Add, at place) (file staged, err error) {
	if at.now.SHA256 == add.SHA256 && at.now.Size == add.Size {
		return staged{fileSums: at.now}, nil
	}
	lost := fmt.Errorf("%s: %w: %s of %d bytes: upload it again", add.Path, ErrLost, add.SHA256, add.Size)
	if at.from == "" {
		return file, lost
	}
	content, err := s.root.Open(at.from)
	if errors.Is(err, fs.ErrNotExist) {
		return file, lost
	} else if err != nil {
		return file, err
	}
	defer content.Close()
	file.fileSums, err = s.write(ctx, i, content, add.Size)
	file.have = true
	if errors.Is(err, io.ErrUnexpectedEOF) || err == nil && file.SHA256 != add.SHA256 {
		return file, lost
	}
	return file, err
}

// write writes a file of the stage, down to the disk.
func (s *stage) write(ctx context.Context, i int, from io.ReaderAt, size int64) (sums fileSums, err error) {
	file, err := s.root.OpenFile(s.file(i), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return sums, err
	}
	defer file.Close()
	if sums.Sums, err = copySums(ctx, file, from, size); err != nil {
		return sums, err
	}
	if err := file.Sync(); err != nil {
		return sums, err
	}
	info, err := file.Stat()
	if err != nil {
		return sums, err
	}
	sums.Time = info.ModTime().UnixNano()
	return sums, file.Close()
}

// checkSources is the last look at the sources, after all of them were read.
func checkSources(adds []Add) error {
	for _, add := range adds {
		if add.Source == nil {
			continue
		}
		if err := add.Source.Check(); err != nil {
			return err
		}
	}
	return nil
}
