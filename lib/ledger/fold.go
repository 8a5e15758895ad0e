package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Fold counts the shards of some periods: all shards of each of them.
type Fold struct {
	kind  *Kind
	seen  map[[sha256.Size]byte]bool
	tally map[string]*Tally
}

// Tally is what a [Fold] counted of a period.
type Tally struct {
	Files, Rows, BytesRead, ParquetBytes, Success, HTML, Damaged int64

	// Partial is how many of the files say that they are a part of their archive.
	Partial int64

	// ByLanguage and ByDay count rows; see [shard.Index].
	ByLanguage, ByDay map[string]int64
}

// NewFold begins to count.
func NewFold(kind *Kind) *Fold {
	return &Fold{kind: kind, seen: map[[sha256.Size]byte]bool{}, tally: map[string]*Tally{}}
}

// Add counts a shard. One that was counted before is an error.
func (f *Fold) Add(l *Line) error {
	period, err := f.kind.PeriodOf(l.Path)
	if err != nil {
		return err
	}
	if f.kind == News && l.Index == nil {
		return errors.New("it has no counts: only shards of ours can be counted as news")
	}
	if key := place(l.Path, ""); f.seen[key] {
		return fmt.Errorf("%s is there twice", l.Path)
	} else {
		f.seen[key] = true
	}
	t := f.tally[period]
	if t == nil {
		t = &Tally{ByLanguage: map[string]int64{}, ByDay: map[string]int64{}}
		f.tally[period] = t
	}
	t.add(l)
	return nil
}

func (t *Tally) add(l *Line) {
	x := l.counts()
	t.Files++
	t.Rows += l.Rows
	t.BytesRead += count(x.Bytes)
	t.ParquetBytes += l.ParquetBytes
	t.Success += l.Success()
	t.HTML += l.HTML()
	t.Damaged += count(x.Damaged)
	if l.Index != nil && !x.Complete {
		t.Partial++
	}
	for code, n := range x.ByLanguage {
		t.ByLanguage[code] += n
	}
	for day, n := range x.ByDay {
		t.ByDay[day] += n
	}
}

// Periods are the periods that were counted.
func (f *Fold) Periods() map[string]*Tally { return f.tally }

// Entry is what is said of periods beside what their shards say.
type Entry struct {
	// Now is when the ledger's commit is made.
	Now time.Time
	// Totals is how many archives the manifests name, Unfit how many of them cannot be
	// indexed, by period. What is not in here stays as it was.
	Totals, Unfit map[string]int64
}

// Update puts what was counted in the place of the rows of these periods. The other
// rows stay as they are, but for what e says of them.
func (l *Ledger) Update(f *Fold, e Entry) {
	for period, tally := range f.tally {
		row := l.Row(period)
		if row == nil {
			l.Rows = append(l.Rows, Row{Period: period, TotalFiles: -1, FirstCommitted: e.now()})
			row = &l.Rows[len(l.Rows)-1]
		}
		if l.replace(row, tally) {
			row.LastCommitted = e.now()
		}
		row.settle()
	}
	for i := range l.Rows {
		l.Rows[i].note(e)
	}
	l.sort()
}

func (e *Entry) now() time.Time { return e.Now.UTC().Truncate(time.Second) }

// replace puts counts into a row and reports whether they are others than before.
func (l *Ledger) replace(row *Row, t *Tally) (changed bool) {
	before := *row
	row.Files, row.Rows = t.Files, t.Rows
	row.BytesRead, row.ParquetBytes = t.BytesRead, t.ParquetBytes
	row.Success, row.HTML, row.Damaged = t.Success, t.HTML, t.Damaged
	row.Partial = t.Partial > 0
	changed = slices.ContainsFunc(l.kind.columns, func(c column) bool { return c.get(&before) != c.get(row) })
	if l.kind.Languages && !maps.Equal(l.languages(row.Period), t.ByLanguage) {
		changed = true
		l.setLanguages(row.Period, t.ByLanguage)
	}
	return changed
}

// note takes what is said of a period.
func (r *Row) note(e Entry) {
	total, hasTotal := e.Totals[r.Period]
	unfit, hasUnfit := e.Unfit[r.Period]
	if hasTotal {
		r.TotalFiles = total
	}
	if hasUnfit {
		r.Unfit = unfit
	}
	if hasTotal || hasUnfit {
		r.settle()
	}
}

// settle finds out what follows from the counts. An archive that was unfit once may
// have got a shard since.
func (r *Row) settle() {
	r.Complete = r.TotalFiles >= 0 && r.Files >= r.TotalFiles && !r.Partial
	if r.TotalFiles >= 0 {
		r.Unfit = min(r.Unfit, max(0, r.TotalFiles-r.Files))
	}
}

func (l *Ledger) languages(period string) map[string]int64 {
	counts := map[string]int64{}
	for _, g := range l.Languages {
		if g.Period == period {
			counts[g.Code] = g.Rows
		}
	}
	return counts
}

func (l *Ledger) setLanguages(period string, counts map[string]int64) {
	kept := l.Languages[:0]
	for _, g := range l.Languages {
		if g.Period != period {
			kept = append(kept, g)
		}
	}
	for code, n := range counts {
		kept = append(kept, Language{Period: period, Code: code, Rows: n})
	}
	l.Languages = kept
}
