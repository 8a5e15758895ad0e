package hub

import (
	"context"
	"fmt"
	"strings"
)

// Compare says what a Commit of change would do now, and changes nothing. Sums are
// filled in in change.Adds. What the hub would ignore it does not tell.
func Compare(ctx context.Context, repo Repo, change Change) (Landed, error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return Landed{}, err
	}
	if change.Parent != "" && change.Parent != head {
		return Landed{}, fmt.Errorf("%s: %w: its head is %s, not %s", repo, ErrMoved, head, change.Parent)
	}
	there, err := known(ctx, repo, head, change.Adds)
	if err != nil {
		return Landed{}, err
	}
	landed := Landed{Commit: head}
	for i := range change.Adds {
		outcome, err := compareAdd(ctx, &change.Adds[i], there)
		if err != nil {
			return Landed{}, err
		}
		landed.Files = append(landed.Files, outcome)
	}
	for _, path := range change.Deletes {
		outcome, err := compareDelete(ctx, repo, head, path)
		if err != nil {
			return Landed{}, err
		}
		landed.Files = append(landed.Files, outcome)
	}
	return landed, nil
}

// known is what the repository has at the paths of adds, by path.
func known(ctx context.Context, repo Repo, head string, adds []Add) (map[string]File, error) {
	paths := make([]string, len(adds))
	for i, add := range adds {
		paths[i] = add.Path
	}
	files, err := repo.Lookup(ctx, head, paths)
	there := make(map[string]File, len(files))
	for _, file := range files {
		there[file.Path] = file
	}
	return there, err
}

func compareAdd(ctx context.Context, add *Add, there map[string]File) (Outcome, error) {
	sums := Sums{SHA256: add.SHA256, Size: add.Size}
	if add.Source != nil {
		var err error
		if sums, err = Sum(ctx, add.Source); err != nil {
			return Outcome{}, err
		}
		add.SHA256, add.Size = sums.SHA256, sums.Size
	}
	state := Added
	if file, ok := there[add.Path]; ok && same(file, sums) {
		state = Unchanged
	}
	return Outcome{Path: add.Path, Size: add.Size, SHA256: add.SHA256, State: state}, nil
}

// compareDelete finds out whether there is something to delete at path.
func compareDelete(ctx context.Context, repo Repo, head, path string) (Outcome, error) {
	outcome := Outcome{Path: path, State: Absent}
	if !strings.HasSuffix(path, "/") {
		files, err := repo.Lookup(ctx, head, []string{path})
		if len(files) > 0 {
			outcome.State = Deleted
		}
		return outcome, err
	}
	for _, err := range repo.List(ctx, head, path) {
		if err == nil {
			outcome.State = Deleted
		}
		return outcome, err
	}
	return outcome, nil
}
