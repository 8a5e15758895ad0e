package main

import (
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/pflag"

	"github.com/open-index/ccnews/lib/cli"
	"github.com/open-index/ccnews/lib/table"
)

// tableOptions are the flags that say how a table is made. A shard is made in
// one way only.
type tableOptions struct {
	flags         *pflag.FlagSet
	schema        string
	infer         int64
	nested        bool
	onMisfit      string
	ignoreUnknown bool
	sort, bloom   []string
	groupRows     int
	level         int
	columns       []table.Column // those of the schema
}

// flagNames are the flags of a table, for refuse.
var flagNames = []string{"infer", "nested", "on-misfit", "ignore-unknown", "sort", "bloom", "row-group-rows", "zstd"}

func (o *tableOptions) register(f *pflag.FlagSet) {
	o.flags = f
	f.StringVar(&o.schema, "schema", "", "")
	f.Int64Var(&o.infer, "infer", 1000, "")
	f.BoolVar(&o.nested, "nested", false, "")
	f.StringVar(&o.onMisfit, "on-misfit", "fail", "")
	f.BoolVar(&o.ignoreUnknown, "ignore-unknown", false, "")
	f.StringSliceVar(&o.sort, "sort", nil, "")
	f.StringSliceVar(&o.bloom, "bloom", nil, "")
	f.IntVar(&o.groupRows, "row-group-rows", 0, "")
	f.IntVar(&o.level, "zstd", 0, "")
}

// check finds what is wrong with the options, and reads the schema.
func (o *tableOptions) check() error {
	switch {
	case o.flags.Changed("schema") && o.schema == "":
		return cli.Usagef("--schema needs a FILE, news or cc-index")
	case o.schema != "" && o.flags.Changed("infer"):
		return cli.Usagef("--infer chooses columns, and --schema has chosen them")
	case o.schema != "" && o.nested:
		return cli.Usagef("--nested is for columns that are chosen by the lines, and --schema has chosen them")
	case o.nested && o.onMisfit == "string":
		return cli.Usagef("--on-misfit string does not go with --nested: give --infer enough lines instead")
	case o.schema != "" && o.onMisfit == "string":
		return cli.Usagef("--on-misfit string changes columns, and those of --schema stay as they are")
	case o.infer < 1:
		return cli.Usagef("--infer %d: want a number of lines", o.infer)
	case !slices.Contains([]string{"fail", "string", "null", "skip"}, o.onMisfit):
		return cli.Usagef("--on-misfit %s: want fail, string, null or skip", o.onMisfit)
	case o.flags.Changed("row-group-rows") && o.groupRows < 1:
		return cli.Usagef("--row-group-rows %d: want a number of rows", o.groupRows)
	case o.flags.Changed("zstd") && (o.level < 1 || o.level > 22):
		return cli.Usagef("--zstd %d: want a level from 1 to 22", o.level)
	case o.schema == "":
		return nil
	}
	columns, err := readSchema(o.schema)
	o.columns = columns
	return err
}

// refuse is the error for options of a table where a shard is made.
func (o *tableOptions) refuse() error {
	for _, name := range flagNames {
		if o.flags.Changed(name) {
			return cli.Hint(cli.Usagef("--%s: stdin has index rows, and a shard has one layout (doc/shard.md)", name),
				"with --schema news they become a table, which can have any")
		}
	}
	return nil
}

// layout is how the table of the given columns lies in its file.
func (o *tableOptions) layout(columns []table.Column) (table.Layout, error) {
	layout := table.NewLayout(columns)
	for _, name := range o.sort {
		name, descending := strings.CutPrefix(name, "-")
		if _, err := find(columns, "--sort", name); err != nil {
			return layout, err
		}
		if slices.Contains(layout.SortedBy, name) {
			return layout, cli.Usagef("--sort has %s twice", name)
		}
		layout.SortedBy = append(layout.SortedBy, name)
		if descending {
			layout.Descending = append(layout.Descending, name)
		}
	}
	for _, name := range o.bloom {
		i, err := find(columns, "--bloom", name)
		if err != nil {
			return layout, err
		}
		if columns[i].Kind == table.Bool {
			return layout, cli.Usagef("--bloom %s: Parquet has no filters on booleans", name)
		}
		columns[i].Filter = true
	}
	if o.groupRows > 0 {
		layout.GroupRows = o.groupRows
	}
	if o.level > 0 {
		layout.Level = zstd.EncoderLevelFromZstd(o.level)
	}
	return layout, nil
}

// find is the place of a column that a flag names.
func find(columns []table.Column, flag, name string) (int, error) {
	i := slices.IndexFunc(columns, func(c table.Column) bool { return c.Name == name })
	if i >= 0 && columns[i].Kind == table.Nested {
		return 0, cli.Hint(cli.Usagef("%s %s: the column is nested", flag, name), "only columns of plain values have an order and filters")
	}
	if i >= 0 {
		return i, nil
	}
	var names []string
	for _, c := range columns[:min(len(columns), 30)] {
		names = append(names, c.Name)
	}
	return 0, cli.Hint(cli.Usagef("%s %s: there is no such column", flag, name), "the columns are %s", strings.Join(names, ", "))
}
