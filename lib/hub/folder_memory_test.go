package hub

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// zeros is content without an end in sight.
type zeros struct{ size int64 }

func (z zeros) Open() (Content, error) { return z, nil }
func (z zeros) Size() int64            { return z.size }
func (zeros) Check() error             { return nil }
func (zeros) String() string           { return "zeros" }
func (zeros) Close() error             { return nil }
func (z zeros) ReadAt(p []byte, offset int64) (int, error) {
	n := min(int64(len(p)), z.size-offset)
	clear(p[:n])
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A large file costs no more memory than a small one.
func TestFolderMemoryOfFiles(t *testing.T) {
	f, _ := warned(t)
	start := allocated()
	if _, err := f.Commit(t.Context(), Change{Adds: []Add{{Path: "big", Source: zeros{64 << 20}}}}); err != nil {
		t.Fatal(err)
	}
	if used := allocated() - start; used > 4<<20 {
		t.Errorf("64 MiB took %d bytes of memory", used)
	}
}

// Nor does a large tree, while it is listed or deleted.
func TestFolderMemoryOfTrees(t *testing.T) {
	f, _ := warned(t)
	const folders, each = 20, 150
	for i := range folders * each {
		write(t, f, fmt.Sprintf("data/with a long name/%03d/%s%03d", i/each, strings.Repeat("long ", 40), i), "x")
	}
	start, most, n := live(), uint64(0), 0
	for _, err := range f.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%1000 == 1 {
			most = max(most, live())
		}
	}
	if n != folders*each || most > start+1<<20 { // their lines are 1.4 MB
		t.Errorf("%d files took %d bytes of memory", n, most-start)
	}
	before := allocated()
	landed, err := f.Commit(t.Context(), Change{Deletes: []string{"data/"}})
	if err != nil || landed.Files[0].State != Deleted {
		t.Fatal(landed, err)
	}
	if got := paths(t, f, ""); len(got) > 0 {
		t.Errorf("%d files are left", len(got))
	}
	t.Logf("listing took up to %d bytes of memory, deleting allocated %d a file", most-start, (allocated()-before)/(folders*each))
}
