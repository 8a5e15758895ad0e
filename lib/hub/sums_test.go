package hub_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub"
)

// repoOf is a repository that has this content for every file, whatever was listed.
type repoOf struct {
	hub.Repo
	content hub.Content
}

func (repoOf) String() string                                        { return "me/x" }
func (r repoOf) Open(context.Context, hub.File) (hub.Content, error) { return r.content, nil }

// claimed is content that is said to have some size.
type claimed struct {
	io.ReaderAt
	size int64
}

func (c claimed) Size() int64  { return c.size }
func (c claimed) Close() error { return nil }

func TestCopyComparesWithTheSumThatIsKnown(t *testing.T) {
	text := pattern(9 << 20) // more than is asked for at once
	sums, err := hub.Sum(t.Context(), hub.BytesSource("text", text))
	ok(t, err)
	other := strings.Repeat("0", 64)
	for _, test := range []struct {
		sha256, oid, want string
	}{
		{sums.SHA256, sums.OID, ""},
		{sums.SHA256, "of the pointer", ""},
		{"", sums.OID, ""},
		{"", "", ""},
		{other, sums.OID, "me/x: a: the 9437184 bytes that came are not the file: their sum is " + sums.SHA256 + ", not " + other},
		{"", other[:40], "me/x: a: the 9437184 bytes that came are not the file: their sum is " + sums.OID + ", not " + other[:40]},
	} {
		var out bytes.Buffer
		file := hub.File{Path: "a", SHA256: test.sha256, OID: test.oid}
		err := hub.Copy(t.Context(), &out, repoOf{content: claimed{bytes.NewReader(text), int64(len(text))}}, file)
		if got := message(err); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
		if !bytes.Equal(out.Bytes(), text) {
			t.Errorf("%+v: it wrote %d other bytes", test, out.Len())
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCopySaysWhereReadingFailed(t *testing.T) {
	text, file := pattern(9<<20), hub.File{Path: "a"}
	short := repoOf{content: claimed{bytes.NewReader(text), int64(len(text)) + 1}}
	err := hub.Copy(t.Context(), io.Discard, short, file)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(message(err), "me/x: a: at 8388608: ") {
		t.Errorf("cut: %v", err)
	}
	full := errors.New("full")
	if err := hub.Copy(t.Context(), errorWriter{full}, short, file); err != full {
		t.Errorf("the writer's error: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := hub.Copy(ctx, io.Discard, short, file); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	empty := repoOf{content: claimed{strings.NewReader(""), 0}}
	if err := hub.Copy(t.Context(), io.Discard, empty, hub.File{Path: "a", OID: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"}); err != nil {
		t.Errorf("empty: %v", err)
	}
}

type errorWriter struct{ err error }

func (w errorWriter) Write([]byte) (int, error) { return 0, w.err }
