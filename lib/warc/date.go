package warc

import (
	"strings"
	"time"
)

// ParseDate reads a WARC-Date by its shape, whatever version the record claims:
// any W3C date and time format from a year to nanoseconds
// (https://www.w3.org/TR/NOTE-datetime), with Z or an offset, or none (UTC), and
// digits alone, as in CDX and ARC. Parts that are missing are 1 or 0. ok is false
// if it is no date.
func ParseDate(text string) (t time.Time, ok bool) {
	text = strings.TrimSpace(text)
	if digits := strings.TrimRight(text, "Zz"); allDigits(digits) {
		return parseDigits(digits)
	}
	text = strings.ToUpper(text)
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), validYear(t.UTC())
		}
	}
	return time.Time{}, false
}

// dateLayouts take fractions of any length after the seconds.
var dateLayouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04",
	"2006-01-02", "2006-01",
}

// parseDigits reads YYYY[MM[DD[hh[mm[ss[fraction]]]]]].
func parseDigits(digits string) (time.Time, bool) {
	const layout = "20060102150405"
	n := len(digits)
	if n < len("2006") || n < len(layout) && n%2 != 0 {
		return time.Time{}, false
	}
	whole := digits[:min(n, len(layout))]
	t, err := time.Parse(layout[:len(whole)], whole)
	if err != nil {
		return time.Time{}, false
	}
	if fraction := digits[len(whole):]; fraction != "" {
		nanos, err := time.ParseDuration("0." + fraction + "s")
		if err != nil {
			return time.Time{}, false
		}
		t = t.Add(nanos)
	}
	return t, validYear(t)
}

// validYear keeps out what a timestamp column could not hold as four digits.
func validYear(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
