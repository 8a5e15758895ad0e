package leaktest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// fake is a test that keeps its cleanup.
type fake struct {
	testing.TB
	cleanup func()
}

func (f *fake) Cleanup(c func())                  { f.cleanup = c }
func (f *fake) Fatalf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// failure is what Fatalf ends a cleanup with.
type failure string

// end runs the cleanup and returns what it failed with.
func (f *fake) end() (failed string) {
	defer func() {
		if text, ok := recover().(failure); ok {
			failed = string(text)
		}
	}()
	f.cleanup()
	return ""
}

func waitingForEver(stop chan struct{}) { <-stop }

// The five seconds are those of a fake clock.
func TestAGoroutineThatIsLeftIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, stop := &fake{TB: t}, make(chan struct{})
		NoGoroutineLeft(f)
		go waitingForEver(stop)
		if got := f.end(); !strings.Contains(got, "waitingForEver") {
			t.Errorf("a goroutine that is left: %q", got)
		}
		close(stop)
		if got := f.end(); got != "" {
			t.Errorf("no goroutine is left: %q", got)
		}
	})
}
