package hub

import (
	"errors"
	"fmt"
)

// What callers tell apart, by errors.Is. A failure that passes with time, such as a
// limit of the hub, is a [retry.LaterError].
var (
	// ErrNoRepo: there is no such repository, or the token may not see it; the hub
	// does not say which.
	ErrNoRepo = errors.New("no such repository, or no access to it")
	// ErrNoRevision: the repository has no such branch or commit.
	ErrNoRevision = errors.New("no such revision")
	// ErrNoEntry: the commit has no such file.
	ErrNoEntry = errors.New("no such file in the repository")
	// ErrDenied: the token is missing or wrong, or it does not allow this.
	ErrDenied = errors.New("access denied")
	// ErrMoved: the head is another commit than the one that was named.
	ErrMoved = errors.New("the repository moved on")
	// ErrLost: the store does not have an object that was to be there already.
	ErrLost = errors.New("the store does not have the object")
)

// LostError is an [ErrLost] that says of what.
type LostError struct {
	// Paths are those of the adds without a Source whose content the store does
	// not have, sorted.
	Paths []string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%v of %d files, such as %s: upload them again", ErrLost, len(e.Paths), e.Paths[0])
}

func (e *LostError) Is(target error) bool { return target == ErrLost }
