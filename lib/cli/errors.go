package cli

import (
	"context"
	"errors"
	"fmt"
)

// statusError is an error that knows its exit status.
type statusError struct {
	status int
	err    error // nil: the status alone, nothing to print
	usage  bool  // the command line is wrong
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// Usagef is a wrong command line: status 2, with a pointer to --help.
func Usagef(format string, args ...any) error {
	return &statusError{StatusUsage, fmt.Errorf(format, args...), true}
}

// WithStatus gives err an exit status other than 1.
func WithStatus(status int, err error) error { return &statusError{status: status, err: err} }

// Exit ends the command with a status and prints nothing: all that there is to
// say was said.
func Exit(status int) error { return &statusError{status: status} }

type hintError struct {
	error
	hint string
}

func (e *hintError) Unwrap() error { return e.error }

// Hint is what to do about the error. Errors of other packages that have this
// method are shown with their hint, too.
func (e *hintError) Hint() string { return e.hint }

// Hint adds a line "tool: hint: …" that says what to do about err.
func Hint(err error, format string, args ...any) error {
	return &hintError{err, fmt.Sprintf(format, args...)}
}

// report prints err, if there is anything to print, and returns its status.
func report(std *IO, err error) int {
	if err == nil {
		return StatusOK
	}
	status := StatusFailed
	// Such as a retry.LaterError: nothing is wrong that time does not mend.
	if later := (interface{ TryLater() })(nil); errors.As(err, &later) {
		status = StatusTryLater
	}
	var withStatus *statusError
	if errors.As(err, &withStatus) {
		status = withStatus.status
		if withStatus.err == nil {
			return status
		}
	}
	if errors.Is(err, context.Canceled) {
		std.Errorf("interrupted")
		return status
	}
	std.Errorf("%v", err)
	if hint := (interface{ Hint() string })(nil); errors.As(err, &hint) {
		std.Errorf("hint: %s", hint.Hint())
	}
	if withStatus != nil && withStatus.usage {
		std.Errorf("try '%s --help'", std.name)
	}
	return status
}
