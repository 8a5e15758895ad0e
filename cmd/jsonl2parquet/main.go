// Jsonl2parquet writes JSON objects as a Parquet file; see usage.txt.
package main

import (
	"context"
	_ "embed"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/shard"
	"github.com/open-index/ccnews/lib/wholefile"
)

//go:embed usage.txt
var usage string

func main() { cli.Main(usage, new(command)) }

type command struct {
	output     string
	requireEnd bool
	pairs      []string
	metadata   map[string]string
	table      tableOptions
}

func (c *command) Flags(f *pflag.FlagSet) {
	f.StringVarP(&c.output, "output", "o", "-", "")
	f.BoolVar(&c.requireEnd, "require-end", false, "")
	f.StringArrayVar(&c.pairs, "meta", nil, "")
	c.table.register(f)
}

func (c *command) Run(ctx context.Context, std *cli.IO, args []string) error {
	if err := c.check(std, args); err != nil {
		return err
	}
	progress := std.Progress("rows", -1)
	defer progress.Done()
	in := newSource(progress.Reader(std.In))
	save := func(write func(*os.File) error) error {
		if c.output == "-" {
			return wholefile.Stream(ctx, std.Out, write)
		}
		return wholefile.Save(ctx, c.output, write)
	}
	if c.table.schema == "" && in.isIndex() {
		if err := c.table.refuse(); err != nil {
			return err
		}
		return c.writeShard(ctx, std, in, save)
	}
	return c.writeTable(ctx, std, in, save)
}

func (c *command) check(std *cli.IO, args []string) error {
	if len(args) > 0 && (len(args) > 1 || args[0] != "-") {
		return cli.Hint(cli.Usagef("unexpected argument %q", args[0]), "the input is stdin: jsonl2parquet < FILE")
	}
	if c.output == "-" && cli.IsTerminal(std.Out) {
		return cli.Hint(cli.Usagef("Parquet is not for terminals"), "use -o FILE, or redirect stdout")
	}
	if c.output == "" {
		return cli.Usagef("-o needs the name of a file")
	}
	if err := c.parsePairs(); err != nil {
		return err
	}
	if err := c.table.check(); err != nil {
		return err
	}
	return std.NeedInput()
}

// parsePairs makes the footer's keys of --meta.
func (c *command) parsePairs() error {
	c.metadata = map[string]string{}
	for _, pair := range c.pairs {
		key, value, ok := strings.Cut(pair, "=")
		if _, twice := c.metadata[key]; !ok || key == "" || twice {
			return cli.Usagef("--meta %s: want KEY=VALUE, each KEY once", pair)
		}
		if key == shard.IndexKey {
			return cli.Usagef("--meta %s: the key %s is the shard's own", pair, shard.IndexKey)
		}
		c.metadata[key] = value
	}
	return nil
}
