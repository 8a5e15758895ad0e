// Package cli is the shape that every command shares: streams, flags, help,
// exit statuses, signals and progress. A command's main is one line,
//
//	func main() { cli.Main(usage, new(command)) }
//
// and its work is a function of streams, so that nothing but this package
// touches the process. The conventions are those of https://clig.dev and of
// grep: data on stdout, talk on stderr, help on stdout with status 0.
//
// SIGPIPE is left to the runtime: `| head` just ends the process (status 141).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Exit statuses, the same for every command but shard-grep (which follows grep).
const (
	StatusOK       = 0
	StatusFailed   = 1   // failed, or something was lost
	StatusUsage    = 2   // the command line is wrong
	StatusTryLater = 75  // limits, 5xx and timeouts after retries (EX_TEMPFAIL)
	statusSignal   = 128 // plus the number of the signal that ended the command
)

// Command is what a main hands to [Main].
type Command interface {
	// Flags registers the command's own flags. -h, -V and -q are Main's.
	Flags(*pflag.FlagSet)
	// Run does the work. The context ends on SIGINT and SIGTERM.
	Run(ctx context.Context, std *IO, args []string) error
}

// IO is what a command has of the process.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	// Quiet is -q: no warnings, no progress. Errors are still printed.
	Quiet bool
	// Typed says that In is a terminal.
	Typed bool
	name  string
}

// Warnf prints "tool: warning: …" on stderr, unless -q was given.
func (std *IO) Warnf(format string, args ...any) {
	if !std.Quiet {
		fmt.Fprintf(std.Err, "%s: warning: %s\n", std.name, fmt.Sprintf(format, args...))
	}
}

// Notef prints "tool: …" on stderr, unless -q was given.
func (std *IO) Notef(format string, args ...any) {
	if !std.Quiet {
		fmt.Fprintf(std.Err, "%s: %s\n", std.name, fmt.Sprintf(format, args...))
	}
}

// Errorf prints "tool: …" on stderr even under -q: something was lost, and the
// command goes on.
func (std *IO) Errorf(format string, args ...any) {
	fmt.Fprintf(std.Err, "%s: %s\n", std.name, fmt.Sprintf(format, args...))
}

// NeedInput is the usage error for a command that would wait for typing: it
// reads stdin, and stdin is a terminal.
func (std *IO) NeedInput() error {
	if std.Typed {
		return Usagef("nothing to read: stdin is a terminal")
	}
	return nil
}

// IsTerminal reports whether stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// memoryLimit is a soft limit on the heap: the collector works harder near it
// instead of letting garbage pile up. Bounds on live data are each command's.
const memoryLimit = 192 << 20

// Main runs a command and ends the process. usage is its whole help text; the
// first word after "Usage: " is the command's name.
func Main(usage string, cmd Command) {
	debug.SetMemoryLimit(memoryLimit)
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	caught := make(chan os.Signal, 1)
	go func() {
		sig := <-signals
		signal.Stop(signals) // a second signal ends the process at once
		caught <- sig
		cancel()
	}()

	widenPipe(os.Stdin)
	widenPipe(os.Stdout)
	std := &IO{In: interruptible(ctx, os.Stdin), Out: os.Stdout, Err: os.Stderr, Typed: IsTerminal(os.Stdin)}
	status := Run(ctx, usage, cmd, std, os.Args[1:])
	select {
	case sig := <-caught:
		if status != StatusOK {
			status = statusSignal + int(sig.(syscall.Signal))
		}
	default:
	}
	os.Exit(status)
}

// Run is Main without the process: it returns the exit status.
func Run(ctx context.Context, usage string, cmd Command, std *IO, args []string) int {
	std.name = commandName(usage)
	flags := pflag.NewFlagSet(std.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	help := flags.BoolP("help", "h", false, "")
	version := flags.BoolP("version", "V", false, "")
	flags.BoolVarP(&std.Quiet, "quiet", "q", false, "")
	cmd.Flags(flags)
	err := flags.Parse(args)
	switch {
	case *help || errors.Is(err, pflag.ErrHelp):
		return write(std, usage)
	case err != nil:
		return report(std, Usagef("%v", err))
	case *version:
		return write(std, std.name+" "+buildVersion()+"\n")
	}
	return report(std, cmd.Run(ctx, std, flags.Args()))
}

func write(std *IO, text string) int {
	_, err := io.WriteString(std.Out, text)
	return report(std, err)
}

func commandName(usage string) string {
	_, rest, _ := strings.Cut(usage, "Usage: ")
	name, _, _ := strings.Cut(rest, " ")
	return strings.TrimSpace(name)
}

// buildVersion is the module's version as the Go toolchain stamped it.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
