package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-index/ccnews/lib/scripttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dataset-card": main})
}

func TestScripts(t *testing.T) { scripttest.Run(t) }
