package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-index/ccnews/lib/scripttest"
	"github.com/open-index/ccnews/lib/scripttest/hubscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hf-put": main})
}

func TestScripts(t *testing.T) { scripttest.Run(t, hubscript.Serve) }
