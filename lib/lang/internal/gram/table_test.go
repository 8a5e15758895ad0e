package gram

import (
	"bytes"
	"testing"
)

var classes = []Class{
	{Script: Latin, Language: "deu", Miss: [MaxLength + 1]uint8{3: 10, 4: 20, 5: 30}, Typical: 700},
	{Script: Latin, Language: "eng", Miss: [MaxLength + 1]uint8{3: 11, 4: 21, 5: 31}, Typical: 1 << 20},
	{Script: Cyrillic, Language: "rus", Typical: 1},
}

// rowsOf gives every gram of a word a weight in one class, and in a second one where a number says so.
func rowsOf(word string, class uint8, both bool) []Row {
	var rows []Row
	for i, h := range Append(nil, []rune(word)) {
		row := Row{Hash: h, Weights: []Weight{{class, uint8(40 + i)}}}
		if both {
			row.Weights = append(row.Weights, Weight{class + 1, uint8(i)})
		}
		rows = append(rows, row)
	}
	return rows
}

func encode(t testing.TB) []byte {
	data, err := Encode(classes, append(append(rowsOf(" wort ", 0, true), rowsOf(" thing ", 1, false)...), rowsOf(" слово ", 2, false)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTableSaysWhatWasEncoded(t *testing.T) {
	data := encode(t)
	if !bytes.Equal(data, encode(t)) {
		t.Error("the same rows give other bytes")
	}
	table, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range table.Classes {
		if c != classes[i] {
			t.Errorf("class %d: %+v, want %+v", i, c, classes[i])
		}
	}
	if table.Count(Latin) != 2 || table.Count(Cyrillic) != 1 || table.Count(Arabic) != 0 {
		t.Error("wrong number of classes in a script")
	}
	for _, row := range rowsOf(" wort ", 0, true) {
		var scores [256]uint32
		table.add(table.find(row.Hash), &scores)
		for _, w := range row.Weights {
			if scores[w.Class] != uint32(w.Weight) {
				t.Errorf("gram %x: class %d has %d, want %d", row.Hash, w.Class, scores[w.Class], w.Weight)
			}
		}
	}
	for word, want := range map[string]int{" wort ": 0, " thing ": 1} {
		var e Evidence
		table.Look([]rune(word), &e)
		best, score, second := table.Rank(Latin, &e)
		if best != want || score <= second || e.Grams == 0 {
			t.Errorf("%q: class %d with %d before %d", word, best, score, second)
		}
		if best, _, _ := table.Rank(Arabic, &e); best != -1 {
			t.Errorf("class %d of a script that has none", best)
		}
	}
}

func TestTableTooLargeIsAnError(t *testing.T) {
	if _, err := Encode(make([]Class, 256), nil); err == nil {
		t.Error("256 classes were taken")
	}
	if _, err := Encode(classes, []Row{{Weights: make([]Weight, 256)}}); err == nil {
		t.Error("256 weights were taken")
	}
}

func FuzzDamagedTableIsAnErrorOrCanBeUsed(f *testing.F) {
	whole := encode(f)
	f.Add(whole, 0, byte(0))
	f.Add(whole[:len(whole)-1], 0, byte(0))
	for _, at := range []int{0, 6, 7, 8, 11, headerSize, headerSize + classSize*len(classes), len(whole) - 1} {
		f.Add(whole, at, byte(0xff))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int, change byte) {
		data = bytes.Clone(data)
		if 0 <= at && at < len(data) {
			data[at] ^= change
		}
		table, err := Parse(data)
		if err != nil {
			return
		}
		for _, word := range []string{" wort ", " thing ", " слово "} {
			var e Evidence
			table.Look([]rune(word), &e)
			for script := None; script < Scripts; script++ {
				if best, _, _ := table.Rank(script, &e); best >= len(table.Classes) || best >= 0 && table.Classes[best].Script != script {
					t.Errorf("class %d of script %d", best, script)
				}
			}
		}
	})
}
