package hub_test

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/open-index/ccnews/lib/hub"
)

func TestParseName(t *testing.T) {
	for text, want := range map[string]hub.Name{
		"open-index/ccrawl-news":               {ID: "open-index/ccrawl-news", Revision: "main"},
		"open-index/ccrawl-news/":              {ID: "open-index/ccrawl-news", Revision: "main"},
		"me/data_1.5@dev":                      {ID: "me/data_1.5", Revision: "dev"},
		"me/data@refs/pr/7":                    {ID: "me/data", Revision: "refs/pr/7"},
		"hf://datasets/me/data":                {ID: "me/data", Revision: "main"},
		"hf://datasets/me/data@v1":             {ID: "me/data", Revision: "v1"},
		"./x":                                  {Folder: "x"},
		"./x/../y/":                            {Folder: "y"},
		"../x":                                 {Folder: "../x"},
		"/srv/x@2":                             {Folder: "/srv/x@2"},
		".":                                    {Folder: "."},
		"..":                                   {Folder: ".."},
		"file:x":                               {Folder: "x"},
		"file:me/data":                         {Folder: "me/data"},
		"file:/x":                              {Folder: "/x"},
		"file:///x":                            {Folder: "/x"},
		"./hf://datasets/a":                    {Folder: "hf:/datasets/a"},
		"me/" + strings.Repeat("x", 96) + "@a": {ID: "me/" + strings.Repeat("x", 96), Revision: "a"},
	} {
		if got, err := hub.ParseName(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "x", "me/", "me/x/y", "me//x", "-me/x", "me/.x", "me/x..y", "me/x@", "@main", "me/x y", "me/x?y", "me/" + strings.Repeat("x", 97),
		"hf://me/x", "hf://models/me/x", "hf://datasets/", "https://huggingface.co/datasets/me/x", "file:", "./a\x00b",
	} {
		if got, err := hub.ParseName(text); err == nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// The short form of a name means the same, and a folder's is never taken for a
// repository of the hub.
func FuzzParseNameKeepsItsMeaning(f *testing.F) {
	for _, seed := range []string{"me/x", "me/x@dev", "hf://datasets/me/x@refs/pr/1", "./x", "../x", "..", "file:x", "file:///x", "file:./hf://a", "é/日本"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := hub.ParseName(text)
		if err != nil {
			return
		}
		if (name.Folder == "") != (name.ID != "" && name.Revision != "") || strings.Contains(name.ID, "..") {
			t.Fatalf("%q is %+v", text, name)
		}
		if again, err := hub.ParseName(name.String()); err != nil || again != name {
			t.Errorf("%q is %+v and %q is %+v, %v", text, name, name, again, err)
		}
	})
}

func TestCheckPath(t *testing.T) {
	for _, good := range []string{"a", "a/b.parquet", ".gitattributes", ".github/x", "...", "a..b", "c#/a%20b +?.parquet", "%2e%2e/x", "日本/é", "a\\b", "a/.hubs"} {
		if err := hub.CheckPath(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "/", "/a", "a/", "a//b", ".", "..", "a/./b", "a/../b", ".git", "a/.Git/b", ".hub/head", "x/.HUB", ".cache/x", "a\nb", "\x7f", "\xff", "a/\xc3"} {
		if err := hub.CheckPath(bad); err == nil {
			t.Errorf("%q is good", bad)
		}
	}
}

func FuzzCheckPathKeepsInsideTheRepository(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "a/../../b", ".hub/lock", "a//b", "/a", "a/.GIT", "\xff", "a\\..\\b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if hub.CheckPath(name) != nil {
			return
		}
		if path.Clean(name) != name || !filepath.IsLocal(name) || !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\r\n\t") {
			t.Errorf("%q is good", name)
		}
		for segment := range strings.SplitSeq(strings.ToLower(name), "/") {
			if segment == ".hub" || segment == ".git" || segment == ".cache" {
				t.Errorf("%q is good", name)
			}
		}
	})
}
