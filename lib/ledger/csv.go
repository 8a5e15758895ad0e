package ledger

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxTable is the longest table that is read, in bytes. A month takes 150 bytes in
// stats.csv, and 2 KB in languages.csv.
const maxTable = 64 << 20

// AppendStats appends stats.csv: the columns of the ledger's kind, and then those of
// another maker that it was read with.
func (l *Ledger) AppendStats(dst []byte) []byte {
	header := []string{l.kind.Period}
	for _, c := range l.kind.columns {
		header = append(header, c.name)
	}
	records := [][]string{append(header, l.extra...)}
	for i := range l.Rows {
		row := &l.Rows[i]
		record := []string{row.Period}
		for _, c := range l.kind.columns {
			record = append(record, c.get(row))
		}
		record = append(record, row.extra...)
		for len(record) < len(records[0]) {
			record = append(record, "")
		}
		records = append(records, record)
	}
	return appendCSV(dst, records)
}

// AppendLanguages appends languages.csv.
func (l *Ledger) AppendLanguages(dst []byte) []byte {
	records := [][]string{{l.kind.Period, "language", "rows"}}
	for _, g := range l.Languages {
		records = append(records, []string{g.Period, g.Code, strconv.FormatInt(g.Rows, 10)})
	}
	return appendCSV(dst, records)
}

func appendCSV(dst []byte, records [][]string) []byte {
	out := bytes.NewBuffer(dst)
	if err := csv.NewWriter(out).WriteAll(records); err != nil {
		panic(err) // a Buffer takes everything
	}
	return out.Bytes()
}

// readStats reads stats.csv by the names in its header. Errors name the line.
func (l *Ledger) readStats(r io.Reader) error {
	t, err := readTable(r)
	if err != nil {
		return err
	}
	places := make([]int, len(l.kind.columns))
	for i, c := range l.kind.columns {
		if places[i], err = t.column(c.name); err != nil {
			return err
		}
	}
	period, err := t.column(l.kind.Period)
	if err != nil {
		return err
	}
	for i, name := range t.header {
		if i != period && !slices.Contains(places, i) {
			l.extra = append(l.extra, name)
		}
	}
	seen := map[string]bool{}
	for i, record := range t.records {
		row, err := l.row(record, period, places)
		if err == nil && seen[row.Period] {
			err = fmt.Errorf("%s is there twice", row.Period)
		}
		if seen[row.Period] = true; err != nil {
			return fmt.Errorf("line %d: %w", t.lines[i], err)
		}
		l.Rows = append(l.Rows, row)
	}
	return nil
}

func (l *Ledger) row(record []string, period int, places []int) (row Row, err error) {
	if row.Period, err = l.kind.exactPeriod(record[period]); err != nil {
		return row, err
	}
	for i, c := range l.kind.columns {
		if err := c.set(&row, record[places[i]]); err != nil {
			return row, fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	row.Partial = !row.Complete && row.TotalFiles >= 0 && row.Files >= row.TotalFiles
	for i, text := range record {
		if i != period && !slices.Contains(places, i) {
			row.extra = append(row.extra, text)
		}
	}
	return row, nil
}

// readLanguages reads languages.csv. Errors name the line.
func (l *Ledger) readLanguages(r io.Reader) error {
	t, err := readTable(r)
	if err != nil {
		return err
	}
	period, err1 := t.column(l.kind.Period)
	code, err2 := t.column("language")
	rows, err3 := t.column("rows")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	for i, record := range t.records {
		g := Language{Code: record[code]}
		var err1, err2 error
		g.Period, err1 = l.kind.exactPeriod(record[period])
		g.Rows, err2 = parseCount(record[rows])
		if !validLanguage.MatchString(g.Code) {
			err2 = fmt.Errorf("%q is not the code of a language", g.Code)
		}
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("line %d: %w", t.lines[i], err)
		}
		l.Languages = append(l.Languages, g)
	}
	return nil
}

// exactPeriod checks the name of a period as ledgers write it.
func (k *Kind) exactPeriod(text string) (string, error) {
	if !k.period.MatchString(text) {
		return "", fmt.Errorf("%q is not a %s", text, k.Period)
	}
	return text, nil
}

// table is a CSV file with a header.
type table struct {
	header  []string
	records [][]string
	lines   []int // where each record begins
}

func readTable(r io.Reader) (*table, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTable+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxTable:
		return nil, fmt.Errorf("longer than %d bytes, which no ledger is", maxTable)
	case !utf8.Valid(text):
		return nil, errors.New("not valid UTF-8")
	case len(text) == 0:
		return nil, errors.New("line 1: no header: the file is empty")
	case text[len(text)-1] != '\n':
		return nil, fmt.Errorf("line %d: it does not end: the file is cut", bytes.Count(text, []byte("\n"))+1)
	}
	in := csv.NewReader(bytes.NewReader(text))
	t := new(table)
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err // it names the line
		}
		line, _ := in.FieldPos(0)
		t.records, t.lines = append(t.records, record), append(t.lines, line)
	}
	if len(t.records) == 0 {
		return nil, errors.New("line 1: no header")
	}
	t.header, t.records, t.lines = t.records[0], t.records[1:], t.lines[1:]
	return t, nil
}

// column is the place of the one column with a name.
func (t *table) column(name string) (int, error) {
	i := slices.Index(t.header, name)
	if i < 0 {
		return 0, fmt.Errorf("line 1: no column %s", name)
	}
	if slices.Contains(t.header[i+1:], name) {
		return 0, fmt.Errorf("line 1: column %s is there twice", name)
	}
	return i, nil
}
