package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// login is a machine that ssh reaches: an sshd on a port of loopback, with a home,
// a PATH and a token of its own.
type login struct {
	name, home string
	listener   net.Listener

	mu       sync.Mutex
	sessions int
	open     map[net.Conn]bool
	dead     bool
}

// startLogins starts machines and has p reach them by their names, with the
// commands and the write token. Tests change what is in their homes.
func startLogins(t *testing.T, p *publisher, names ...string) map[string]*login {
	sshd := findTool(t, "sshd", "/usr/sbin/sshd")
	findTool(t, "parallel", "parallel")
	findTool(t, "ssh", "ssh")
	if os.Getuid() == 0 { // what sshd wants to have there as root
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	must(t, dir, "ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f user")
	public := string(readFile(t, dir, "host.pub"))
	var config, known bytes.Buffer
	logins := map[string]*login{}
	for _, name := range names {
		l := &login{name: name, home: filepath.Join(dir, name), open: map[net.Conn]bool{}}
		var err error
		if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.listener.Addr().String())
		fmt.Fprintf(&config, "Host %s\n  HostName 127.0.0.1\n  Port %s\n  HostKeyAlias %s\n", name, port, name)
		fmt.Fprintf(&known, "%s %s", name, public)
		l.write(t, ".cache/huggingface/token", p.hub.Token())
		l.configure(t, dir, bin+":"+scripts(t)+":/usr/local/bin:/usr/bin:/bin")
		var served sync.WaitGroup
		served.Go(func() { l.serve(t, sshd, filepath.Join(dir, name+".conf")) })
		t.Cleanup(func() { l.die(); served.Wait() })
		logins[name] = l
	}
	fmt.Fprintf(&config, "Host *\n  IdentityFile %s/user\n  IdentitiesOnly yes\n  UserKnownHostsFile %s/known\n"+
		"  StrictHostKeyChecking yes\n  BatchMode yes\n  ServerAliveInterval 5\n", dir, dir)
	write(t, known.Bytes(), dir, "known")
	write(t, config.Bytes(), dir, "config")
	p.env = append(p.env, "PARALLEL_SSH=ssh -F "+dir+"/config")
	return logins
}

// findTool looks a program up that CI has to have.
func findTool(t *testing.T, name, path string) string {
	t.Helper()
	found, err := exec.LookPath(path)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing", name)
		}
		t.Skipf("SKIPPED, NOT TESTED: %s is not installed", name)
	}
	return found
}

func scripts(t *testing.T) string {
	folder, err := filepath.Abs("../scripts")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// configure writes sshd's configuration. PATH is all that sessions look for
// commands in.
func (l *login) configure(t *testing.T, dir, path string) {
	tmp := filepath.Join(l.home, "tmp")
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, fmt.Appendf(nil, "HostKey %s/host\nAuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"+
		"SetEnv HOME=%s PATH=%s TMPDIR=%s\n", dir, dir, l.home, path, tmp), dir, l.name+".conf")
}

func (l *login) write(t *testing.T, name, content string) {
	t.Helper()
	writeBelow(t, l.home, name, []byte(content))
}

// serve has an sshd for each connection, until the machine dies.
func (l *login) serve(t *testing.T, sshd, config string) {
	var daemons sync.WaitGroup
	defer daemons.Wait()
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return
		}
		socket, err := conn.(*net.TCPConn).File()
		if err != nil || !l.begin(conn) {
			conn.Close()
			continue
		}
		cmd := exec.Command(sshd, "-i", "-e", "-f", config)
		cmd.Stdin, cmd.Stdout = socket, socket
		err = cmd.Start()
		socket.Close()
		if err != nil {
			t.Errorf("sshd: %v", err)
			conn.Close()
			continue
		}
		daemons.Go(func() {
			cmd.Wait()
			l.mu.Lock()
			delete(l.open, conn)
			l.mu.Unlock()
			conn.Close()
		})
	}
}

func (l *login) begin(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dead {
		l.sessions++
		l.open[conn] = true
	}
	return !l.dead
}

// die takes the machine from the network. Connections end where they are.
func (l *login) die() {
	l.listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
	for conn := range l.open { // sshd has the socket, too
		conn.(*net.TCPConn).CloseRead()
		conn.(*net.TCPConn).CloseWrite()
	}
}

// worked says if shards were made there.
func (l *login) worked() bool {
	_, err := os.Stat(filepath.Join(l.home, ".cache/ccnews/staging/data/2026/07"))
	return err == nil
}

// withAccount has the hub know another token.
func withAccount(t *testing.T, given string) hubtest.Option {
	account, err := hubtest.ParseAccount("other", given)
	if err != nil {
		t.Fatal(err)
	}
	return hubtest.WithAccount(account)
}

// has fails the test if a text lacks a part.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}
