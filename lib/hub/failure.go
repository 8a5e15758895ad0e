package hub

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// failure is an answer that says that a request failed.
type failure struct {
	status *retry.StatusError
	kind   error // one of errors.go; nil for others
	code   string
	text   string // the server's
	hint   string // ours: what to do
	host   string // of a server that is not the hub
	id     string // of the request, for the hub's support
}

func (f *failure) Error() string {
	var b strings.Builder
	if f.host != "" {
		fmt.Fprintf(&b, "%s answers ", f.host)
	}
	if f.kind != nil {
		fmt.Fprintf(&b, "%v: ", f.kind)
	}
	text := cmp.Or(f.text, f.status.Error())
	if f.hint != "" {
		text = strings.TrimSuffix(text, ".") + "; " + f.hint
	}
	b.WriteString(text)
	if f.text != "" {
		fmt.Fprintf(&b, " (%v", f.status)
		if f.id != "" {
			fmt.Fprintf(&b, ", request %s", f.id)
		}
		b.WriteString(")")
	} else if f.id != "" {
		fmt.Fprintf(&b, " (request %s)", f.id)
	}
	return b.String()
}

func (f *failure) Unwrap() []error {
	if f.kind == nil {
		return []error{f.status}
	}
	return []error{f.status, f.kind}
}

// failure reads an answer to req that has a status other than 2xx.
func (c *client) failure(req request, resp *http.Response) error {
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		content = nil // the status says enough
	}
	body := parseErrorBody(resp.Header.Get("Content-Type"), content)
	f := &failure{
		status: retry.StatusOf(resp),
		code:   cmp.Or(resp.Header.Get("X-Error-Code"), body.code),
		text:   c.login.redact(oneLine(joinDistinct([]string{resp.Header.Get("X-Error-Message"), body.text}))),
		id:     requestID(resp.Header),
	}
	if !c.login.Owns(resp.Request.URL) {
		f.host = resp.Request.URL.Host
		return f.judgeStore()
	}
	c.classify(f, req, resp)
	return f.judge(c.now())
}

func requestID(header http.Header) string {
	for _, key := range []string{"X-Request-Id", "X-Amzn-Trace-Id", "X-Amz-Cf-Id", "X-Amz-Request-Id"} {
		if id := header.Get(key); id != "" {
			return oneLine(id)
		}
	}
	return ""
}

// What the hub says where its status alone does not tell.
const (
	badToken    = "Invalid credentials in Authorization header"
	disabled    = "Access to this resource is disabled."
	conflicting = "another conflicting operation is in progress"
	noEntry     = " does not exist on "
	lostObject  = "LFS pointer pointed to a file that does not exist"
	tripped     = "storage patterns tripped"
)

// classify finds what kind of failure f is, in the order of the official client:
// the hub's own code has the first word, then its text, then the status.
func (c *client) classify(f *failure, req request, resp *http.Response) {
	status := f.status.Status
	switch {
	case f.code == "RevisionNotFound":
		f.kind = ErrNoRevision
	case f.code == "EntryNotFound", f.code == "" && status == http.StatusNotFound && strings.Contains(f.text, noEntry):
		f.kind = ErrNoEntry
	case f.code == "GatedRepo":
		f.kind, f.hint = ErrDenied, "ask for access on the repository's page"
		if c.login.Anonymous() {
			f.hint += ", then log in with \"hf auth login\" or set HF_TOKEN"
		}
	case status == http.StatusForbidden && strings.Contains(f.text, disabled):
		f.kind = ErrDenied
	case status == http.StatusUnauthorized && strings.Contains(f.text, badToken):
		f.kind, f.hint = ErrDenied, "the token is wrong or has expired: run \"hf auth login\" or set HF_TOKEN"
	case status == http.StatusUnauthorized && req.writes && c.login.Anonymous():
		f.kind, f.hint = ErrDenied, "there is no token: run \"hf auth login\" or set HF_TOKEN"
	case f.code == "RepoNotFound", status == http.StatusUnauthorized:
		f.kind, f.hint = ErrNoRepo, "check its name and that the token may see it"
		if c.login.Anonymous() {
			f.hint = "check its name; if it is private, run \"hf auth login\" or set HF_TOKEN"
		}
	case status == http.StatusForbidden:
		f.kind = ErrDenied
		if req.writes && !strings.Contains(f.text, tripped) {
			f.hint = "the token needs write access to the repository"
		}
	case status == http.StatusPreconditionFailed:
		f.kind = ErrMoved
	case status == http.StatusBadRequest && strings.Contains(f.text, lostObject):
		f.kind = ErrLost
	}
}

// judge adds what the status does not say about whether the failure passes.
func (f *failure) judge(now time.Time) error {
	switch {
	case f.status.Status == http.StatusConflict && strings.Contains(f.text, conflicting):
		return retry.Transient(f)
	case f.status.Status == http.StatusNotImplemented:
		return retry.Permanent(f)
	case f.status.Status == http.StatusTooManyRequests && f.status.After == 0:
		// The quota of commits is a limit of its own, whose end only the text tells:
		// RateLimit is about another.
		if f.status.After = toldWait(f.text); f.status.After > 0 {
			f.hint = "try again at " + now.Add(f.status.After).UTC().Format("15:04 UTC")
		}
	}
	return f
}

var waitText = regexp.MustCompile(`(?i)\bin (?:about )?(\d{1,4}|an?) (second|minute|hour)s?\b`)

// toldWait reads "You can retry this action in about 1 hour."; 0 if it is not there.
func toldWait(text string) time.Duration {
	match := waitText.FindStringSubmatch(text)
	if match == nil {
		return 0
	}
	unit := map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}[strings.ToLower(match[2])]
	n, err := strconv.Atoi(match[1])
	if err != nil {
		n = 1 // "an hour"
	}
	return time.Duration(n) * unit
}

// judgeStore is judge for the store, which is S3.
func (f *failure) judgeStore() error {
	switch {
	case f.status.Status == http.StatusBadRequest && f.code == "RequestTimeout":
		return retry.Transient(f)
	case f.status.Status == http.StatusNotImplemented:
		return retry.Permanent(f)
	}
	return f
}

// hasStatus reports whether err is an answer with one of the statuses.
func hasStatus(err error, statuses ...int) bool {
	f, ok := errors.AsType[*failure](err)
	for _, status := range statuses {
		if ok && f.status.Status == status {
			return true
		}
	}
	return false
}

// now is the policy's time.
func (c *client) now() time.Time {
	if c.policy.Clock != nil {
		return c.policy.Clock.Now()
	}
	return time.Now()
}
