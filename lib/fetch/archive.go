package fetch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/webstream"
)

// maxIdle is how many archives are kept open that nobody reads right now.
const maxIdle = 256

// archives are those that rows have named.
type archives struct {
	files *rangeread.Client
	base  string

	mu     sync.Mutex
	byName map[string]*archive
}

// archive is one of them. It is safe for concurrent use.
type archive struct {
	rangeread.Source
	users int // guarded by archives.mu

	mu     sync.Mutex
	proven bool  // bytes have come
	failed error // before any byte came, for good or after all tries

	frame func() ([]byte, error) // see dictionary
}

// open gives the archive that rows call name. It must be let go.
func (a *archives) open(ctx context.Context, name string) (*archive, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	opened := a.byName[name]
	if opened == nil {
		source, err := a.source(ctx, name)
		if err != nil {
			return nil, err
		}
		opened = &archive{Source: source}
		opened.frame = sync.OnceValues(opened.readDictionary)
		a.byName[name] = opened
	}
	opened.users++
	return opened, nil
}

func (a *archives) letGo(name string, opened *archive) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if opened.users--; opened.users == 0 && len(a.byName) > maxIdle {
		delete(a.byName, name)
		opened.Close()
	}
}

func (a *archives) close() {
	for _, opened := range a.byName {
		opened.Close()
	}
}

// source finds an archive as warc-records does: a URL, a file here, or, of a name that
// begins with crawl-data/ and is no file here, what the base has under that name.
func (a *archives) source(ctx context.Context, name string) (rangeread.Source, error) {
	place := name
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "crawl-data/") {
		place = webstream.Resolve(a.base, name)
	}
	if webstream.IsURL(place) {
		return a.files.Open(ctx, place, -1)
	}
	return a.files.OpenFile(place)
}

// read fills p with the bytes from off on. Fewer come only where the archive ends. An
// archive that never gave a byte is not asked again once it was given up: a thousand
// rows of it would each cost all tries.
func (a *archive) read(p []byte, off int64) (int, error) {
	if err := a.givenUp(); err != nil {
		return 0, err
	}
	n, err := a.ReadAt(p, off)
	if err == io.EOF {
		err = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.proven = a.proven || n > 0
	if !a.proven && stays(err) {
		a.failed = err
	}
	return n, err
}

func (a *archive) givenUp() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		return fmt.Errorf("the archive was given up before: %w", a.failed)
	}
	return nil
}

// stays reports whether a failure is the archive's and not that of one range.
func stays(err error) bool {
	_, later := errors.AsType[*retry.LaterError](err)
	return later || errors.Is(err, &retry.StatusError{Status: http.StatusNotFound}) ||
		errors.Is(err, &retry.StatusError{Status: http.StatusGone})
}

const maxDictionary = 16 << 20

var (
	zstdMagic       = []byte{0x28, 0xb5, 0x2f, 0xfd}
	dictionaryMagic = []byte{0x5d, 0x2a, 0x4d, 0x18}
)

// dictionary is the frame at the start of an archive compressed with zstd that holds
// the dictionary of all its frames, nil if there is none
// (https://iipc.github.io/warc-specifications/specifications/warc-zstd/).
func (a *archive) dictionary() ([]byte, error) { return a.frame() }

func (a *archive) readDictionary() ([]byte, error) {
	head := make([]byte, 8)
	if n, err := a.read(head, 0); err != nil || n < len(head) || !bytes.HasPrefix(head, dictionaryMagic) {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	if size > maxDictionary {
		return nil, fmt.Errorf("the archive's dictionary has %d bytes: the limit is %d", size, maxDictionary)
	}
	frame := make([]byte, int64(len(head))+size)
	n, err := a.read(frame, 0)
	return frame[:n], err
}
