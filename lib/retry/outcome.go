package retry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// StatusError is an answer whose HTTP status says that the request failed. It
// matches (errors.Is) every other StatusError of the same status.
type StatusError struct {
	Status int // such as 404
	// After is how long the server asks to wait before the next request; 0 if it
	// does not say.
	After time.Duration
}

// StatusOf is the failure that resp reports by its status and header. The body
// stays the caller's.
func StatusOf(resp *http.Response) *StatusError {
	return &StatusError{Status: resp.StatusCode, After: asked(resp.Header, time.Now())}
}

func (e *StatusError) Error() string {
	if text := http.StatusText(e.Status); text != "" {
		return fmt.Sprintf("%d %s", e.Status, text)
	}
	return fmt.Sprintf("HTTP status %d", e.Status)
}

func (e *StatusError) Is(target error) bool {
	other, ok := target.(*StatusError)
	return ok && other.Status == e.Status
}

// verdict is a caller's word on an error, which goes before the rules below.
type verdict struct {
	error
	passes bool
}

func (v *verdict) Unwrap() error { return v.error }

// Transient marks err as one that passes with time. It is for what the rules
// cannot know, such as an error while the body of an answer is read, or a 400 that
// means a timeout.
func Transient(err error) error { return &verdict{err, true} }

// Permanent marks err as one that does not pass, such as a refused redirect, which
// otherwise looks like any other failure of a request.
func Permanent(err error) error { return &verdict{err, false} }

// passes decides whether err passes with time. What is not known to do so is
// final: to repeat a wrong request helps nobody.
func (p *Policy) passes(err error) bool {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v.passes
	}
	if status, ok := errors.AsType[*StatusError](err); ok {
		return passingStatus(status.Status) || slices.Contains(p.Also, status.Status)
	}
	return !final(err) && transport(err)
}

func passingStatus(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// final finds the causes that time does not mend inside an error of net/http: the
// caller's own end, a certificate that is not trusted, a file that was to be sent.
func final(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, file := errors.AsType[*fs.PathError](err)
	return certificate || file || errors.Is(err, context.Canceled)
}

// transport reports whether err comes from the connection. net.Error does not
// tell: any syscall.Errno is one.
func transport(err error) bool {
	_, request := errors.AsType[*url.Error](err)
	_, network := errors.AsType[*net.OpError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return request || network || dns || ok && timeout.Timeout() || errors.Is(err, io.ErrUnexpectedEOF)
}

// bare takes the URL off an error of http.Client: what was tried is said already,
// and after a redirect that URL may be a signed one, which is a secret.
func bare(err error) error {
	if request, ok := err.(*url.Error); ok {
		return request.Err
	}
	return err
}

// askedBy is how long the server that failed so asks to wait; 0 if it does not.
func askedBy(err error) time.Duration {
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status.After
	}
	return 0
}
