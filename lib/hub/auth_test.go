package hub_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-index/ccnews/lib/hub"
)

func env(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestTokenIsFoundWhereTheOfficialClientsLook(t *testing.T) {
	home := t.TempDir()
	for path, token := range map[string]string{
		".cache/huggingface/token": "default\n", "hf/token": "\r\n hf_home \r\n", "xdg/huggingface/token": "xdg", "my token": "path", "blank": " \n",
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(token), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		want string
		env  []string
	}{
		{"default", nil},
		{"a", []string{"HF_TOKEN", "a", "HUGGING_FACE_HUB_TOKEN", "b"}},
		{"b", []string{"HF_TOKEN", " \n", "HUGGING_FACE_HUB_TOKEN", "b\n", "HF_TOKEN_PATH", "~/my token"}},
		{"path", []string{"HF_TOKEN_PATH", "~/my token", "HF_HOME", "~/hf"}},
		{"hf_home", []string{"HF_HOME", "$HOME/hf", "XDG_CACHE_HOME", "~/xdg"}},
		{"hf_home", []string{"HF_HOME", "~/$SUB", "SUB", "hf"}},
		{"xdg", []string{"XDG_CACHE_HOME", "~/xdg"}},
		{"", []string{"HF_HOME", "~/none"}},
		{"", []string{"HF_TOKEN_PATH", "~/$NONE/x"}},
		{"", []string{"HF_TOKEN_PATH", "~/blank"}},
		{"", []string{"HF_TOKEN", "a", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"}},
		{"a", []string{"HF_TOKEN", "a", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "0"}},
	} {
		login, err := hub.FindLogin(env(append(test.env, "HOME", home)...))
		if err != nil {
			t.Errorf("%q: %v", test.env, err)
			continue
		}
		got := strings.TrimPrefix(login.Header(login.Endpoint).Get("Authorization"), "Bearer ")
		if got != test.want || login.Anonymous() != (test.want == "") {
			t.Errorf("%q: token %q, want %q", test.env, got, test.want)
		}
	}
}

func TestTokenStaysAtItsOrigin(t *testing.T) {
	for endpoint, others := range map[string]map[string]bool{
		"": {
			"https://huggingface.co/x?y": true, "https://HuggingFace.co:443/": true, "http://huggingface.co/": false, "https://huggingface.co:8443/": false,
			"https://cdn-lfs.huggingface.co/": false, "https://huggingface.co.example.org/": false, "https://example.org/huggingface.co": false,
		},
		"http://127.0.0.1:8000/":     {"http://127.0.0.1:8000/api": true, "http://127.0.0.1:8001/api": false, "http://localhost:8000/api": false},
		"https://hub.example.org/hf": {"https://hub.example.org/hf/api": true, "https://hub.example.org/elsewhere": true, "https://example.org/hf": false},
	} {
		login, err := hub.FindLogin(env("HF_ENDPOINT", endpoint, "HF_TOKEN", "secret"))
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range others {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := login.Header(u).Get("Authorization") != ""; got != want {
				t.Errorf("endpoint %q: the token goes to %s: %t, want %t", endpoint, text, got, want)
			}
		}
	}
}

func TestLoginThatCannotBe(t *testing.T) {
	for _, test := range []struct {
		text string
		env  []string
	}{
		{"https", []string{"HF_ENDPOINT", "http://hub.example.org", "HF_TOKEN", "secret"}},
		{"HF_ENDPOINT must be a URL", []string{"HF_ENDPOINT", "hub.example.org"}},
		{"HF_ENDPOINT must be a URL", []string{"HF_ENDPOINT", "ftp://hub.example.org"}},
		{"no user", []string{"HF_ENDPOINT", "https://me:secret@hub.example.org"}},
		{"HF_TOKEN: not a token", []string{"HF_TOKEN", "secret\nsecret"}},
		{"HF_TOKEN: not a token", []string{"HF_TOKEN", "secrét"}},
		{"is a directory", []string{"HF_TOKEN_PATH", t.TempDir()}},
	} {
		_, err := hub.FindLogin(env(test.env...))
		if err == nil || !strings.Contains(err.Error(), test.text) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", test.env, err)
		}
	}
	if _, err := hub.FindLogin(env("HF_ENDPOINT", "http://hub.example.org", "HF_TOKEN", "secret", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")); err != nil {
		t.Errorf("without a token: %v", err)
	}
}
