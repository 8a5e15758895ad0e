package hub

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
)

// List takes the whole listing under the lock, and gives it without: who reads it
// slowly, or commits meanwhile, holds nobody up.
func (f *folder) List(ctx context.Context, commit, prefix string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		files, head, err := f.list(ctx, commit, prefix)
		if f.named(&err); err != nil {
			yield(File{}, err)
			return
		}
		defer files.close()
		for {
			listed, err := files.next()
			if err == nil {
				err = ctx.Err()
			}
			if err == io.EOF {
				return
			}
			if f.named(&err); err != nil {
				yield(File{}, err)
				return
			}
			if !yield(f.file(listed.Name, head, listed.fileSums), nil) {
				return
			}
		}
	}
}

func (f *folder) file(path, head string, sums fileSums) File {
	return File{
		Path: path, Size: sums.Size, SHA256: sums.SHA256, OID: sums.OID,
		Repo: f.String(), Revision: head,
		URL: filepath.Join(f.name.Folder, filepath.FromSlash(path)),
	}
}

func (f *folder) list(ctx context.Context, commit, prefix string) (_ *spool, head string, err error) {
	t, err := f.shared(ctx)
	if err != nil {
		return nil, "", err
	}
	defer t.close()
	if head, err = t.at(commit); err != nil {
		return nil, "", err
	}
	files := newSpool()
	w := &walk{tree: t, ctx: ctx, visit: func(d *directory, path string, info fs.FileInfo) error {
		sums, err := d.sums(ctx, info)
		if err != nil {
			return err
		}
		return files.add(namedSums{path, sums})
	}}
	if err = w.from(prefix); err == nil {
		err = files.rewind()
	}
	if err != nil {
		files.close()
		return nil, "", err
	}
	w.report()
	return files, head, nil
}

func (f *folder) Lookup(ctx context.Context, commit string, paths []string) (_ []File, err error) {
	defer f.named(&err)
	t, err := f.shared(ctx)
	if err != nil {
		return nil, err
	}
	defer t.close()
	head, err := t.at(commit)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, path := range paths {
		sums, err := t.find(ctx, path)
		if err != nil {
			return nil, err
		}
		if sums != nil {
			files = append(files, f.file(path, head, *sums))
		}
	}
	return files, nil
}
