package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// reportEvery is how often a stderr that is no terminal gets a line.
const reportEvery = 30 * time.Second

// Progress tells on stderr how far long work has come: a bar on a terminal, a
// plain line every 30 seconds elsewhere, nothing under -q. A nil *Progress is
// silent, so callers need no ifs. It is not for concurrent use.
type Progress struct {
	bar  *progressbar.ProgressBar
	std  *IO
	what string
	done int64
	// total is in bytes, or -1 if unknown.
	total       int64
	start, last time.Time
}

// Progress starts reporting on total bytes of what; total -1 means unknown.
func (std *IO) Progress(what string, total int64) *Progress {
	if std.Quiet {
		return nil
	}
	p := &Progress{std: std, what: what, total: total, start: time.Now(), last: time.Now()}
	if IsTerminal(std.Err) {
		p.bar = newBar(std.Err, what, total)
	}
	return p
}

func newBar(w io.Writer, what string, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
}

// Add counts n more bytes.
func (p *Progress) Add(n int64) {
	if p == nil {
		return
	}
	p.done += n
	if p.bar != nil {
		p.bar.Add64(n)
		return
	}
	if now := time.Now(); now.Sub(p.last) >= reportEvery {
		p.last = now
		p.std.Notef("%s", p.line(now))
	}
}

func (p *Progress) line(now time.Time) string {
	rate := float64(p.done) / now.Sub(p.start).Seconds()
	line := fmt.Sprintf("%s: %.1f MB at %.1f MB/s", p.what, float64(p.done)/1e6, rate/1e6)
	if p.total > 0 && rate > 0 {
		left := time.Duration(float64(p.total-p.done) / rate * float64(time.Second))
		line += fmt.Sprintf(", %d%%, %s left", 100*p.done/p.total, left.Round(time.Second))
	}
	return line
}

// Done takes the bar off the terminal.
func (p *Progress) Done() {
	if p != nil && p.bar != nil {
		p.bar.Finish()
	}
}

// Reader counts what is read through it.
func (p *Progress) Reader(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return &progressReader{r, p}
}

type progressReader struct {
	io.Reader
	progress *Progress
}

func (r *progressReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.progress.Add(int64(n))
	return n, err
}
