package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// killArchives is how many archives a killed run has, which are committed by twos.
const killArchives = 3

var killOptions = []string{"--months", "2026/07", "--jobs", "2", "--commit-every", "2"}

// Whenever news-publish is killed with all it has started, and whatever fails at
// the hub, at the archives' server and on the disk: runs to the end give the
// repository of an undisturbed run, byte for byte. What was committed is not made
// again, and neither is what was finished.
func TestPublishGoesOnAfterKills(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	names := smallMonth(t, folder, "2026/07", killArchives)
	calm := newPublisher(t, newMirror(t, folder), startHub(t))
	calm.must(killOptions...)
	asked, want := calm.asked(), calm.hub.Files(repo, "main")
	if len(want) != killArchives+6 || calm.mirror.forget()[names[0]] != 1 {
		t.Fatalf("%d files: %v", len(want), want)
	}

	var sum killSum
	t.Run("rounds", func(t *testing.T) {
		for round := range tenth(t, 200) {
			t.Run(fmt.Sprint(round), func(t *testing.T) {
				t.Parallel()
				k := &killRound{publisher: newPublisher(t, newMirror(t, folder), startHub(t)), names: names, sum: &sum}
				k.random = rand.New(rand.NewPCG(6, uint64(round)))
				k.run(k.random.IntN(asked + 1))
				if got := k.hub.Files(repo, "main"); !maps.Equal(got, want) {
					t.Errorf("%v, want %v; stats.csv: %s", got, want, content(t, k.hub, "stats.csv"))
				}
				leftoversBut(t, k.publisher, "tmp")
			})
		}
	})
	t.Logf("a run makes %d requests; %+v", asked, &sum)
}

// asked is how many requests there were so far.
func (p *publisher) asked() int {
	p.mirror.mu.Lock()
	defer p.mirror.mu.Unlock()
	return p.mirror.asked + len(p.hub.Requests())
}

// killSum is what happened in all rounds.
type killSum struct {
	mu                       sync.Mutex
	killed, runs, full       int
	landed, reused           int // shards that a killed run had committed, and finished
	faults, statusTryLater   int
	statusFailed, statusDone int
}

func (s *killSum) add(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

type killRound struct {
	*publisher
	names  []string
	random *rand.Rand
	sum    *killSum
}

// run kills the first run a moment after some requests, and lets others follow until
// one ends well. Only the first three have faults.
func (k *killRound) run(requests int) {
	for attempt := 0; ; attempt++ {
		if attempt == 8 {
			k.t.Fatal("no run comes to an end")
		}
		committed, finished := k.shards()
		k.hub.Heal()
		if attempt < 3 {
			k.breakHub()
			k.breakMirror()
		} else {
			clear(k.mirror.faults)
		}
		cmd := k.command(killOptions...)
		if k.random.IntN(8) == 0 && attempt < 3 { // a disk that takes no file of more than 4 KiB
			small := exec.Command("bash", append([]string{"-c", `trap "" XFSZ; ulimit -f 4; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
			small.Dir, small.Env = cmd.Dir, cmd.Env
			cmd = small
			k.sum.add(func() { k.sum.full++ })
		}
		when := func() bool { return attempt == 0 && k.asked() >= requests }
		status, talk := runGroup(k.t, cmd, when, time.Duration(2+k.random.IntN(200))*time.Millisecond)
		settled(k.t, k.hub)
		k.check(committed, finished, talk)
		k.sum.add(func() {
			k.sum.runs++
			switch status {
			case -1:
				k.sum.killed++
				landed, left := k.shards()
				k.sum.landed += len(landed)
				k.sum.reused += len(left)
			case 0:
				k.sum.statusDone++
			case 1:
				k.sum.statusFailed++
			case 75:
				k.sum.statusTryLater++
			default:
				k.t.Errorf("status %d: %s", status, talk)
			}
			if status == 1 && attempt >= 3 {
				k.t.Errorf("status 1 without a fault: %s", talk)
			}
		})
		if status == 0 {
			return
		}
	}
}

// runGroup runs a command as a process group, and kills it all a while after it is
// time: the status is -1 then.
func runGroup(t *testing.T, cmd *exec.Cmd, when func() bool, after time.Duration) (status int, talk string) {
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, killer := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(killer)
		wait := time.Millisecond
		for {
			select {
			case <-ended:
				return
			case <-time.After(wait):
			}
			if wait == after {
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				return
			}
			if when() {
				wait = after
			}
		}
	}()
	cmd.Wait()
	close(ended)
	<-killer
	return cmd.ProcessState.ExitCode(), errOut.String()
}

// settled waits until the hub has done all that it was asked for, but for what it
// was made to drop.
func settled(t *testing.T, h *hubtest.Hub) {
	t.Helper()
	for seen, tries := -1, 0; ; tries++ {
		requests := h.Requests()
		open := slices.ContainsFunc(requests, func(r hubtest.Request) bool { return r.Status == 0 && r.Fault == "" })
		if !open && len(requests) == seen {
			return
		}
		if tries == 500 {
			t.Fatalf("the hub does not come to an end: %+v", requests)
		}
		seen = len(requests)
		time.Sleep(10 * time.Millisecond)
	}
}

// shards are the archives whose shards the repository has, and those whose shards
// wait in staging.
func (k *killRound) shards() (committed, finished map[string]bool) {
	committed, finished = map[string]bool{}, map[string]bool{}
	files := k.hub.Files(repo, "main")
	for _, name := range k.names {
		_, there := files[shardOf(name)]
		if there {
			committed[name] = true
		} else if found, _ := filepath.Glob(filepath.Join(k.staging(), shardOf(name))); len(found) > 0 {
			finished[name] = true
		}
	}
	return committed, finished
}

// check makes sure that no archive was read whose shard was there.
func (k *killRound) check(committed, finished map[string]bool, talk string) {
	for name := range k.mirror.forget() {
		if committed[name] {
			k.t.Errorf("%s was read again, and its shard was committed: %s", name, talk)
		}
		if finished[name] {
			k.t.Errorf("%s was read again, and its shard was finished: %s", name, talk)
		}
	}
}

// breakHub has some of the next requests fail.
func (k *killRound) breakHub() {
	answer := func(route hubtest.Route, status int) hubtest.Fault {
		return hubtest.Fault{On: hubtest.Match{Route: route}, Status: status, Message: "so says the test"}
	}
	all := []hubtest.Fault{
		{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.ApplyThenDrop},
		{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.ApplyThenAnswer, Status: 504},
		{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.Drop},
		answer(hubtest.RouteCommit, 500),
		answer(hubtest.RouteCommit, 409),
		answer(hubtest.RouteCommit, 412),
		answer(hubtest.RouteCommit, 429),
		answer(hubtest.RouteInfo, 503),
		answer(hubtest.RouteTree, 429),
		answer(hubtest.RouteBatch, 500),
		answer(hubtest.RoutePathsInfo, 502).After(1),
		answer(hubtest.RouteResolve, 500),
		{On: hubtest.Match{Route: hubtest.RouteResolveCache}, Do: hubtest.CutBody, Bytes: 20},
		{On: hubtest.Match{Route: hubtest.RoutePutObject}, Do: hubtest.CutUpload, Bytes: 3000},
	}
	for range k.random.IntN(3) {
		k.hub.Fail(all[k.random.IntN(len(all))].After(k.random.IntN(2)))
		k.sum.add(func() { k.sum.faults++ })
	}
}

// breakMirror has some archives fail for a while.
func (k *killRound) breakMirror() {
	for _, name := range k.names {
		var fault func(http.ResponseWriter, *http.Request) bool
		switch k.random.IntN(12) {
		case 0:
			fault = cutAfter(k.mirror, 500+k.random.IntN(5000), 1)
		case 1:
			fault = answers(503, 1)
		case 2:
			fault = answers(429, always)
		}
		k.mirror.fail(name, fault)
	}
}

// leftoversBut is leftovers without a folder: what is killed cannot tidy it up.
func leftoversBut(t *testing.T, p *publisher, folder string) {
	t.Helper()
	out := must(t, p.dir, "find . -path ./"+folder+" -prune -o -path ./staging/.base -o -type f -print")
	if strings.TrimSpace(out) != "" {
		t.Errorf("left: %s", out)
	}
}
