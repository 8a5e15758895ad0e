package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

const testUsage = "Usage: tool [OPTION]... [FILE]\n\nDoes nothing.\n"

type testCommand struct {
	name string
	run  func(ctx context.Context, std *IO, args []string) error
}

func (c *testCommand) Flags(f *pflag.FlagSet) { f.StringVarP(&c.name, "name", "n", "", "") }
func (c *testCommand) Run(ctx context.Context, std *IO, args []string) error {
	return c.run(ctx, std, args)
}

func TestStatusAndMessages(t *testing.T) {
	fail := func(err error) func(context.Context, *IO, []string) error {
		return func(context.Context, *IO, []string) error { return err }
	}
	tests := []struct {
		args        string
		run         func(context.Context, *IO, []string) error
		status      int
		out, errOut string
	}{
		{"", fail(nil), 0, "", ""},
		{"--help", nil, 0, testUsage, ""},
		{"x -h", nil, 0, testUsage, ""},
		{"--bad", nil, 2, "", "tool: unknown flag: --bad\ntool: try 'tool --help'\n"},
		{"-n", nil, 2, "", "tool: flag needs an argument: 'n' in -n\ntool: try 'tool --help'\n"},
		{"", fail(Usagef("one FILE at most")), 2, "", "tool: one FILE at most\ntool: try 'tool --help'\n"},
		{"", fail(fmt.Errorf("x.warc: %w", os.ErrNotExist)), 1, "", "tool: x.warc: file does not exist\n"},
		{"", fail(Hint(errors.New("no body"), "do %s", "this")), 1, "", "tool: no body\ntool: hint: do this\n"},
		{"", fail(WithStatus(StatusTryLater, errors.New("quota"))), 75, "", "tool: quota\n"},
		{"", fail(fmt.Errorf("while: %w", Exit(1))), 1, "", ""},
		{"", fail(context.Canceled), 1, "", "tool: interrupted\n"},
		{"-nfoo a -- -b", func(_ context.Context, std *IO, args []string) error {
			fmt.Fprintln(std.Out, args)
			std.Warnf("warned %d", 1)
			return nil
		}, 0, "[a -b]\n", "tool: warning: warned 1\n"},
		{"-q", func(_ context.Context, std *IO, args []string) error {
			std.Warnf("warned")
			std.Notef("noted")
			std.Errorf("lost")
			return nil
		}, 0, "", "tool: lost\n"},
	}
	for _, tt := range tests {
		var out, errOut bytes.Buffer
		std := &IO{In: strings.NewReader(""), Out: &out, Err: &errOut}
		status := Run(context.Background(), testUsage, &testCommand{run: tt.run}, std, strings.Fields(tt.args))
		if status != tt.status || out.String() != tt.out || errOut.String() != tt.errOut {
			t.Errorf("%q: status %d, out %q, err %q", tt.args, status, out.String(), errOut.String())
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{"0": 0, "17": 17, "512K": 512 << 10, "16M": 16 << 20, "2G": 2 << 30} {
		var s Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s: %d, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "K", "-1", "1KK", "1k", "1.5M", "9999999999G", "x"} {
		if s := Size(7); s.Set(text) == nil || s != 7 {
			t.Errorf("%q is taken for %d bytes", text, s)
		}
	}
}

func TestProgressIsALineWhereThereIsNoTerminal(t *testing.T) {
	var errOut bytes.Buffer
	std := &IO{Err: &errOut, name: "tool"}
	p := std.Progress("archive", 100)
	p.last = p.last.Add(-reportEvery)
	p.start = p.start.Add(-10 * time.Second)
	if _, err := io.ReadFull(p.Reader(strings.NewReader(strings.Repeat("x", 50))), make([]byte, 50)); err != nil {
		t.Fatal(err)
	}
	p.Done()
	if got := errOut.String(); !strings.HasPrefix(got, "tool: archive: 0.0 MB at 0.0 MB/s, 50%, 10s left") {
		t.Errorf("%q", got)
	}
	quiet := (&IO{Quiet: true}).Progress("archive", 1)
	quiet.Add(1)
	quiet.Done()
}

// The process tests run this test binary as a command that copies its input.
func TestMain(m *testing.M) {
	if os.Getenv("CLI_TEST_COMMAND") != "" {
		Main(testUsage, &testCommand{run: func(ctx context.Context, std *IO, _ []string) error {
			fmt.Fprintln(std.Err, "ready")
			_, err := io.Copy(std.Out, std.In)
			return err
		}})
	}
	os.Exit(m.Run())
}

func command(t *testing.T) (*exec.Cmd, io.WriteCloser, io.Reader) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CLI_TEST_COMMAND=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, in, errOut
}

// A signal ends a command that waits for input, with the status of the signal,
// and without leaving its cleanup out.
func TestSignals(t *testing.T) {
	for sig, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd, _, errOut := command(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ready := make([]byte, len("ready\n"))
		if _, err := io.ReadFull(errOut, ready); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(sig)
		said, _ := io.ReadAll(errOut)
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != status || string(said) != "tool: interrupted\n" {
			t.Errorf("%v: status %d, %q", sig, got, said)
		}
	}
}

// SIGPIPE is the runtime's: a reader that goes away ends the command quietly.
func TestBrokenPipe(t *testing.T) {
	cmd, in, errOut := command(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	read.Close()
	go func() {
		for {
			if _, err := io.WriteString(in, strings.Repeat("line\n", 1000)); err != nil {
				return
			}
		}
	}()
	said, _ := io.ReadAll(errOut)
	cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGPIPE || string(said) != "ready\n" {
		t.Errorf("ended with %v, %q", cmd.ProcessState, said)
	}
}
