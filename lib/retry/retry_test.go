package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-index/ccnews/lib/retry"
	"github.com/open-index/ccnews/lib/retry/retrytest"
)

var errUnavailable = &retry.StatusError{Status: 503}

// failing is a try that fails with each error in turn and then succeeds.
func failing(tries *int, errs ...error) func(context.Context) error {
	return func(context.Context) error {
		*tries++
		if *tries <= len(errs) {
			return errs[*tries-1]
		}
		return nil
	}
}

func always(err error) []error { return slices.Repeat([]error{err}, 100) }

// policy draws half of every ceiling and never really waits.
func policy() (retry.Policy, *retrytest.Clock) {
	clock := new(retrytest.Clock)
	return retry.Policy{Clock: clock, Random: func() float64 { return 0.5 }}, clock
}

func TestWaitsGrowToTheCeiling(t *testing.T) {
	p, clock := policy()
	var reported []string
	p.OnWait = func(w retry.Wait) { reported = append(reported, w.String()) }
	tries := 0
	err := p.Do(t.Context(), "list x", failing(&tries, always(errUnavailable)...))

	want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
		8 * time.Second, 15 * time.Second, 15 * time.Second}
	if !slices.Equal(clock.Waits(), want) {
		t.Errorf("waits %v", clock.Waits())
	}
	later, ok := errors.AsType[*retry.LaterError](err)
	if !ok || tries != retry.DefaultTries || later.Tries != tries || later.Took != 45500*time.Millisecond {
		t.Errorf("%d tries, %#v", tries, err)
	}
	if !errors.Is(err, errUnavailable) || err.Error() != "list x: given up after 8 tries in 46s: 503 Service Unavailable" {
		t.Errorf("%v", err)
	}
	if len(reported) != 7 || reported[0] != "list x: 503 Service Unavailable; try 2 of 8 in 500ms" {
		t.Errorf("%q", reported)
	}
}

func TestJitterIsFull(t *testing.T) {
	for random, want := range map[float64]time.Duration{0: 0, 0.25: 250 * time.Millisecond, 0.999: 999 * time.Millisecond} {
		p, clock := policy()
		p.Random = func() float64 { return random }
		tries := 0
		if err := p.Do(t.Context(), "x", failing(&tries, errUnavailable)); err != nil || clock.Waits()[0] != want {
			t.Errorf("%g: %v, %v", random, clock.Waits(), err)
		}
	}
}

func TestServerDecidesTheWait(t *testing.T) {
	after := func(d time.Duration) error { return &retry.StatusError{Status: 429, After: d} }
	tests := []struct {
		name  string
		errs  []error
		waits []time.Duration
		text  string
	}{
		{"asked", []error{after(20 * time.Second)}, []time.Duration{20500 * time.Millisecond}, ""},
		{"asked late, no growth", []error{errUnavailable, errUnavailable, after(time.Second)},
			[]time.Duration{500 * time.Millisecond, time.Second, 1500 * time.Millisecond}, ""},
		{"asked too much", []error{after(time.Hour)}, nil,
			"x: given up after one try: 429 Too Many Requests; the server asks to wait 1h0m0s"},
		{"within the total", always(after(5 * time.Minute)), []time.Duration{300500 * time.Millisecond, 300500 * time.Millisecond},
			"x: given up after 3 tries in 10m1s: 429 Too Many Requests; the server asks to wait 5m0s"},
	}
	for _, tt := range tests {
		p, clock := policy()
		tries := 0
		err := p.Do(t.Context(), "x", failing(&tries, tt.errs...))
		if !slices.Equal(clock.Waits(), tt.waits) || tt.text != "" && (err == nil || err.Error() != tt.text) || tt.text == "" && err != nil {
			t.Errorf("%s: waits %v, %v", tt.name, clock.Waits(), err)
		}
	}
}

func TestBounds(t *testing.T) {
	p, clock := policy()
	p.Tries, p.Base, p.Max = 1, time.Minute, time.Second // Max below Base is Base
	tries := 0
	if err := p.Do(t.Context(), "x", failing(&tries, errUnavailable)); err == nil || tries != 1 || clock.Waits() != nil {
		t.Errorf("one try: %d, %v, %v", tries, clock.Waits(), err)
	}
	p.Tries, p.Total, tries = 50, 100*time.Second, 0
	err := p.Do(t.Context(), "x", failing(&tries, always(errUnavailable)...))
	if _, ok := errors.AsType[*retry.LaterError](err); !ok || tries != 4 {
		t.Errorf("total: %d, %v, %v", tries, clock.Waits(), err)
	}
}

func TestProgressBeginsAnew(t *testing.T) {
	p, clock := policy()
	p.Tries, p.Total = 3, 3*time.Second
	series := p.Start()
	for range 20 {
		series.Progress()
		for range 2 {
			if err := series.Wait(t.Context(), "x", errUnavailable); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := series.Wait(t.Context(), "x", errUnavailable); err == nil {
		t.Error("a third failure in a row")
	}
	if waits := clock.Waits(); len(waits) != 40 || waits[38] != 500*time.Millisecond || waits[39] != time.Second {
		t.Errorf("%v", waits)
	}
}

func TestFinalErrorsAreNotRepeated(t *testing.T) {
	p, clock := policy()
	tries := 0
	err := p.Do(t.Context(), "get x", failing(&tries, always(&retry.StatusError{Status: 404})...))
	if tries != 1 || clock.Waits() != nil || err.Error() != "get x: 404 Not Found" {
		t.Errorf("%d tries, waits %v, %v", tries, clock.Waits(), err)
	}
	if _, ok := errors.AsType[*retry.LaterError](err); ok {
		t.Error("a 404 passes with time")
	}
}

func TestContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		start := time.Now()
		err := retry.Policy{}.Do(ctx, "get x", func(context.Context) error {
			return &retry.StatusError{Status: 429, After: 5 * time.Minute}
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 100*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		tries := 0
		err = retry.Policy{}.Do(ctx, "get x", failing(&tries, io.ErrUnexpectedEOF))
		if tries != 1 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d tries with an ended context, %v", tries, err)
		}
	})
}

func TestRealClockSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		if err := (retry.Policy{}).Do(t.Context(), "x", failing(&tries, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took == 0 || took >= 3*time.Second {
			t.Errorf("two waits took %v", took)
		}
	})
}

func ExamplePolicy_Do() {
	p := retry.Policy{
		Clock:  new(retrytest.Clock),
		Random: func() float64 { return 0.5 },
		OnWait: func(w retry.Wait) { fmt.Println(w) },
	}
	answers := []int{503, 429, 200}
	err := p.Do(context.Background(), "list x", func(context.Context) error {
		resp := &http.Response{StatusCode: answers[0], Header: http.Header{"Retry-After": {"7"}}}
		answers = answers[1:]
		if resp.StatusCode != http.StatusOK {
			return retry.StatusOf(resp)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// list x: 503 Service Unavailable; try 2 of 8 in 7.5s
	// list x: 429 Too Many Requests; try 3 of 8 in 7.5s
	// <nil>
}
