// Package retry is the one policy by which the project repeats a request that
// failed: which failures pass with time, how long to wait, when to give up.
//
// Waits grow exponentially up to a ceiling and are drawn from all of [0, ceiling)
// ("full jitter"), so that many machines which failed together do not come back
// together:
// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
// A server that says when to come back is obeyed: Retry-After (RFC 9110, section
// 10.2.3) and RateLimit (draft-ietf-httpapi-ratelimit-headers, as the Hugging Face
// hub sends it). Both tries and time are bounded, and what was given up is a
// [*LaterError]: nothing is wrong that a later run could not mend.
//
//	err := policy.Do(ctx, "list "+repo, func(ctx context.Context) error {
//		resp, err := client.Do(req.WithContext(ctx))
//		if err != nil {
//			return err
//		}
//		defer resp.Body.Close()
//		if resp.StatusCode != http.StatusOK {
//			return retry.StatusOf(resp)
//		}
//		…
//	})
package retry

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Bounds of a [Policy] whose fields are zero.
const (
	DefaultTries = 8
	DefaultTotal = 15 * time.Minute
	DefaultBase  = time.Second
	DefaultMax   = 30 * time.Second
	// DefaultMaxAsked lets a full window of the hub's limits pass, which is 5
	// minutes, and no hourly quota.
	DefaultMaxAsked = 6 * time.Minute
)

// Policy says how often and how long a thing is tried. The zero Policy has the
// default bounds.
type Policy struct {
	// Tries is how many tries in a row may fail, the first one included: 1 never
	// repeats anything, 0 means DefaultTries.
	Tries int
	// Total is how long tries and waits may take, counted from the first failure
	// in a row. A wait that would end later is not begun. 0 means DefaultTotal.
	Total time.Duration
	// Base and Max are the first and the largest ceiling of a wait; the ceiling
	// doubles in between. 0 means DefaultBase and DefaultMax.
	Base, Max time.Duration
	// MaxAsked is the longest wait that a server may ask for. One that asks for
	// more is given up at once: to come back earlier would only cost a try. 0
	// means DefaultMaxAsked.
	MaxAsked time.Duration
	// Also lists HTTP statuses that pass with time though they usually do not,
	// such as the 403 of an overloaded data.commoncrawl.org.
	Also []int
	// OnWait is told of each wait before it begins; nil is silent.
	OnWait func(Wait)
	// Clock is the time that is measured and slept; nil is the real one.
	Clock Clock
	// Random draws from [0, 1); nil is math/rand/v2.
	Random func() float64
}

// Clock tells and spends time. [retrytest.Clock] is one that never really waits.
//
// [retrytest.Clock]: https://pkg.go.dev/github.com/open-index/ccnews/lib/retry/retrytest#Clock
type Clock interface {
	Now() time.Time
	// Sleep returns nil after d, or the context's error as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// Wait is what a [Policy] reports before it waits.
type Wait struct {
	What   string        // was tried, such as a URL
	Cause  error         // of the failure
	Failed int           // tries in a row so far
	Tries  int           // the policy's bound on them
	For    time.Duration // how long the wait is
}

func (w Wait) String() string {
	return fmt.Sprintf("%s: %v; try %d of %d in %s", w.What, w.Cause, w.Failed+1, w.Tries, rounded(w.For))
}

// LaterError says that a thing was given up whose failure passes with time: the
// same command may well succeed later (exit status 75).
type LaterError struct {
	What  string        // was tried
	Tries int           // that failed
	Took  time.Duration // from the first failure to the last
	// After is how long the server asked to wait at last; 0 if it did not say.
	After time.Duration
	Err   error // the last failure
}

func (e *LaterError) Error() string {
	text := fmt.Sprintf("%s: given up after %d tries in %s: %v", e.What, e.Tries, rounded(e.Took), e.Err)
	if e.Tries == 1 {
		text = fmt.Sprintf("%s: given up after one try: %v", e.What, e.Err)
	}
	if e.After > 0 {
		text += fmt.Sprintf("; the server asks to wait %s", rounded(e.After))
	}
	return text
}

func (e *LaterError) Unwrap() error { return e.Err }

// TryLater marks the error for commands: they end with status 75.
func (e *LaterError) TryLater() {}

// rounded is for messages: nobody reads microseconds.
func rounded(d time.Duration) time.Duration {
	if d > 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Millisecond)
}

// Do calls try until it succeeds, fails for good, or the bounds are reached. The
// error is try's with what before it, a [*LaterError], or the context's.
func (p Policy) Do(ctx context.Context, what string, try func(context.Context) error) error {
	series := p.Start()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if err := series.Wait(ctx, what, err); err != nil {
			return err
		}
	}
}

// Series is a row of failures. It serves what is not one call, such as a stream
// that breaks and goes on: see [Policy.Do] for what is. It is not for concurrent
// use.
type Series struct {
	policy Policy
	growth backoff.ExponentialBackOff
	failed int
	since  time.Time // of the first failure in a row
}

// Start begins a row.
func (p Policy) Start() *Series {
	p.Tries = cmp.Or(p.Tries, DefaultTries)
	p.Total = cmp.Or(p.Total, DefaultTotal)
	p.Base = cmp.Or(p.Base, DefaultBase)
	p.Max = max(p.Base, cmp.Or(p.Max, DefaultMax))
	p.MaxAsked = cmp.Or(p.MaxAsked, DefaultMaxAsked)
	if p.Clock == nil {
		p.Clock = realClock{}
	}
	if p.Random == nil {
		p.Random = rand.Float64
	}
	return &Series{policy: p, growth: backoff.ExponentialBackOff{
		InitialInterval: p.Base, MaxInterval: p.Max, Multiplier: 2,
	}}
}

// Progress ends the row of failures: something was gained, and all counts begin
// anew.
func (s *Series) Progress() {
	if s.failed > 0 {
		s.failed = 0
		s.growth.Reset()
	}
}

// Wait takes a failure of what and waits until it may be tried again. An error
// means that it may not: cause with what before it if cause does not pass with
// time, a [*LaterError] if the bounds are reached, or the context's error.
func (s *Series) Wait(ctx context.Context, what string, cause error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	passes := s.policy.passes(cause)
	cause = bare(cause)
	if !passes {
		return fmt.Errorf("%s: %w", what, cause)
	}
	now := s.policy.Clock.Now()
	if s.failed == 0 {
		s.since = now
	}
	s.failed++
	took, asked := now.Sub(s.since), askedBy(cause)
	wait := s.draw(asked)
	if s.failed >= s.policy.Tries || asked > s.policy.MaxAsked || took+wait > s.policy.Total {
		return &LaterError{What: what, Tries: s.failed, Took: took, After: asked, Err: cause}
	}
	if s.policy.OnWait != nil {
		s.policy.OnWait(Wait{what, cause, s.failed, s.policy.Tries, wait})
	}
	if err := s.policy.Clock.Sleep(ctx, wait); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// draw is how long to wait: at random below the ceiling, or as the server asked
// and a little longer, never shorter.
func (s *Series) draw(asked time.Duration) time.Duration {
	ceiling := s.growth.NextBackOff()
	if asked > 0 {
		ceiling = s.policy.Base
	}
	return asked + time.Duration(s.policy.Random()*float64(ceiling))
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
