package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/open-index/ccnews/lib/hub"
)

// printer writes files in the form that was asked for.
type printer struct {
	command *command
	out     *bufio.Writer
	files   int64
	bytes   int64 // of the files
	line    []byte
}

func newPrinter(c *command, w io.Writer) *printer {
	return &printer{command: c, out: bufio.NewWriterSize(w, 64<<10)}
}

func (p *printer) file(f hub.File) error {
	p.files++
	p.bytes += f.Size
	switch {
	case p.command.long:
		// Twelve digits tell the files of any repository apart.
		fmt.Fprintf(p.out, "%13s  %-12.12s  %s\n", grouped(f.Size), f.SHA256, f.Path)
	case p.command.paths:
		fmt.Fprintln(p.out, f.Path)
	case p.command.urls:
		fmt.Fprintln(p.out, f.URL)
	default:
		p.line = append(f.AppendJSON(p.line[:0]), '\n')
		p.out.Write(p.line)
	}
	_, err := p.out.Write(nil) // an error sticks
	return err
}

// known prints the files found among paths, or under --missing the other paths.
// Both are in the order of paths. What was printed is passed on at once: who asked
// may be waiting for it.
func (p *printer) known(paths []string, files []hub.File) error {
	for _, path := range paths {
		switch found := len(files) > 0 && files[0].Path == path; {
		case found && p.command.missing:
			files = files[1:]
		case found:
			if err := p.file(files[0]); err != nil {
				return err
			}
			files = files[1:]
		case p.command.missing:
			fmt.Fprintln(p.out, path)
		}
	}
	return p.out.Flush()
}

// close writes the totals of a table, and what is buffered.
func (p *printer) close() error {
	if p.command.long {
		fmt.Fprintf(p.out, "%13s  %-12s  %s files\n", grouped(p.bytes), "bytes in all", grouped(p.files))
	}
	return p.out.Flush()
}

// grouped is n with a blank between thousands, as ISO 80000-1 has it.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}
