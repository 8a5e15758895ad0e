package transport_test

import (
	"testing"

	"github.com/open-index/ccnews/lib/transport"
)

func TestContentRange(t *testing.T) {
	tests := []struct {
		value             string
		first, last, size int64
	}{
		{"bytes 5-9/10", 5, 9, 10},
		{"bytes 0-0/1", 0, 0, 1},
		{"bytes 0-9223372036854775806/9223372036854775807", 0, 1<<63 - 2, 1<<63 - 1},
		{"bytes 5-9/9", -1, -1, -1},
		{"bytes 9-5/10", -1, -1, -1},
		{"bytes 5-9/*", -1, -1, -1},
		{"bytes */10", -1, -1, -1},
		{"bytes 5-9", -1, -1, -1},
		{"bytes=5-9/10", -1, -1, -1},
		{"5-9/10", -1, -1, -1},
		{"items 5-9/10", -1, -1, -1},
		{"bytes +5-9/10", -1, -1, -1},
		{"bytes -5-9/10", -1, -1, -1},
		{"bytes 0-9223372036854775807/9223372036854775808", -1, -1, -1},
		{"", -1, -1, -1},
	}
	for _, tt := range tests {
		if first, last, size := transport.ContentRange(tt.value); first != tt.first || last != tt.last || size != tt.size {
			t.Errorf("%q: %d-%d/%d", tt.value, first, last, size)
		}
	}
	for value, want := range map[string]int64{"bytes */10": 10, "bytes */*": -1, "*/10": -1, "bytes 5-9/10": -1, "bytes */-1": -1, "": -1} {
		if got := transport.Unsatisfied(value); got != want {
			t.Errorf("%q: %d", value, got)
		}
	}
}
