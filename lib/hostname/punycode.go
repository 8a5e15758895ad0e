package hostname

import "math"

// The parameters of Punycode (RFC 3492, section 5).
const (
	base        = 36
	tMin        = 1
	tMax        = 26
	skew        = 38
	damp        = 700
	initialBias = 72
	initialN    = 0x80
)

// punycode encodes a label by section 6.3 of RFC 3492.
func punycode(label string) string {
	runes := []rune(label)
	out := make([]byte, 0, 2*len(label))
	for _, r := range runes {
		if r < 0x80 {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(initialN), 0, initialBias
	for done := basic; done < len(runes); {
		next := nextRune(runes, n)
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range runes {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			out = appendDigits(out, delta, bias)
			bias = adaptBias(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

// appendDigits writes a number in digits of which each has its own base.
func appendDigits(out []byte, number, bias int) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := base; ; k += base {
		t := min(max(k-bias, tMin), tMax)
		if number < t {
			return append(out, digits[number])
		}
		out = append(out, digits[t+(number-t)%(base-t)])
		number = (number - t) / (base - t)
	}
}

// nextRune returns the smallest rune that is at least n.
func nextRune(runes []rune, n rune) rune {
	next := rune(math.MaxInt32)
	for _, r := range runes {
		if r >= n {
			next = min(next, r)
		}
	}
	return next
}

// adaptBias is the adapt function of section 6.1 of RFC 3492.
func adaptBias(delta, points int, first bool) int {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}
