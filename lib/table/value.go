package table

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	jsoniter "github.com/json-iterator/go"

	"github.com/open-index/ccnews/lib/jsonl"
)

// appendValue reads a value of any kind and appends it to cell as one of the
// given kind, or says why it cannot.
func appendValue(cell []byte, iter *jsonl.Iterator, kind Kind) (_ []byte, reason string) {
	next := iter.WhatIsNext()
	switch {
	case next == jsoniter.NilValue:
		iter.ReadNil()
		return AppendNull(cell), ""
	case kind == JSON || kind == Nested:
		return AppendText(cell, iter.SkipAndReturnBytes()), ""
	case kind.isText() && next == jsoniter.StringValue:
		return AppendText(cell, iter.ReadString()), ""
	case kind.isTime() && next == jsoniter.StringValue:
		return appendTime(cell, iter.ReadString(), kind)
	case kind == Bool && next == jsoniter.BoolValue:
		return AppendBool(cell, iter.ReadBool()), ""
	case next == jsoniter.NumberValue && (kind == Double || kind == Float):
		return appendReal(cell, iter.ReadNumber().String(), kind)
	case next == jsoniter.NumberValue && kind.bits() > 0:
		text := iter.ReadNumber().String()
		n, err := strconv.ParseInt(text, 10, kind.bits())
		if err != nil {
			return cell, wrongKind(kind, text)
		}
		return AppendInt(cell, n), ""
	}
	return cell, wrongKind(kind, string(iter.SkipAndReturnBytes()))
}

// appendReal appends the float nearest to text, as every reader of decimals
// does; an integer must be that float exactly, and only zero may become zero.
func appendReal(cell []byte, text string, kind Kind) ([]byte, string) {
	bits := 64
	if kind == Float {
		bits = 32
	}
	f, err := strconv.ParseFloat(text, bits)
	isInteger := !strings.ContainsAny(text, ".eE")
	if err != nil || isInteger && !exact(text, bits) || vanishes(text, f) {
		return cell, wrongKind(kind, text)
	}
	return AppendDouble(cell, f), ""
}

// vanishes reports whether text is no zero although the float nearest to it is.
func vanishes(text string, f float64) bool {
	if f != 0 {
		return false
	}
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.ContainsAny(digits, "123456789")
}

// exact reports whether every integer up to that of text is a float of so many
// bits.
func exact(text string, bits int) bool {
	most := int64(1 << 53)
	if bits == 32 {
		most = 1 << 24
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n >= -most && n <= most
}

// Layouts of a time with a zone: RFC 3339, and how DuckDB writes it as JSON.
var timeLayouts = [...]string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07"}

// appendTime appends a time with its zone; nothing finer than the kind's unit
// may be lost.
func appendTime(cell []byte, text string, kind Kind) ([]byte, string) {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		count, unit := t.UnixMilli(), time.Millisecond
		if kind == TimeMicros {
			count, unit = t.UnixMicro(), time.Microsecond
		}
		if t.Nanosecond()%int(unit) != 0 {
			break
		}
		return AppendInt(cell, count), ""
	}
	return cell, wrongKind(kind, strconv.Quote(text)) + ` (want RFC 3339 with a zone, as "2026-07-01T02:25:01Z")`
}

func wrongKind(kind Kind, have string) string { return notHeld(kind.String(), have) }

func notHeld(holds, have string) string {
	return fmt.Sprintf("the column holds %s, not %s", holds, cutText(have))
}

// cutText is as much of a JSON text as goes into a message.
func cutText(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
