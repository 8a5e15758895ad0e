package main

import (
	"archive/zip"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// chunk is a chunk of a resource table: its type, what its header has, and what follows.
func chunk(kind int, header []byte, rest ...[]byte) []byte {
	out := le(16, kind, 8+len(header))
	body := header
	for _, r := range rest {
		body = append(body, r...)
	}
	return append(append(out, le(32, 8+len(body))...), body...)
}

// le is numbers of 16 or 32 bits.
func le(bits int, numbers ...int) (out []byte) {
	for _, n := range numbers {
		if bits == 16 {
			out = binary.LittleEndian.AppendUint16(out, uint16(n))
		} else {
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
		}
	}
	return out
}

// stringPool has strings of ASCII, fewer than 128 characters each.
func stringPool(utf8 bool, texts ...string) []byte {
	flags, starts, data := 0, []int{}, []byte{}
	for _, text := range texts {
		starts = append(starts, len(data))
		if utf8 {
			flags = poolUTF8
			data = append(data, byte(len(text)), byte(len(text)))
			data = append(append(data, text...), 0)
			continue
		}
		data = append(data, le(16, len(text))...)
		for _, c := range text {
			data = append(data, le(16, int(c))...)
		}
	}
	return chunk(1, le(32, len(texts), 0, flags, 28+4*len(texts), 0), le(32, starts...), data)
}

// entries is a chunk of two entries in a language, of which there are a text and a plural of two.
func entries(language, script string, text, one, many int) []byte {
	config := append(le(32, 48, 0), make([]byte, 40)...)
	copy(config[8:], language)
	copy(config[36:], script)
	simple := append(le(16, 8, 0), le(32, 0, 3<<24|8, text)...)
	bag := append(le(16, 16, 1), le(32, 0, 0, 2, 4, 3<<24|8, one, 5, 3<<24|8, many)...)
	header := append(le(32, 1, 3, 20+48+12), config...)
	return chunk(chunkType, header, le(32, 0, noEntry, len(simple)), simple, bag)
}

func resourceTable(utf8 bool) []byte {
	types := stringPool(utf8, "string")
	texts := stringPool(utf8, "Open %1$s", "%d file", "%d files", "Otvori <b>vezu</b>", "%d fajl", "%d fajlova")
	header := append(make([]byte, packageTypes-8), le(32, packageTypes+20, 0, 0, 0, 0)...)
	pack := chunk(chunkPackage, header, types, entries("", "", 0, 1, 2), entries("in", "", 3, 4, 5), entries("sr", "Latn", 3, 4, 5))
	return chunk(2, le(32, 1), texts, pack)
}

func writeAPK(t *testing.T, table []byte) string {
	path := filepath.Join(t.TempDir(), "a.apk")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := zip.NewWriter(file)
	w, err := z.Create("resources.arsc")
	if err == nil {
		_, err = w.Write(table)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMessagesOfAnAPK(t *testing.T) {
	for _, utf8 := range []bool{true, false} {
		found, err := fromAPK(writeAPK(t, resourceTable(utf8)))
		if err != nil {
			t.Fatal(err)
		}
		translation := messages{"string0": "Otvori  vezu", "string2 4": "fajl", "string2 5": "fajlova"}
		want := map[string]messages{
			"en":      {"string0": "Open", "string2 4": "file", "string2 5": "files"},
			"id":      translation,
			"sr-Latn": translation,
		}
		if !maps.EqualFunc(found, want, maps.Equal) {
			t.Errorf("UTF-8 %v: %q, want %q", utf8, found, want)
		}
	}
}

func TestDamagedAPKIsAnErrorOrHasOtherMessages(t *testing.T) {
	whole := resourceTable(true)
	for n := range len(whole) {
		if _, err := fromAPK(writeAPK(t, whole[:n])); err == nil {
			t.Errorf("%d of %d bytes were taken", n, len(whole))
		}
	}
	for i := range whole {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0xff
		fromAPK(writeAPK(t, damaged)) // does not panic
	}
}
