package card

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-index/ccnews/lib/ledger"
)

// CrawlsChart is the path of the chart of a mirror.
const CrawlsChart = "charts/crawls.svg"

// MonthChart is the path of a month's chart. Each month has its own, so that a card
// can show that of the newest month whichever month was worked on last.
func MonthChart(month string) string { return "charts/" + month + ".svg" }

// The layout of a chart, in its own units.
const (
	chartWidth, chartHeight = 880, 280
	plotLeft, plotRight     = 76, 864
	plotTop, plotBottom     = 48, 244
	widestBar               = 48.0
)

type point struct {
	label string // under the axis; "": none
	title string // what is told of the bar
	value int64
}

// Days draws the articles of each day of a month as an SVG. Days outside of the month
// that have some, too, are shown if they are next to it; the rest is told in words.
func Days(month string, byDay map[string]int64) []byte {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		panic(err) // a period of the ledger
	}
	day, end := first.AddDate(0, 0, -1), first.AddDate(0, 1, 0)
	var points []point
	shown, all := int64(0), int64(0)
	for ; !day.After(end); day = day.AddDate(0, 0, 1) {
		name := day.Format(time.DateOnly)
		if n := byDay[name]; n > 0 || day.Format("2006-01") == month {
			label := ""
			if d := day.Day(); day.Format("2006-01") == month && (d == 1 || d%5 == 0) {
				label = day.Format("2")
			}
			points = append(points, point{label, name, n})
			shown += n
		}
	}
	for _, n := range byDay {
		all += n
	}
	title := "Articles per day, " + first.Format("January 2006") + " (UTC)"
	if all > shown {
		title += fmt.Sprintf("; %s of other days are not shown", number(all-shown))
	}
	return draw(title, points)
}

// Crawls draws the rows of each crawl as an SVG, oldest first.
func Crawls(l *ledger.Ledger) []byte {
	var points []point
	for _, r := range slices.Backward(l.Rows) {
		label := ""
		if len(l.Rows) <= 12 {
			label = strings.TrimPrefix(r.Period, "CC-MAIN-")
		}
		points = append(points, point{label, r.Period, r.Rows})
	}
	return draw("Rows per crawl", points)
}

func draw(title string, points []point) []byte {
	var most int64
	for _, p := range points {
		most = max(most, p.value)
	}
	step := niceStep(most)
	top := max(1, (most+step-1)/step) * step
	height := func(v int64) float64 { return float64(plotBottom-plotTop) * float64(v) / float64(top) }

	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="system-ui, sans-serif" font-size="13">`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&out, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&out, `<text x="16" y="26" font-size="16" fill="#1f2933">%s</text>`+"\n", escape(title))
	for v := int64(0); v <= top; v += step {
		y := float64(plotBottom) - height(v)
		fmt.Fprintf(&out, `<path d="M%d %.1fH%d" stroke="#d5dae1"/>`, plotLeft, y, plotRight)
		fmt.Fprintf(&out, `<text x="%d" y="%.1f" text-anchor="end" fill="#52606d">%s</text>`+"\n", plotLeft-8, y+4, number(v))
	}
	slot := float64(plotRight-plotLeft) / float64(len(points))
	width := min(0.8*slot, widestBar)
	for i, p := range points {
		middle := plotLeft + slot*(float64(i)+0.5)
		fmt.Fprintf(&out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#2f6fab"><title>%s: %s</title></rect>`+"\n",
			middle-width/2, float64(plotBottom)-height(p.value), width, height(p.value), escape(p.title), number(p.value))
		if p.label != "" {
			fmt.Fprintf(&out, `<text x="%.1f" y="%d" text-anchor="middle" fill="#52606d">%s</text>`+"\n", middle, plotBottom+20, escape(p.label))
		}
	}
	out.WriteString("</svg>\n")
	return []byte(out.String())
}

// niceStep is 1, 2 or 5 times a power of ten, of which at most five reach to most.
func niceStep(most int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if n*power*5 >= most {
				return n * power
			}
		}
	}
}

func escape(text string) string {
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(text)); err != nil {
		panic(err) // a Builder takes everything
	}
	return out.String()
}
