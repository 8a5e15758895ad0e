package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/open-index/ccnews/"

// mayImport is the table of CONTRIBUTING.md: what each package may import of
// ours. Imports run one way, from cmd to lib and downwards in this table.
var mayImport = map[string]string{
	"card":               "hub ledger",
	"ledger":             "hub jsonl shard",
	"search":             "ccindex rangeread shard",
	"shard":              "ccindex extsort hostname jsonl parquetread surt table",
	"schema":             "table",
	"table":              "extsort jsonl parquetread",
	"parquetread":        "",
	"extsort":            "",
	"fetch":              "field httpmsg inorder jsonl pagetext rangeread record retry sniff warc webstream",
	"ccindex":            "field hostname httpmsg inorder jsonl lang pagetext record sniff surt",
	"record":             "field hostname httpmsg inorder jsonl warc",
	"sniff":              "",
	"pagetext":           "",
	"lang":               "lang/internal/gram",
	"lang/internal/gram": "",
	"lang/train":         "lang/internal/gram",
	"surt":               "field hostname",
	"hostname":           "field",
	"httpmsg":            "field",
	"field":              "",
	"warc":               "field inorder",
	"hub":                "jsonl rangeread retry transport",
	"webstream":          "retry transport",
	"rangeread":          "retry transport",
	"transport":          "retry",
	"retry":              "",
	"jsonl":              "",
	"inorder":            "",
	"wholefile":          "",
	"cli":                "",
	// For tests alone.
	"scripttest":               "",
	"scripttest/hubscript":     "hub/hubtest",
	"sharedtest":               "",
	"leaktest":                 "",
	"retry/retrytest":          "retry",
	"transport/transporttest":  "",
	"ccindex/ccindextest":      "ccindex",
	"ccindex/ccindextest/rows": "ccindex/ccindextest jsonl",
	"hub/hubtest":              "",
	"hub/hubtest/serve":        "hub/hubtest",
}

func TestImportsRunOneWay(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "../lib/...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		imports := strings.Fields(line)
		name := strings.TrimPrefix(imports[0], module+"lib/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("lib/%s is not in the table of imports, here and in CONTRIBUTING.md", name)
		}
		for _, path := range imports[1:] {
			ours, ok := strings.CutPrefix(path, module)
			if ok && !slices.Contains(strings.Fields(allowed), strings.TrimPrefix(ours, "lib/")) {
				t.Errorf("lib/%s imports %s", name, ours)
			}
		}
	}
}
