package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the kernel's usual upper limit for an unprivileged process. The
// default of 64 KiB holds less than one record, so that both ends of a pipe
// wait for each other at every line.
const pipeSize = 1 << 20

// widenPipe enlarges f's buffer if f is a pipe. It is only an optimisation:
// failure is no error.
func widenPipe(f *os.File) {
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, pipeSize)
	}
}
