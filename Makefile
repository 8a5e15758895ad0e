SHELL    := bash
PREFIX   ?= /usr/local
FUZZTIME ?= 30s
SAMPLE   := testdata/CC-NEWS-20260701000000-00001.warc.gz
SCRIPTS  := examples.sh .ci/run compat/run $(shell grep -rl '^\#!/usr/bin/env bash' scripts)
# --version tells the commit where git does: not of a tarball, a worktree or somebody else's folder. No data holds it.
STAMP    := -buildvcs=$(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
export SHARED := $(abspath $(or $(SHARED),../shared))
export PATH := $(CURDIR)/bin:$(CURDIR)/scripts:$(PATH)

.PHONY: build test race fuzz torture lint sample check-sample examples compat bench bench-search bench-go slurm demo lang-model install clean

build: # static binaries
	CGO_ENABLED=0 go build -trimpath $(STAMP) -o bin/ ./cmd/...

test: lint check-sample examples compat # go test comes last, so that its summary is at the end
	go test -timeout 18m ./...

race:
	go test -race ./...

fuzz: # every fuzz target for FUZZTIME
	set -eo pipefail; go list ./cmd/... ./lib/... | while read -r p; do list=$$(go test -list '^Fuzz' $$p); \
	  for f in $$(grep '^Fuzz' <<<"$$list"); do echo "$$f in $$p"; \
	  go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p; done; done

torture: # the seeded tests in full length
	TORTURE=1 go test -count 1 -timeout 60m ./...

lint:
	go vet ./... ./testdata/archive
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	@if command -v shellcheck >/dev/null; then shellcheck -xaP SCRIPTDIR/publish $(SCRIPTS); else echo 'shellcheck NOT run: it is not installed'; fi

sample: # the sample archive, written again
	go run ./testdata/archive >$(SAMPLE).tmp && mv $(SAMPLE).tmp $(SAMPLE)

check-sample: # the sample archive is what its generator writes
	set -o pipefail; go run ./testdata/archive | cmp - $(SAMPLE)

lang-model: # the table of lib/lang, trained again from packages that npm and (on Debian 12) apt-get fetch: the same bytes
	mkdir -p dist/lang
	cd dist/lang && sed -nE "s/.*  (.*)-([0-9][^-]*)\.tgz$$/\1@\2/p" ../../lib/lang/train/packages.sha512 | xargs npm pack --silent
	cd dist/lang && apt-get download android-framework-res=1:10.0.0+r36-10
	cd dist/lang && sha512sum -c ../../lib/lang/train/packages.sha512
	cd dist/lang && dpkg-deb --fsys-tarfile android-framework-res_*.deb | tar -xO ./usr/share/android-framework-res/framework-res.apk >framework-res.apk
	go run ./lib/lang/train dist/lang >dist/table.bin && mv dist/table.bin lib/lang/table.bin

examples: build # the command lines of the README, offline
	./examples.sh

compat: build # shards and JSONL, read by programs that are not ours
	compat/run

bench: build # MB/s of each command and of the pipe, beside gzip -dc
	scripts/bench

bench-search: build # a month of shards searched over the network, beside other readers
	scripts/bench-search

slurm: build # the Slurm recipe, on a one-node Slurm that this starts; needs root and Debian's packages
	scripts/scaling/one-node-slurm go test ./e2e -run TestPublishBySlurm -count 1 -v

bench-go:
	go test -run '^$$' -bench . -benchmem ./lib/...

demo: build # all of it on the sample archive, offline
	scripts/demo

install: build # commands and scripts into $(PREFIX)/bin, the parts of scripts where these look for them
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/ccnews/publish
	install bin/* $(wildcard scripts/news-* scripts/urls-*) $(DESTDIR)$(PREFIX)/bin
	install -m 644 scripts/publish/*.bash $(DESTDIR)$(PREFIX)/share/ccnews/publish

clean:
	rm -rf bin dist compat/node_modules
