package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/open-index/ccnews/lib/card"
	"github.com/open-index/ccnews/lib/jsonl"
	"github.com/open-index/ccnews/lib/ledger"
	"github.com/open-index/ccnews/lib/wholefile"
)

// file is one that goes into the repository.
type file struct {
	path    string
	content []byte
}

// render makes all files before the first one is written.
func render(j job, books *ledger.Ledger, fold *ledger.Fold) ([]file, error) {
	page := card.Card{Repo: j.repo, Ledger: books}
	readme, err := page.Render()
	if err != nil {
		return nil, err
	}
	files := []file{{ledger.StatsFile, books.AppendStats(nil)}}
	if j.kind.Languages {
		files = append(files, file{ledger.LanguagesFile, books.AppendLanguages(nil)})
	}
	files = append(files, file{card.README, readme})
	if j.kind == ledger.URLs {
		return append(files, file{card.CrawlsChart, card.Crawls(books)}), nil
	}
	counted := fold.Periods()
	for _, month := range slices.Sorted(maps.Keys(counted)) {
		files = append(files, file{card.MonthChart(month), card.Days(month, counted[month].ByDay)})
	}
	return files, nil
}

// save writes the files, and the lines by which hf-put finds them.
func save(ctx context.Context, stdout io.Writer, folder string, files []file) error {
	out := jsonl.NewWriter(stdout)
	for _, f := range files {
		name := filepath.Join(folder, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		err := wholefile.Save(ctx, name, func(to *os.File) error {
			_, err := to.Write(f.content)
			return err
		})
		if err != nil {
			return err
		}
		line := jsonl.AppendString([]byte(`{"local":`), name)
		line = jsonl.AppendString(append(line, `,"path":`...), f.path)
		if err := out.Line(append(line, '}')); err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}
