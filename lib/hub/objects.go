package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// maxBatch is how many objects or files the hub takes in one request.
	maxBatch = 256
	// maxObjects is how many objects are sent at once, and maxParts how many parts
	// of one, within Options.Jobs: what the official clients allow themselves.
	maxObjects = 5
	maxParts   = 5
	// maxStarts is how often an object is begun: URLs of the store expire, and it
	// may lose what it had.
	maxStarts = 3
	// maxAge is how long the hub's word on an object is taken: its URLs are good for
	// 15 minutes, and a store that refuses one hangs up on who is still sending.
	maxAge = 10 * time.Minute
)

// object is content for the store.
type object struct {
	sha256 string
	size   int64
	source *adding   // one of files that has a Source; nil if none does
	files  []*adding // that have this content
}

// distinct gathers files of the same content.
func distinct(files []*adding) []*object {
	var objects []*object
	known := map[string]*object{}
	for _, f := range files {
		o := known[f.add.SHA256]
		if o == nil {
			o = &object{sha256: f.add.SHA256, size: f.add.Size}
			known[o.sha256] = o
			objects = append(objects, o)
		}
		if f.add.Source != nil && o.source == nil {
			o.source = f
		}
		o.files = append(o.files, f)
	}
	return objects
}

// Upload sends everything to the store, where a commit can take it from whatever
// the repository's rules say of its path.
func (r *remote) Upload(ctx context.Context, adds []Add) error {
	files, err := r.sum(ctx, adds)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.add.Size == 0 {
			return fmt.Errorf("%s: %s: an empty file cannot be uploaded ahead of its commit: the store takes none", r, f.add.Path)
		}
	}
	return r.store(ctx, files, false)
}

// store sends the content of files to the store, as far as it is not there.
func (r *remote) store(ctx context.Context, files []*adding, pullRequest bool) error {
	lost := &LostError{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxObjects)
	for objects := range slices.Chunk(distinct(files), maxBatch) {
		transfers, err := r.batch(ctx, objects, pullRequest)
		if err != nil {
			group.Go(func() error { return err })
			break
		}
		for i, o := range objects {
			switch {
			case transfers[i] == nil:
				r.stored(o)
			case o.source == nil:
				for _, f := range o.files {
					lost.Paths = append(lost.Paths, f.add.Path)
				}
			default:
				group.Go(func() error { return r.sendObject(ctx, o, transfers[i], pullRequest) })
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if len(lost.Paths) > 0 {
		slices.Sort(lost.Paths)
		return fmt.Errorf("%s: %w", r, lost)
	}
	return nil
}

// stored reports that the store has an object.
func (r *remote) stored(o *object) {
	for _, f := range o.files {
		r.tell(f, f.add.Size)
	}
}

// again is a failure after which an object is begun anew.
type again struct{ error }

func (a again) Unwrap() error { return a.error }

// sendObject sends an object as t says, or as the hub says later.
func (r *remote) sendObject(ctx context.Context, o *object, t *transfer, pullRequest bool) error {
	what := r.what("upload " + o.source.add.Path)
	for start := 1; ; start++ {
		if start > 1 || r.now().Sub(t.asked) > maxAge {
			next, err := r.renew(ctx, what, o, t, pullRequest)
			if err != nil {
				return err
			}
			if t = next; t == nil {
				break
			}
		}
		err := r.transfer(ctx, what, o, t)
		if err == nil {
			break
		}
		if _, anew := errors.AsType[again](err); !anew || start == maxStarts {
			return err
		}
	}
	if err := o.source.add.Source.Check(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	r.stored(o)
	return nil
}

// renew asks again how an object gets into the store; nil means that it is there.
// The hub says so if an answer was lost, but also if what is there is not the whole,
// which only verifying tells.
func (r *remote) renew(ctx context.Context, what string, o *object, t *transfer, pullRequest bool) (*transfer, error) {
	transfers, err := r.batch(ctx, []*object{o}, pullRequest)
	if err != nil {
		return nil, err
	}
	next := transfers[0]
	if next == nil && t.verify != nil && r.verify(ctx, what, o, t.verify) != nil {
		next = t
	}
	return next, nil
}

// transfer sends an object once, in one piece or in parts.
func (r *remote) transfer(ctx context.Context, what string, o *object, t *transfer) error {
	var err error
	if t.parts == nil {
		_, err = r.put(ctx, what, o, t.upload, piece{0, o.size})
	} else {
		err = r.putParts(ctx, what, o, t)
	}
	if err == nil && t.verify != nil {
		err = r.verify(ctx, what, o, t.verify)
	}
	return err
}

// putParts sends the parts of an object and has the hub put them together.
func (r *remote) putParts(ctx context.Context, what string, o *object, t *transfer) error {
	tags := make([]string, len(t.parts))
	var mu sync.Mutex
	var done int64 // bytes
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(maxParts)
	for i, to := range t.parts {
		group.Go(func() (err error) {
			p := piece{int64(i) * t.partSize, 0}
			p.length = min(t.partSize, o.size-p.offset)
			part := fmt.Sprintf("%s: part %d of %d", what, i+1, len(t.parts))
			if tags[i], err = r.put(groupCtx, part, o, to, p); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done += p.length
			r.tell(o.source, done)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return r.complete(ctx, what, o, t.upload, tags)
}
