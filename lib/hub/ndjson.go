package hub

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// line is one of a commit's body, which is JSON lines. The content of a regular
// file is in its middle, as base64, and is read only when the line is sent.
type line struct {
	before  []byte
	content *adding // nil if there is none
	after   []byte
}

// jsonLine is one of strings and numbers, which can all be JSON.
func jsonLine(key string, value any) line {
	text, _ := json.Marshal(map[string]any{"key": key, "value": value})
	return line{before: append(text, '\n')}
}

// contentLine is the line of a regular file.
func contentLine(f *adding) line {
	path, _ := json.Marshal(f.add.Path)
	return line{
		before:  fmt.Appendf(nil, `{"key":"file","value":{"path":%s,"encoding":"base64","content":"`, path),
		content: f,
		after:   []byte("\"}}\n"),
	}
}

// size is the line's length in bytes.
func (l *line) size() int64 {
	size := int64(len(l.before) + len(l.after))
	if l.content != nil {
		size += (l.content.add.Size + 2) / 3 * 4
	}
	return size
}

// openLines streams lines. If the content of a file is not what was announced, the
// stream ends with an error before that file does, so that no commit is made of it.
func openLines(lines []line) io.ReadCloser {
	out, in := io.Pipe()
	go func() { in.CloseWithError(writeLines(in, lines)) }()
	return out
}

func writeLines(w io.Writer, lines []line) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	for i := range lines {
		l := &lines[i]
		buffered.Write(l.before)
		if l.content != nil {
			if err := writeContent(buffered, l.content); err != nil {
				return err
			}
		}
		// Such an error stays: the next one is it, too.
		if _, err := buffered.Write(l.after); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

func writeContent(w io.Writer, f *adding) error {
	section, err := f.section(0, f.add.Size)
	if err != nil {
		return err
	}
	defer section.Close()
	blob := newBlob(f.add.Size)
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.Copy(io.MultiWriter(encoder, blob), section); err != nil {
		return err
	}
	if hexSum(blob) != f.oid {
		return fmt.Errorf("%s: the file changed while it was read: run again when nothing writes to it", f.add.Source)
	}
	return encoder.Close()
}
