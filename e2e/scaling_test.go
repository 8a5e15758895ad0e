package e2e

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// scaled is how many archives the months have that several machines make.
const scaled = 4

// alone is what one machine makes of a month.
func alone(t *testing.T, folder string) map[string]hubtest.File {
	t.Helper()
	p := newPublisher(t, newMirror(t, folder), startHub(t))
	p.must("--months", "2026/07", "--jobs", "2")
	return p.hub.Files(repo, "main")
}

// Two machines make the shards, by --sshlogin and by the recipe. The repository is
// what one machine makes it. What goes wrong on one of them is named, and the
// other does its part.
func TestPublishOverSSH(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", scaled)
	want := alone(t, folder)
	const option, recipe = "--sshlogin", "over-ssh"
	for _, test := range []struct {
		name, by string
		prepare  func(t *testing.T, p *publisher, a, b *login)
		status   int
		said     []string
		worked   string // the machines that made shards
		missing  int    // shards
	}{
		{name: "both", by: recipe, worked: "ab"},
		{
			name: "one without the commands", by: option, worked: "a",
			prepare: func(t *testing.T, p *publisher, a, b *login) {
				b.configure(t, filepath.Dir(b.home), "/usr/bin:/bin")
			},
			said: []string{"news-publish: command not found", "b: status 127: "},
		},
		{
			name: "one is not there", by: recipe, worked: "a",
			prepare: func(t *testing.T, p *publisher, a, b *login) { b.die() },
			said:    []string{"Connection refused"},
		},
		{
			name: "one dies", by: option, worked: "ab",
			prepare: func(t *testing.T, p *publisher, a, b *login) {
				for _, name := range names { // it is gone as soon as it works
					p.mirror.fail(name, func(w http.ResponseWriter, r *http.Request) bool {
						if b.worked() {
							b.die()
						}
						return false
					})
				}
			},
			said: []string{"closed"},
		},
		{
			name: "one may not write", by: option, worked: "ab",
			prepare: func(t *testing.T, p *publisher, a, b *login) {
				b.write(t, ".cache/huggingface/token", "hf_reader")
			},
			said: []string{"the token needs write access", "b: status 3: "},
		},
		{
			name: "both are gone", by: option, status: 1, missing: scaled,
			prepare: func(t *testing.T, p *publisher, a, b *login) { a.die(); b.die() },
			said:    []string{"4 archives: no machine could make their shards"},
		},
		{
			name: "an archive is not there", by: recipe, status: 1, missing: 1, worked: "ab",
			prepare: func(t *testing.T, p *publisher, a, b *login) { p.mirror.fail(names[3], answers(404, always)) },
			said:    []string{names[3] + ": ", "status 1: " + names[3]},
		},
		{
			name: "not there, and not now", by: option, status: 75, missing: 2, worked: "ab",
			prepare: func(t *testing.T, p *publisher, a, b *login) {
				p.mirror.fail(names[2], answers(404, always))
				p.mirror.fail(names[3], answers(503, always))
			},
			said: []string{names[2] + ": unfit", names[3] + ": not now"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPublisher(t, newMirror(t, folder), startHub(t, withAccount(t, "hf_reader=read")))
			logins := startLogins(t, p, "a", "b")
			if test.prepare != nil {
				test.prepare(t, p, logins["a"], logins["b"])
			}
			talk, status := "", 0
			if test.by == option {
				talk, status = p.run("--months", "2026/07", "--sshlogin", "a,b", "--jobs", "1", "--commit-every", "3")
			} else {
				talk, status = p.script("over-ssh", "2026/07", "a,b", "--tries", "3")
			}
			t.Logf("status %d:\n%s", status, talk)
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			has(t, talk, test.said...)
			worked := ""
			for _, name := range []string{"a", "b"} {
				if logins[name].worked() {
					worked += name
				}
			}
			if worked != test.worked {
				t.Errorf("shards were made on %q, want %q", worked, test.worked)
			}
			checkScaled(t, p.hub.Files(repo, "main"), want, test.missing)
		})
	}
}

// checkScaled compares a repository with what one machine makes, if none is missing.
func checkScaled(t *testing.T, got, want map[string]hubtest.File, missing int) {
	t.Helper()
	shards := 0
	for path := range got {
		if strings.HasSuffix(path, ".parquet") {
			shards++
		}
	}
	if shards != scaled-missing || missing == 0 && !maps.Equal(got, want) {
		t.Errorf("%d shards: %v, want %v", shards, got, want)
	}
}

// script runs a recipe, in the environment that p has for news-publish.
func (p *publisher) script(name string, args ...string) (talk string, status int) {
	p.t.Helper()
	cmd := p.command()
	cmd.Path = filepath.Join(scripts(p.t), "scaling", name)
	cmd.Args = append([]string{cmd.Path}, args...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// A Slurm array makes the shards, if make slurm has started Slurm.
func TestPublishBySlurm(t *testing.T) {
	if os.Getenv("SLURM_CONF") == "" {
		t.Skip("SKIPPED, NOT TESTED: Slurm is not running: make slurm")
	}
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", scaled)
	want := alone(t, folder)
	p := newPublisher(t, newMirror(t, folder), startHub(t))
	p.mirror.fail(names[1], answers(404, 1))
	options := []string{"--cpus-per-task", "1"}
	talk, status := p.script("slurm", append([]string{"2026/07", "first"}, options...)...)
	t.Logf("status %d:\n%s", status, talk)
	if status != 1 {
		t.Errorf("status %d with an archive that is not there", status)
	}
	has(t, talk, names[1]+": ")
	checkScaled(t, p.hub.Files(repo, "main"), want, 1)

	talk, status = p.script("slurm", append([]string{"2026/07", "second"}, options...)...)
	t.Logf("status %d:\n%s", status, talk)
	if list := string(readFile(t, p.dir, "second/list")); status != 0 || list != names[1]+"\n" {
		t.Errorf("status %d, the second run made %q", status, list)
	}
	checkScaled(t, p.hub.Files(repo, "main"), want, 0)
}
