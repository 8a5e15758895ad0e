package inorder

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/leaktest"
)

func count(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func TestResultsKeepTheOrder(t *testing.T) {
	leaktest.NoGoroutineLeft(t)
	for _, jobs := range []int{0, 1, 2, 16} {
		m := Map[int, int]{Jobs: jobs, Do: func(i int) (int, error) {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
			return i * i, nil
		}}
		next := 0
		for out, err := range m.All(context.Background(), count(1000)) {
			if err != nil || out != next*next {
				t.Fatalf("result %d is %d, %v", next, out, err)
			}
			next++
		}
		if next != 1000 {
			t.Fatalf("%d results", next)
		}
	}
}

func TestFirstErrorWinsAfterTheResultsBeforeIt(t *testing.T) {
	leaktest.NoGoroutineLeft(t)
	bad := errors.New("bad")
	fail := Map[int, int]{Jobs: 4, Do: func(i int) (int, error) {
		if i >= 100 {
			return 0, bad
		}
		return i, nil
	}}
	pass := Map[int, int]{Jobs: 4, Do: func(i int) (int, error) { return i, nil }}
	broken := func(yield func(int, error) bool) {
		for i := range 100 {
			if !yield(i, nil) {
				return
			}
		}
		yield(0, bad)
	}
	for name, results := range map[string]iter.Seq2[int, error]{
		"Do":     fail.All(context.Background(), count(1000)),
		"source": pass.All(context.Background(), broken),
	} {
		n, last := 0, error(nil)
		for out, err := range results {
			if last = err; err == nil && out != n {
				t.Errorf("%s: result %d is %d", name, n, out)
			} else if err == nil {
				n++
			}
		}
		if n != 100 || last != bad {
			t.Errorf("%s: %d results, then %v", name, n, last)
		}
	}
}

func TestStoppingAndCancellingEnd(t *testing.T) {
	leaktest.NoGoroutineLeft(t)
	m := Map[int, int]{Jobs: 4, Do: func(i int) (int, error) { return i, nil }}
	for range m.All(context.Background(), count(1<<30)) {
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for out, err := range m.All(ctx, count(1<<30)) {
		if last = err; out == 10 {
			cancel()
		}
	}
	if last != context.Canceled {
		t.Errorf("ended with %v", last)
	}
}

func TestWeightInFlightIsBounded(t *testing.T) {
	var flying, most atomic.Int64
	m := Map[int, int]{
		Jobs: 8, Budget: 100,
		Weight: func(i int) int64 { return int64(i) },
		Do: func(i int) (int, error) {
			if now := flying.Add(int64(i)); i < 1000 && now > most.Load() {
				most.Store(now)
			}
			return i, nil
		},
	}
	weights := func(yield func(int, error) bool) {
		for range 500 {
			if !yield(rand.IntN(60), nil) {
				return
			}
		}
		yield(1000, nil) // alone, but it passes
	}
	n := 0
	for out, err := range m.All(context.Background(), weights) {
		if err != nil {
			t.Fatal(err)
		}
		flying.Add(-int64(out))
		n++
	}
	if n != 501 || most.Load() > 100 {
		t.Errorf("%d results, at most %d in flight", n, most.Load())
	}
}
