package main

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// Chunks of a resource table, and what of them is read. Each begins with its type (2 bytes), the size of its header (2)
// and its own size (4), as in frameworks/base/libs/androidfw/include/androidfw/ResourceTypes.h of Android.
const (
	chunkPackage = 0x200
	chunkType    = 0x201

	packageTypes = 268 // where in a package's header the offset of its pool of type names is

	typeEntries = 12 // where in a type's header the number of entries is, …
	typeStart   = 16 // … where they begin …
	typeConfig  = 20 // … and for which language they are

	poolUTF8    = 1 << 8
	entryIsBag  = 1 // several values: a plural's or an array's
	valueString = 3
	noEntry     = 0xffffffff
)

// fromAPK returns the messages in the resource table of an Android package, by BCP 47 tag. Those in the original
// language are "en".
func fromAPK(path string) (found map[string]messages, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s: resources.arsc is damaged: %v", path, fault)
		}
	}()
	apk, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer apk.Close()
	file, err := apk.Open("resources.arsc")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	whole := resources(slices.Clip(table))
	return whole[:whole.u32(4)].messages(), nil
}

// resources is a resource table or a chunk of one. Places are offsets in bytes; one outside of it panics.
type resources []byte

func (r resources) u16(at int) int { return int(binary.LittleEndian.Uint16(r[at:])) }
func (r resources) u32(at int) int { return int(binary.LittleEndian.Uint32(r[at:])) }

// chunks calls f with each chunk from a place on.
func (r resources) chunks(at int, f func(kind int, chunk resources)) {
	for at < len(r) {
		size := r.u32(at + 4)
		if size < 8 {
			panic(fmt.Sprintf("a chunk of %d bytes", size))
		}
		f(r.u16(at), r[at:at+size:at+size]) // not more, even if there is more
		at += size
	}
}

func (r resources) messages() map[string]messages {
	found := map[string]messages{}
	start := r.u16(2)
	texts := r[start:].pool()
	r.chunks(start, func(kind int, pack resources) {
		if kind != chunkPackage {
			return
		}
		types := pack[pack.u32(packageTypes):].pool()
		pack.chunks(pack.u16(2), func(kind int, chunk resources) {
			if kind != chunkType {
				return
			}
			switch name := types[chunk[8]-1]; name {
			case "string", "plurals", "array":
				tag := chunk.tag()
				if found[tag] == nil {
					found[tag] = messages{}
				}
				chunk.entries(name, texts, found[tag])
			}
		})
	})
	return found
}

// pool returns the strings of the pool that a chunk begins with.
func (r resources) pool() []string {
	header, utf8 := r.u16(2), r.u32(16)&poolUTF8 != 0
	places := r[header : header+4*r.u32(8)]
	out := make([]string, len(places)/4)
	for i := range out {
		at := r.u32(20) + places.u32(4*i)
		if utf8 {
			_, at = r.length8(at) // in UTF-16
			n, at := r.length8(at)
			out[i] = string(r[at : at+n])
		} else {
			n, at := r.length16(at)
			out[i] = r[at : at+2*n].utf16()
		}
	}
	return out
}

// length8 reads a length of one byte or two, and returns what is behind it.
func (r resources) length8(at int) (n, next int) {
	if n = int(r[at]); n < 0x80 {
		return n, at + 1
	}
	return n&0x7f<<8 | int(r[at+1]), at + 2
}

func (r resources) length16(at int) (n, next int) {
	if n = r.u16(at); n < 0x8000 {
		return n, at + 2
	}
	return n&0x7fff<<16 | r.u16(at+2), at + 4
}

func (r resources) utf16() string {
	units := make([]uint16, len(r)/2)
	for i := range units {
		units[i] = uint16(r.u16(2 * i))
	}
	return string(utf16.Decode(units))
}

// tag returns the language of a chunk of entries.
func (r resources) tag() string {
	config := r[typeConfig:]
	language := subtag(config[8], config[9], 'a')
	switch language {
	case "":
		return "en"
	case "in", "iw", "ji": // as Java called them
		language = map[string]string{"in": "id", "iw": "he", "ji": "yi"}[language]
	}
	if script := strings.TrimRight(string(config[36:40]), "\x00"); config.u32(0) >= 40 && script != "" {
		language += "-" + script
	}
	if region := subtag(config[10], config[11], '0'); region != "" {
		language += "-" + region
	}
	return language
}

// subtag unpacks two letters, or three of five bits each.
func subtag(a, b, base byte) string {
	switch {
	case a == 0:
		return ""
	case a < 0x80:
		return string([]byte{a, b})
	}
	return string([]byte{base + b&0x1f, base + b>>5 + a&3<<3, base + a>>2&0x1f})
}

// entries adds the texts of a chunk to found, by what they are called in every language.
func (r resources) entries(name string, texts []string, found messages) {
	index, start := r.u16(2), r.u32(typeStart)
	for i := range r.u32(typeEntries) {
		offset := r.u32(index + 4*i)
		if offset == noEntry {
			continue
		}
		entry := r[start+offset:]
		if entry.u16(2)&entryIsBag == 0 {
			entry[8:].value(fmt.Sprint(name, i), texts, found)
			continue
		}
		for j := range entry.u32(12) {
			item := entry[16+12*j:]
			item[4:].value(fmt.Sprint(name, i, " ", item.u32(0)), texts, found)
		}
	}
}

// value adds the value that a chunk begins with, if it is a text.
func (r resources) value(key string, texts []string, found messages) {
	if r[3] == valueString {
		found[key] = withoutMarkup(texts[r.u32(4)])
	}
}
