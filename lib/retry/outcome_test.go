package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/retry"
)

// passes asks a policy whether err is tried again.
func passes(err error) bool {
	p, _ := policy()
	p.Also = []int{403}
	return p.Start().Wait(context.Background(), "x", err) == nil
}

func TestStatuses(t *testing.T) {
	for status := 100; status < 600; status++ {
		want := status == 403 || status == 408 || status == 429 || status >= 500
		if got := passes(&retry.StatusError{Status: status}); got != want {
			t.Errorf("%d: tried again: %v", status, got)
		}
	}
	err := fmt.Errorf("wrapped: %w", &retry.StatusError{Status: 404, After: 1})
	if !errors.Is(err, &retry.StatusError{Status: 404}) || errors.Is(err, &retry.StatusError{Status: 403}) {
		t.Error("errors.Is does not go by the status")
	}
	if got := (&retry.StatusError{Status: 599}).Error(); got != "HTTP status 599" {
		t.Errorf("%q", got)
	}
}

// The errors are those that net/http really returns.
func TestOutcomes(t *testing.T) {
	hangUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangUp.Close()
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()

	get := func(url string, timeout time.Duration) error {
		client := http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Get(url)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	_, noFile := os.Open("/no such file")
	_, upload := http.Post(hangUp.URL, "", failingReader{noFile})
	refused := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return retry.Permanent(errors.New("refused"))
	}}
	moved := httptest.NewServer(http.RedirectHandler("/", http.StatusFound))
	defer moved.Close()
	_, redirect := refused.Get(moved.URL)

	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"hung up", get(hangUp.URL, time.Minute), true},
		{"no answer", get(slow.URL, 50*time.Millisecond), true},
		{"refused", get(closed.URL, time.Minute), true},
		{"no such host", &net.DNSError{Err: "no such host", IsNotFound: true}, true},
		{"reset while reading", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		{"cut body", fmt.Errorf("body: %w", io.ErrUnexpectedEOF), true},
		{"timeout of one try", context.DeadlineExceeded, true},
		{"untrusted certificate", get(untrusted.URL, time.Minute), false},
		{"cancelled", context.Canceled, false},
		{"no such file", noFile, false},
		{"no such file to upload", upload, false},
		{"refused redirect", redirect, false},
		{"anything else", errors.New("bad JSON"), false},
		{"marked transient", retry.Transient(errors.New("stalled")), true},
		{"marked permanent", retry.Permanent(&retry.StatusError{Status: 503}), false},
		{"marked within", fmt.Errorf("x: %w", retry.Transient(errors.New("stalled"))), true},
	}
	for _, tt := range tests {
		if tt.err == nil {
			t.Errorf("%s: no error to judge", tt.name)
		} else if got := passes(tt.err); got != tt.want {
			t.Errorf("%s: %v: tried again: %v", tt.name, tt.err, got)
		}
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// A redirect's target may be a signed URL: it must not get into messages.
func TestMessagesDoNotRepeatTheURL(t *testing.T) {
	p, _ := policy()
	p.Tries = 2
	err := p.Do(t.Context(), "get x", func(context.Context) error {
		_, err := http.Get("http://127.0.0.1:1/secret?signature=1")
		return err
	})
	if err == nil || strings.Contains(err.Error(), "secret") || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v", err)
	}
}
