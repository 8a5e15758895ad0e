package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-index/ccnews/lib/table"
)

// kinds are the types that can be written, as "physical logical".
//
// Nanoseconds are not among them because readers show them as bare integers
// (https://github.com/duckdb/duckdb/issues/4442), nor are times without a zone
// and unsigned integers, which JSON does not tell from others.
var kinds = map[string]table.Kind{
	"boolean ":                     table.Bool,
	"int32 ":                       table.Int32,
	"int32 INTEGER(8,true)":        table.Int8,
	"int32 INTEGER(16,true)":       table.Int16,
	"int32 INTEGER(32,true)":       table.Int32,
	"int64 ":                       table.Int64,
	"int64 INTEGER(64,true)":       table.Int64,
	"int64 TIMESTAMP(MILLIS,true)": table.Time,
	"int64 TIMESTAMP(MICROS,true)": table.TimeMicros,
	"float ":                       table.Float,
	"double ":                      table.Double,
	"binary ":                      table.Bytes,
	"binary STRING":                table.Text,
	"binary JSON":                  table.JSON,
}

// legacy are the names that logical types had before Parquet 2.4, which many
// tools still print.
var legacy = map[string]string{
	"UTF8":             "STRING",
	"INT_8":            "INTEGER(8,true)",
	"INT_16":           "INTEGER(16,true)",
	"INT_32":           "INTEGER(32,true)",
	"INT_64":           "INTEGER(64,true)",
	"TIMESTAMP_MILLIS": "TIMESTAMP(MILLIS,true)",
	"TIMESTAMP_MICROS": "TIMESTAMP(MICROS,true)",
}

// writable lists what a physical type can hold, for messages; it is empty for
// a type that cannot be written at all.
func writable(physical string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if name, logical, _ := strings.Cut(name, " "); name == physical && logical == "" {
			list = append(list, name)
		} else if name == physical {
			list = append(list, name+" ("+logical+")")
		}
	}
	return strings.Join(list, ", ")
}
