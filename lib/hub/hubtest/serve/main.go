// Command serve runs a test hub for programs that are not Go tests: it prints one
// line of JSON with the URLs of the two origins and a token, and serves until
// stdin ends or a signal comes.
//
//	go run ./lib/hub/hubtest/serve --repo me/demo --page-size 2
//	{"hub":"http://127.0.0.1:40001","storage":"http://127.0.0.1:40002","token":"hf_hubtest"}
//
// What became of it is at /_hubtest/ of the hub's origin (see hubtest.Hub.Control).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

type options struct {
	addr, storageAddr, repo, seed, dir string
	discard, detach                    bool
	pageSize                           int
	latency                            time.Duration
	settings                           string
	faults, tokens                     []string
}

func parse(args []string) (o options, err error) {
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "address of the hub's origin")
	flags.StringVar(&o.storageAddr, "storage-addr", "127.0.0.1:0", "address of the storage's origin")
	flags.StringVar(&o.repo, "repo", "", "make this repo, NAMESPACE/NAME")
	flags.StringVar(&o.seed, "seed", "", "commit the files of this folder to the repo; they are read in place")
	flags.StringVar(&o.dir, "dir", "", "keep uploaded objects as files in this folder instead of in memory")
	flags.BoolVar(&o.discard, "discard", false, "keep sizes and sha256 of uploaded objects alone")
	flags.BoolVar(&o.detach, "detach", false, "serve on when stdin ends")
	flags.IntVar(&o.pageSize, "page-size", 1000, "entries a page of a listing")
	flags.DurationVar(&o.latency, "latency", 0, "time that passes before every answer")
	flags.StringVar(&o.settings, "settings", "{}", "hubtest.Settings that change, as JSON")
	flags.StringArrayVar(&o.faults, "fault", nil, "a hubtest.Fault as JSON; may be repeated")
	flags.StringArrayVar(&o.tokens, "token", nil, "TOKEN=ROLE, another account: write, read, pr or outsider; may be repeated")
	return o, flags.Parse(args)
}

// run serves until ctx or stdin ends.
func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	hub, err := build(o)
	if err != nil {
		return err
	}
	defer hub.Close()
	at, closeHub, err := listen(o.addr, withControl(hub))
	if err != nil {
		return err
	}
	defer closeHub()
	storageAt, closeStorage, err := listen(o.storageAddr, hub.StorageHandler())
	if err != nil {
		return err
	}
	defer closeStorage()
	hub.SetOrigins(at, storageAt)
	if err := seed(hub, o); err != nil {
		return err
	}
	if err := json.NewEncoder(stdout).Encode(map[string]string{"hub": at, "storage": storageAt, "token": hub.Token()}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !o.detach { // whoever started the hub is gone when stdin ends
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			stop()
		}()
	}
	<-ctx.Done()
	return nil
}

func listen(addr string, handler http.Handler) (url string, end func(), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// withControl keeps the hub's URLs away from the control path's mux, which would clean them.
func withControl(hub *hubtest.Hub) http.Handler {
	control, api := hub.Control(), hub.HubHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_hubtest/") {
			control.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}
