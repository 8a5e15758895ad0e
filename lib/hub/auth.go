package hub

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// officialEndpoints are the origins that the hub itself writes into its answers,
// whatever the endpoint is that was asked.
var officialEndpoints = []string{"huggingface.co", "hub-ci.huggingface.co"}

// Login is which hub is meant and how the user is known there. It is found where
// the official clients look:
// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
type Login struct {
	// Endpoint is the hub's root, without a slash at the end.
	Endpoint *url.URL
	token    string // "" is anonymous
}

// FindLogin reads, the first that is set having the word,
//
//	HF_ENDPOINT     the hub; by default https://huggingface.co
//	HF_TOKEN, HUGGING_FACE_HUB_TOKEN     the token
//	HF_TOKEN_PATH, $HF_HOME/token, $XDG_CACHE_HOME/huggingface/token,
//	~/.cache/huggingface/token           the file that "hf auth login" writes
//
// With HF_HUB_DISABLE_IMPLICIT_TOKEN nothing but the endpoint is read. It is an
// error if a token would have to travel over plain http, unless to this machine.
// A nil getenv is os.Getenv.
func FindLogin(getenv func(string) string) (*Login, error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	endpoint, err := parseEndpoint(getenv("HF_ENDPOINT"))
	if err != nil {
		return nil, err
	}
	login := &Login{Endpoint: endpoint}
	if truth(getenv("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		return login, nil
	}
	if login.token, err = findToken(getenv); err != nil {
		return nil, err
	}
	if login.token != "" && endpoint.Scheme == "http" && !loopback(endpoint.Hostname()) {
		return nil, fmt.Errorf("HF_ENDPOINT is %s: a token is not sent over plain http: use https, or set HF_HUB_DISABLE_IMPLICIT_TOKEN=1 to go without one", endpoint.Redacted())
	}
	return login, nil
}

func parseEndpoint(text string) (*url.URL, error) {
	text = cmp.Or(strings.TrimRight(strings.TrimSpace(text), "/"), "https://"+officialEndpoints[0])
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" {
		return nil, errors.New("HF_ENDPOINT must be a URL such as https://" + officialEndpoints[0])
	}
	if endpoint.User != nil || endpoint.RawQuery != "" || endpoint.Fragment != "" {
		return nil, errors.New("HF_ENDPOINT must have no user, query or fragment")
	}
	return endpoint, nil
}

func findToken(getenv func(string) string) (string, error) {
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} {
		if token := strings.TrimSpace(getenv(name)); token != "" {
			return token, checkToken(name, token)
		}
	}
	path := tokenPath(getenv)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	token := strings.TrimSpace(string(content))
	return token, cmp.Or(err, checkToken(path, token))
}

// checkToken refuses what no header can carry, without repeating it.
func checkToken(where, token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s: not a token: it has a character other than ASCII letters and signs", where)
	}
	return nil
}

func tokenPath(getenv func(string) string) string {
	if path := getenv("HF_TOKEN_PATH"); path != "" {
		return expand(path, getenv)
	}
	home := getenv("HF_HOME")
	if home == "" {
		home = filepath.Join(cmp.Or(getenv("XDG_CACHE_HOME"), "~/.cache"), "huggingface")
	}
	return filepath.Join(expand(home, getenv), "token")
}

// expand replaces a leading ~ and then $VAR and ${VAR}; what is not set stays as
// it is.
func expand(path string, getenv func(string) string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = getenv("HOME") + rest
	}
	return os.Expand(path, func(name string) string { return cmp.Or(getenv(name), "$"+name) })
}

func truth(text string) bool {
	switch strings.ToUpper(text) {
	case "1", "ON", "YES", "TRUE":
		return true
	}
	return false
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// Anonymous reports whether there is no token.
func (l *Login) Anonymous() bool { return l.token == "" }

// Owns reports whether u is of the hub's own origin: same scheme, host and port.
func (l *Login) Owns(u *url.URL) bool {
	return u.Scheme == l.Endpoint.Scheme && strings.EqualFold(u.Hostname(), l.Endpoint.Hostname()) && port(u) == port(l.Endpoint)
}

func port(u *url.URL) string {
	standard := map[string]string{"http": "80", "https": "443"}
	return cmp.Or(u.Port(), standard[u.Scheme])
}

// Header is what a request for u has to carry: the token, if u is of the hub's own
// origin, and nothing otherwise. A store or a CDN must not see it, and fails
// requests that have it.
func (l *Login) Header(u *url.URL) http.Header {
	header := http.Header{}
	if l.token != "" && l.Owns(u) {
		header.Set("Authorization", "Bearer "+l.token)
	}
	return header
}

// at is a URL of the hub; path is escaped already.
func (l *Login) at(path, query string) *url.URL {
	u := *l.Endpoint
	u.RawPath = l.Endpoint.EscapedPath() + path
	u.Path, _ = url.PathUnescape(u.RawPath) // whoever escaped it did so well
	u.RawQuery = query
	return &u
}

// resolve reads an address from an answer. One of the official hub means the hub
// that was asked, which may be a mirror.
func (l *Login) resolve(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the hub's answer has an address that is no URL")
	}
	for _, host := range officialEndpoints {
		if u.Scheme == "https" && u.Host == host {
			return l.at(u.EscapedPath(), u.RawQuery), nil
		}
	}
	return u, nil
}

// redact takes the token out of a text that a server wrote.
func (l *Login) redact(text string) string {
	if l.token == "" {
		return text
	}
	return strings.ReplaceAll(text, l.token, "[token]")
}
