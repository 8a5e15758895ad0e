package jsonl

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	jsoniter "github.com/json-iterator/go"
)

// Iterator is the JSON reader that [Object] hands to its callback.
type Iterator = jsoniter.Iterator

var config = jsoniter.ConfigCompatibleWithStandardLibrary

// KeyError is what is wrong with the value of a key. Those of objects inside
// objects are joined by dots.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return fmt.Sprintf("key %q: %v", e.Key, e.Err) }

func (e *KeyError) Unwrap() error { return e.Err }

// AtKey says that err is about the value of a key. If it is a *[KeyError], it
// is about a key in that value.
func AtKey(key string, err error) error {
	if inner, ok := err.(*KeyError); ok {
		return &KeyError{key + "." + inner.Key, inner.Err}
	}
	return &KeyError{key, err}
}

// Object reads line as one JSON object and calls field for each key, which has
// to read its value. Its error becomes a *[KeyError]. On an error, what was
// read so far means nothing. Control characters in a string are let through.
func Object(line []byte, field func(iter *Iterator, key string) error) error {
	if !utf8.Valid(line) {
		return errors.New("not valid UTF-8")
	}
	iter := config.BorrowIterator(line)
	defer config.ReturnIterator(iter)
	if iter.WhatIsNext() != jsoniter.ObjectValue {
		return errors.New("not a JSON object")
	}
	iter.ReadObjectCB(func(iter *Iterator, key string) bool {
		if err := field(iter, key); err != nil {
			iter.Error = AtKey(key, err)
		}
		return iter.Error == nil
	})
	if iter.Error == io.EOF {
		return errors.New("the JSON object does not end")
	}
	if iter.Error != nil {
		return iter.Error
	}
	if iter.WhatIsNext(); iter.Error != io.EOF {
		return errors.New("bytes follow the JSON object")
	}
	return nil
}

// Value reads one JSON text of any kind, which must be valid.
func Value(text []byte, read func(iter *Iterator)) error {
	iter := config.BorrowIterator(text)
	defer config.ReturnIterator(iter)
	if read(iter); iter.Error != io.EOF {
		return iter.Error
	}
	return nil
}

// String reads a string.
func String(iter *Iterator) (string, error) {
	if iter.WhatIsNext() != jsoniter.StringValue {
		return "", errors.New("want a string")
	}
	return iter.ReadString(), nil
}

// Integer reads a number that is an integer of 64 bits, exactly.
func Integer(iter *Iterator) (int64, error) {
	if iter.WhatIsNext() != jsoniter.NumberValue {
		return 0, errors.New("want an integer")
	}
	text := iter.ReadNumber().String()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want an integer, have %s", text)
	}
	return n, nil
}

// Count reads an integer that is not negative.
func Count(iter *Iterator) (int64, error) {
	n, err := Integer(iter)
	if err == nil && n < 0 {
		err = fmt.Errorf("%d is negative", n)
	}
	return n, err
}

// Time reads what [AppendTime] writes as a string, and RFC 3339 in general as
// long as no precision beyond milliseconds would be lost. It returns
// milliseconds since 1970-01-01 UTC.
func Time(iter *Iterator) (int64, error) {
	text, err := String(iter)
	if err != nil {
		return 0, err
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, fmt.Errorf("want an RFC 3339 time, have %q", text)
	}
	if t.Nanosecond()%1e6 != 0 {
		return 0, fmt.Errorf("%q is finer than a millisecond", text)
	}
	return t.UnixMilli(), nil
}

const (
	secondsLayout = "2006-01-02T15:04:05Z"
	millisLayout  = "2006-01-02T15:04:05.000Z"
)

// AppendTime appends ms, milliseconds since 1970-01-01 UTC, as RFC 3339 with a
// Z, and with three fraction digits only if they are not zero. It writes no
// quotes.
func AppendTime(dst []byte, ms int64) []byte {
	layout := secondsLayout
	if ms%1000 != 0 {
		layout = millisLayout
	}
	return time.UnixMilli(ms).UTC().AppendFormat(dst, layout)
}
