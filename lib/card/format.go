package card

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// number writes n with commas: 1,234,567.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// size writes a number of bytes in decimal units: 1.2 GB.
func size(n int64) string {
	value, units := float64(n), []string{"kB", "MB", "GB", "TB", "PB"}
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	for i := range units {
		if value /= 1000; value < 999.95 || i == len(units)-1 {
			return fmt.Sprintf("%.1f %s", value, units[i])
		}
	}
	panic("not reached: the last unit takes everything")
}

// percent writes a share, and 100 % only for all of it.
func percent(part, whole int64) string {
	if whole <= 0 {
		return "–"
	}
	share := 100 * float64(part) / float64(whole)
	if part < whole {
		share = min(share, 99.9)
	}
	return fmt.Sprintf("%.1f %%", share)
}

// bar draws part of whole as a bar of at most width characters. What is not zero can
// be seen.
func bar(part, whole int64, width int) string {
	if part <= 0 || whole <= 0 {
		return ""
	}
	eighths := max(1, int(math.Round(8*float64(width)*float64(part)/float64(whole))))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// duration writes days, hours and minutes: 2 d 3 h 4 min.
func duration(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	minutes := int64(d / time.Minute)
	var parts []string
	for _, unit := range []struct {
		name    string
		minutes int64
	}{{"d", 24 * 60}, {"h", 60}, {"min", 1}} {
		if n := minutes / unit.minutes; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		minutes %= unit.minutes
	}
	if len(parts) == 0 {
		return "less than 1 min"
	}
	return strings.Join(parts, " ")
}

// code puts text into a code span.
func code(text string) string { return "`" + text + "`" }

// anyNumber is number for templates, where len gives an int.
func anyNumber(n any) string {
	if i, ok := n.(int); ok {
		return number(int64(i))
	}
	return number(n.(int64))
}
