package hostname

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

func TestToASCII(t *testing.T) {
	tests := []struct{ host, want string }{
		{"", ""},
		{".", "."},
		{"。", "."},
		{"Example.ORG.", "Example.ORG."},
		{"faß.de", "fass.de"},
		{"ＥＸＡＭＰＬＥ．com", "example.com"},
		{"a\u200db\u00ad\ufe0fc.org", "abc.org"},
		{"ΣΊΣΥΦΟΣ.gr", "xn--kxa6akbbkh.gr"},
		{"σίσυφος。gr", "xn--kxa6akbbkh.gr"},
		{"İ.tr", "xn--i-9bb.tr"},
		{"℡㎏.jp", "telkg.jp"},
		{"例え｡テスト", "xn--r8jz45g.xn--zckzah"},
		{"أخبار.مصر", "xn--igbicxr.xn--wgbh1c"},
		{"Ⴀ.ge", "xn--7md.ge"}, // its small form is younger
	}
	for _, tt := range tests {
		for _, unassigned := range []Unassigned{RefuseUnassigned, AllowUnassigned} {
			if got, err := ToASCII(tt.host, unassigned); err != nil || got != tt.want {
				t.Errorf("ToASCII(%q, %d) = %q, %v, want %q", tt.host, unassigned, got, err, tt.want)
			}
		}
	}
}

func TestToASCIIErrors(t *testing.T) {
	for _, host := range []string{
		"a..b", ".a", "\u00ad", "\u00ad.org", "a\u200eb.org", "\ufffd", "\U0001fffe", "xn--ü.de", "אa.com", "א1.com",
		strings.Repeat("a", 64), strings.Repeat("ü", 60), strings.Repeat("ü", 1<<16),
	} {
		if got, err := ToASCII(host, AllowUnassigned); err == nil {
			t.Errorf("ToASCII(%q) = %q, want an error", host, got)
		}
	}
}

// Emoji and young scripts are what Unicode 3.2 did not know, and they are kept unfolded.
func TestToASCIIUnassigned(t *testing.T) {
	tests := []struct{ host, want string }{
		{"🦊.org", "xn--9s9h.org"},
		{"Ü🦊.org", "xn--tda6449w.org"},
		{"Ა.ge", "xn--j4f.ge"},
	}
	for _, tt := range tests {
		if got, err := ToASCII(tt.host, AllowUnassigned); err != nil || got != tt.want {
			t.Errorf("ToASCII(%q) = %q, %v, want %q", tt.host, got, err, tt.want)
		}
		if got, err := ToASCII(tt.host, RefuseUnassigned); err == nil {
			t.Errorf("ToASCII(%q) = %q, want an error", tt.host, got)
		}
	}
}

// Unicode publishes how many characters each version added: 4.0 added 1,226 and 4.1 added 1,273.
// So many code points must be in our table for 3.2 and assigned in 4.1, and none the other way
// round.
func TestUnassignedTableAgrees(t *testing.T) {
	assigned41 := rangetable.Assigned("4.1.0")
	added := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r&0xfffe == 0xfffe || 0xd800 <= r && r < 0xe000 || 0xfdd0 <= r && r <= 0xfdef {
			continue // no characters
		}
		switch assigned, unassigned := unicode.Is(assigned41, r), unicode.Is(unassigned32, r); {
		case assigned && unassigned:
			added++
		case !assigned && !unassigned:
			t.Errorf("%U was assigned in Unicode 3.2 by our table, but not in 4.1", r)
		}
	}
	if added != 1226+1273 {
		t.Errorf("Unicode 4.0 and 4.1 added %d characters by our table", added)
	}
}
