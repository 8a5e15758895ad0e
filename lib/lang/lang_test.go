package lang

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abadojack/whatlanggo"

	"github.com/open-index/ccnews/lib/sharedtest"
)

const (
	english = "The government said on Tuesday that the vote would be held before the summer recess, and that nobody should expect more."
	german  = "Die Regierung teilte am Dienstag mit, dass die Abstimmung noch vor der Sommerpause stattfinden werde und niemand mehr erwarten solle."
	russian = "Правительство сообщило во вторник, что голосование состоится до летних каникул, и никто не должен ожидать большего."
	arabic  = "أعلنت الحكومة يوم الثلاثاء أن التصويت سيجري قبل العطلة الصيفية وأنه لا ينبغي لأحد أن يتوقع المزيد من ذلك."
	persian = "دولت روز سه‌شنبه اعلام کرد که رأی‌گیری پیش از تعطیلات تابستانی برگزار خواهد شد و هیچ کس نباید بیش از این انتظار داشته باشد."
)

func TestDetect(t *testing.T) {
	tests := []struct{ text, want string }{
		{english, "eng"},
		{german, "deu"},
		{russian, "rus"},
		{arabic, "ara"},
		{persian, "fas"},
		{strings.Repeat("政府星期二表示，表决将在夏季休会前举行，任何人都不应期待更多。", 4), "zho"},
		{strings.Repeat("政府は火曜日、投票は夏休み前に行われると述べた。", 4), "jpn"},
		{strings.Repeat("政府星期二表示，表决将在夏季休会前举行，任何人都不应期待更多，像「の」一样。", 4), "zho"},
		{strings.Repeat("정부는 화요일에 투표가 여름 휴회 전에 열릴 것이라고 말했다.", 4), "kor"},
		{"Η κυβέρνηση δήλωσε την Τρίτη ότι η ψηφοφορία θα γίνει πριν από το καλοκαίρι.", "ell"},
		{strings.Repeat("Կառավարությունը երեքշաբթի հայտնել է, որ քվեարկությունը կանցկացվի ամառային արձակուրդից առաջ։", 4), "hye"},
		{strings.Repeat("ລັດຖະບານກ່າວໃນວັນອັງຄານວ່າການລົງຄະແນນສຽງຈະມີຂຶ້ນກ່ອນ", 4), "lao"},
		{strings.Repeat("སྲིད་གཞུང་གིས་གཟའ་མིག་དམར་ལ་བཤད་དོན།", 4), "bod"},
		{strings.Repeat("ސަރުކާރުން ބުނީ ވޯޓު ނަގާނީ ހޫނު މޫސުމުގެ ޗުއްޓީގެ ކުރިން ކަމަށެވެ", 4), "div"},
		{strings.Repeat("ܡܠܟܘܬܐ ܐܡܪܬ ܒܝܘܡ ܬܠܬ ܒܫܒܐ", 4), "syr"},
		{strings.Repeat("ᎦᏙᎯ ᎤᎾᎵᏍᏕᎸᏙᏗ ᎠᏂᏴᏫᏯᎢ", 4), "chr"},

		{"", ""},
		{" \n\t", ""},
		{"12345 67890 --- 100 %", ""},
		{"hello", ""},
		{"ok", ""},
		{"Привет", ""},
		{"中文", ""},
		{"https://example.com/the-government-said-on-tuesday-that-the-vote-would-be-held-before-the-summer-recess", ""},
		{"government@example.com www.the-government-said-on-tuesday-that-the-vote-would-be-held.example.com", ""},
		{strings.Repeat("\xff\xfe", 100), ""},
		{strings.Repeat("\u0096", 100), ""},
	}
	for _, tt := range tests {
		got := Trigram{}.Detect(tt.text)
		if got.Languages != tt.want || (got.Confidence > 0) != (tt.want != "") || got.Confidence > 1 {
			t.Errorf("Detect(%q) = %+v, want %q", tt.text, got, tt.want)
		}
	}
}

func TestCodesAreThoseOfTheIndex(t *testing.T) {
	for lang := range whatlanggo.Langs {
		code := lang.Iso6393()
		if cc, ok := ccCodes[code]; ok {
			code = cc
		}
		switch code {
		case "arb", "azj", "bho", "cmn", "mai", "nob", "pes", "ydd", "":
			t.Errorf("%v is %q", lang, code)
		}
	}
}

// A page has words of other scripts in it, numbers and addresses.
func TestDetectIgnoresWhatIsNoText(t *testing.T) {
	want := Trigram{}.Detect(russian)
	got := Trigram{}.Detect("https://example.com/a " + russian + " 2026 – 100 % press@example.com")
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	mixed := Trigram{}.Detect("Copyright Example Media Group " + russian)
	if mixed.Languages != "rus" || mixed.Confidence >= want.Confidence {
		t.Errorf("with Latin words: %+v, without: %+v", mixed, want)
	}
}

// ties returns texts that whatlanggo cannot decide, or hardly: repeated syllables, single words, letters at random. The
// first are ties between two languages or more, long enough for a guess.
func ties() []string {
	var texts []string
	for _, syllable := range []string{"bg ", "co", "eo ", "ig", "kg ", "nd", "pr"} {
		texts = append(texts, strings.Repeat(syllable, 30))
	}
	for _, syllable := range []string{"na ", "zz", "жъ", "ال ", "क", "א ", "ሀ", "the "} {
		texts = append(texts, syllable, strings.Repeat(syllable, 60))
	}
	seed := uint64(1)
	for range 4 {
		var b strings.Builder
		for range 60 {
			seed = seed*6364136223846793005 + 1442695040888963407
			b.WriteByte("abcdefghijklmnopqrstuvwxyz    "[seed>>33%30])
		}
		texts = append(texts, b.String())
	}
	return append(texts, english, russian, arabic, english+russian, strings.Repeat(english+german, 20))
}

// Any other order of Go's maps must give the same result: 200 runs show every order that matters.
func TestDetectIsDeterministic(t *testing.T) {
	varying := 0
	for _, text := range ties() {
		want := Trigram{}.Detect(text)
		raw, varies := whatlanggo.Detect(text).Lang, false
		for run := range 200 {
			if got := (Trigram{}).Detect(text); got != want {
				t.Fatalf("Detect(%.40q) = %+v, then %+v", text, want, got)
			}
			varies = varies || run < 20 && whatlanggo.Detect(text).Lang != raw
		}
		if varies {
			varying++
		}
	}
	if varying < 5 {
		t.Errorf("whatlanggo varies on %d texts only: too few to show that Detect does not", varying)
	}
}

// The samples are for measuring only. What whatlanggo has no table for comes out as a neighbour.
func TestSamples(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(sharedtest.Path(t, "vectors", "lang"), "*.txt"))
	if len(paths) == 0 {
		t.Fatal("no samples")
	}
	var right, null int
	var wrong []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(filepath.Base(path), ".txt")
		switch got := (Trigram{}).Detect(string(text[:min(len(text), 2048)])).Languages; got {
		case want:
			right++
		case "":
			null++
		default:
			wrong = append(wrong, want+"→"+got)
		}
	}
	t.Logf("%d of %d right, %d null, wrong: %s", right, len(paths), null, strings.Join(wrong, " "))
	if right < 75 {
		t.Errorf("%d of %d samples right, it was 80 or more", right, len(paths))
	}
}

func FuzzDetectGivesConfidenceWithLanguage(f *testing.F) {
	for _, text := range ties() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Trigram{}.Detect(text)
		if (got.Languages == "") != (got.Confidence == 0) || got.Confidence < 0 || got.Confidence > 1 || math.IsNaN(got.Confidence) {
			t.Errorf("%+v", got)
		}
		if got.Languages != "" && len(got.Languages) != 3 {
			t.Errorf("%+v", got)
		}
		for range 3 {
			if again := (Trigram{}).Detect(text); again != got {
				t.Errorf("%+v, then %+v", got, again)
			}
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	for name, text := range map[string]string{"latin": english, "cyrillic": russian, "han": "政府星期二表示，表决将在夏季休会前举行，"} {
		text = strings.Repeat(text, 2048/len(text)+1)[:2048]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Trigram{}.Detect(text)
			}
		})
	}
}
