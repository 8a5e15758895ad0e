// Package leaktest notices goroutines that outlive a test. Whatever stops early,
// fails or is cancelled has to end those that it started.
package leaktest

import (
	"runtime"
	"testing"
	"time"
)

// patience is how long goroutines may take to end that were told to.
const patience = 5 * time.Second

// NoGoroutineLeft fails a test that ends with more goroutines than there are now. It
// looks after all cleanups that are registered later. The test must not run in
// parallel with others.
func NoGoroutineLeft(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 64<<10)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
}
