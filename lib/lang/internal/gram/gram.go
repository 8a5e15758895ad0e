// Package gram has the features that tell languages apart, and the table of how much each says for which language.
package gram

// MaxLength is how many letters and blanks the longest gram has.
const MaxLength = 5

// MinLength is how many the shortest has.
const MinLength = 3

// MaxGrams is how many grams a word of [Words] has at most.
const MaxGrams = (maxWord + 2) * MaxLength

// Length returns the length of a gram with this hash.
func Length(hash uint32) int { return int(hash & 7) }

// Append appends the hashes of the grams of a word to dst: of every run of MinLength to
// MaxLength of its letters and the blanks round it.
func Append(dst []uint32, word []rune) []uint32 {
	for i := range word {
		h := uint32(0x811c9dc5)
		for n := 0; n < MaxLength && i+n < len(word); n++ {
			h = (h ^ uint32(word[i+n])) * 0x01000193
			h ^= h >> 15
			if n+1 < MinLength {
				continue
			}
			dst = append(dst, mix(h)&^7|uint32(n+1))
		}
	}
	return dst
}

// mix spreads the last letter over all bits.
func mix(h uint32) uint32 {
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
