package main

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/open-index/ccnews/lib/hub/hubtest"
)

// build makes the hub that the options describe, without its repo.
func build(o options) (*hubtest.Hub, error) {
	choices := []hubtest.Option{hubtest.WithSettings(func(s *hubtest.Settings) { s.PageSize, s.Latency = o.pageSize, o.latency })}
	if o.dir != "" {
		choices = append(choices, hubtest.KeepIn(o.dir))
	}
	if o.discard {
		choices = append(choices, hubtest.Discard())
	}
	for i, given := range o.tokens {
		account, err := hubtest.ParseAccount(fmt.Sprintf("user%d", i+1), given)
		if err != nil {
			return nil, fmt.Errorf("--token: %w", err)
		}
		choices = append(choices, hubtest.WithAccount(account))
	}
	hub := hubtest.New(choices...)
	if err := hub.SetJSON([]byte(o.settings)); err != nil {
		return nil, fmt.Errorf("--settings: %w", err)
	}
	for _, text := range o.faults {
		if err := hub.FailJSON([]byte(text)); err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
	}
	return hub, nil
}

// seed makes the repo and commits the folder's files to it.
func seed(hub *hubtest.Hub, o options) error {
	if o.repo == "" {
		return nil
	}
	hub.CreateRepo(o.repo, hubtest.RepoOptions{})
	if o.seed == "" {
		return nil
	}
	files := map[string]string{}
	err := filepath.WalkDir(o.seed, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		path, err := filepath.Rel(o.seed, name)
		files[filepath.ToSlash(path)] = name
		return err
	})
	if err != nil {
		return fmt.Errorf("--seed: %w", err)
	}
	if _, err := hub.PutLocal(o.repo, files); err != nil {
		return fmt.Errorf("--seed: %w", err)
	}
	return nil
}
