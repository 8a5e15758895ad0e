package hub

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// keepObjects is how long content that was uploaded waits for its commit.
const keepObjects = 24 * time.Hour

func (f *folder) Upload(ctx context.Context, adds []Add) (err error) {
	defer f.named(&err)
	for _, add := range adds {
		if add.Source == nil {
			return fmt.Errorf("%s: nothing to upload: it has no source", add.Path)
		}
	}
	s, err := f.newStage(ctx, len(adds))
	if err != nil {
		return err
	}
	defer s.close()
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(f.options.Jobs)
	for i := range adds {
		group.Go(func() (err error) {
			s.files[i], err = s.add(within, i, &adds[i], place{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := checkSources(adds); err != nil {
		return err
	}
	return s.keep(adds)
}

// keep makes the staged files objects.
func (s *stage) keep(adds []Add) error {
	if err := s.root.MkdirAll(objectsDir, 0o777); err != nil {
		return err
	}
	for i, add := range adds {
		if err := s.root.Rename(s.file(i), objectsDir+"/"+add.SHA256); err != nil {
			return err
		}
	}
	if err := syncFolder(s.root, objectsDir); err != nil {
		return err
	}
	s.sent(adds)
	return nil
}

func (f *folder) sent(adds []Add) {
	if f.options.OnSent == nil {
		return
	}
	for _, add := range adds {
		f.options.OnSent(add.Size)
	}
}

// sweepObjects removes objects from before a time.
func (t *tree) sweepObjects(before time.Time) error {
	objects, err := t.entries(objectsDir)
	if err != nil {
		return err
	}
	for _, e := range objects {
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			if err := t.root.Remove(objectsDir + "/" + e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}
