package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a flag's number of bytes: digits, and perhaps K, M or G for KiB, MiB
// or GiB.
type Size int64

func (s *Size) String() string { return strconv.FormatInt(int64(*s), 10) }
func (s *Size) Type() string   { return "SIZE" }

// Set reads text; the error says what is wrong with it.
func (s *Size) Set(text string) error {
	digits := strings.TrimRight(text, "KMG")
	unit, ok := map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[text[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("want a number of bytes such as 512K, have %q", text)
	}
	*s = Size(n * unit)
	return nil
}
