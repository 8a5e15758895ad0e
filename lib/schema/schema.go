// Package schema reads the columns of a table from text: the message syntax in
// which Parquet tools print schemas, so that what `parquet schema` or DuckDB's
// parquet_schema show can be written down again
// (https://github.com/apache/parquet-java, MessageTypeParser). doc/tables.md
// has the grammar.
//
//	message pages {
//	  required binary url (STRING);
//	  optional int64 seen (TIMESTAMP(MILLIS,true));
//	}
//
// Columns are flat: there are no groups and nothing is repeated. A table whose
// values are nested has them as JSON text, `binary x (JSON)`.
package schema

import (
	_ "embed"
	"fmt"

	"github.com/open-index/ccnews/lib/table"
)

// SyntaxError says what is wrong with a schema and where. Line and Column count
// from 1, Column in bytes.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Texts of the schemas that have names.
var (
	//go:embed news.schema
	news string
	//go:embed cc-index.schema
	ccIndex string
)

// Named is the text of the schema of a name: "news", the 22 columns of the news
// index, or "cc-index", the 18 of Common Crawl's own with their types there.
func Named(name string) (text string, ok bool) {
	text, ok = map[string]string{"news": news, "cc-index": ccIndex}[name]
	return text, ok
}

// Parse reads a schema of one to [table.MaxColumns] columns. The error is a
// *[SyntaxError].
func Parse(text string) ([]table.Column, error) {
	p := &parser{text: text}
	p.advance()
	columns := p.message()
	if p.err != nil {
		return nil, p.err
	}
	return columns, nil
}
