package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What make install puts somewhere works from there, by whatever name and way it is
// started, and without the source.
func TestInstalledScripts(t *testing.T) {
	t.Parallel()
	findTool(t, "make", "make")
	root := t.TempDir()
	install := exec.Command("make", "-C", "..", "install", "DESTDIR="+root, "PREFIX=/opt/ccnews")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("make install: %v: %s", err, out)
	}
	installed := filepath.Join(root, "opt/ccnews/bin")
	must(t, root, "mkdir links alone; ln -s ../opt/ccnews/bin/news-publish links/news-publish; "+
		"ln -s $PWD/links/news-publish links/again; cp links/news-publish alone")
	folder := t.TempDir()
	smallMonth(t, folder, "2026/07", 1)
	path := installed + ":/usr/local/bin:/usr/bin:/bin"
	for name, start := range map[string]string{
		"by its path":             installed + "/news-publish",
		"from the PATH":           "news-publish",
		"by bash, from the PATH":  "bash news-publish",
		"as a link":               root + "/links/news-publish",
		"as a link to a link":     root + "/links/again",
		"as a link from the PATH": "PATH=" + root + "/links:$PATH; news-publish",
		"by a path of its folder": "cd " + installed + "; ./news-publish",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPublisher(t, newMirror(t, folder), nil)
			must(t, p.dir, "mkdir repo")
			p.env = []string{"PATH=" + path}
			options := fmt.Sprintf(" --months 2026/07 --repo %s/repo --staging %s", p.dir, p.staging())
			talk, status := p.bash(start + options)
			if status != 0 {
				t.Errorf("status %d", status)
			}
			has(t, talk, "2026/07: 1 of 1 shards are in")
			if out, status := p.bash(start + " --help"); status != 0 || !strings.HasPrefix(out, "Usage: news-publish ") {
				t.Errorf("status %d: %s", status, out)
			}
		})
	}

	p := newPublisher(t, newMirror(t, folder), nil)
	talk, status := p.bash(root + "/alone/news-publish --help")
	if status != 1 {
		t.Errorf("status %d without its parts", status)
	}
	has(t, talk, "news-publish: its parts are neither in "+root+"/alone/publish nor in "+root+"/share/ccnews/publish: make install puts them there")
	if parts, err := os.ReadDir(filepath.Join(root, "opt/ccnews/share/ccnews/publish")); err != nil || len(parts) == 0 {
		t.Errorf("%v (%v)", parts, err)
	}
}

// bash runs a line of bash in the environment that p has for news-publish.
func (p *publisher) bash(line string) (talk string, status int) {
	p.t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.command().Env
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
