package hub

import (
	"github.com/open-index/ccnews/lib/rangeread"
	"github.com/open-index/ccnews/lib/retry"
)

// Options are what a command says about the way to a repository. The zero Options
// have the defaults.
type Options struct {
	// Getenv is the environment; nil is os.Getenv. See auth.go for what is read.
	Getenv func(string) string
	// Jobs is how many requests may be in flight; 0 means DefaultJobs.
	Jobs int
	// Wait says that a used up quota of commits, which takes up to an hour to come
	// back, is waited for. Otherwise it is a [retry.LaterError].
	Wait bool
	// Retry is the policy for what passes with time; OnWait is told of each wait.
	Retry retry.Policy
	// OnSent is told of bytes that were stored, or found stored; nil is silent. It
	// is called by several goroutines.
	OnSent func(bytes int64)
	// OnWarning gets what people should know though nothing failed; nil drops it.
	OnWarning func(text string)
}

// DefaultJobs is how many requests are in flight by default.
const DefaultJobs = rangeread.DefaultMaxInFlight

// Dial is the repository of a name; see [ParseName]. No request is made yet, and a
// folder need not be there.
func Dial(name string, o Options) (Repo, error) {
	parsed, err := ParseName(name)
	switch {
	case err != nil:
		return nil, err
	case parsed.Folder != "":
		return newFolder(parsed, o), nil
	}
	return newRemote(parsed, o)
}
