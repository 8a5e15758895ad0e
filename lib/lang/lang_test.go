package lang

import (
	"math"
	"strings"
	"testing"
)

const (
	english = "The government said on Tuesday that the vote would be held before the summer recess, and that nobody should expect more."
	german  = "Die Regierung teilte am Dienstag mit, dass die Abstimmung noch vor der Sommerpause stattfinden werde und niemand mehr erwarten solle."
	russian = "Правительство сообщило во вторник, что голосование состоится до летних каникул, и никто не должен ожидать большего."
	arabic  = "أعلنت الحكومة يوم الثلاثاء أن التصويت سيجري قبل العطلة الصيفية وأنه لا ينبغي لأحد أن يتوقع المزيد من ذلك."
	persian = "دولت روز سه‌شنبه اعلام کرد که رأی‌گیری پیش از تعطیلات تابستانی برگزار خواهد شد و هیچ کس نباید بیش از این انتظار داشته باشد."
	chinese = "政府星期二表示，表决将在夏季休会前举行，任何人都不应期待更多。"
)

func TestDetect(t *testing.T) {
	tests := []struct{ text, want string }{
		{english, "eng"},
		{german, "deu"},
		{russian, "rus"},
		{arabic, "ara"},
		{persian, "fas"},
		{"Vláda v utorok oznámila, že hlasovanie sa uskutoční ešte pred letnou prestávkou a nikto nemá čakať viac.", "slk"},
		{"Vláda v úterý oznámila, že hlasování proběhne ještě před letní přestávkou a nikdo nemá čekat víc.", "ces"},
		{"Qeveria tha të martën se votimi do të mbahet para pushimeve verore dhe askush nuk duhet të presë më shumë.", "sqi"},
		{"El govern va dir dimarts que la votació es farà abans de les vacances d'estiu i que ningú no n'ha d'esperar més.", "cat"},
		{"Уряд повідомив у вівторок, що голосування відбудеться до літніх канікул, і ніхто не повинен очікувати більшого.", "ukr"},
		{strings.Repeat(chinese, 4), "zho"},
		{strings.Repeat("政府は火曜日、投票は夏休み前に行われると述べた。", 4), "jpn"},
		{strings.Repeat("政府星期二表示，表决将在夏季休会前举行，任何人都不应期待更多，像「の」一样。", 4), "zho"},
		{strings.Repeat("정부는 화요일에 투표가 여름 휴회 전에 열릴 것이라고 말했다.", 4), "kor"},
		{"Η κυβέρνηση δήλωσε την Τρίτη ότι η ψηφοφορία θα γίνει πριν από το καλοκαίρι.", "ell"},
		{strings.Repeat("Կառավարությունը երեքշաբթի հայտնել է, որ քվեարկությունը կանցկացվի ամառային արձակուրդից առաջ։", 4), "hye"},
		{strings.Repeat("ລັດຖະບານກ່າວໃນວັນອັງຄານວ່າການລົງຄະແນນສຽງຈະມີຂຶ້ນກ່ອນ", 4), "lao"},
		{strings.Repeat("བོད་ཀྱི་མི་རྣམས་ཀྱིས་རང་དབང་དང་འདྲ་མཉམ་གྱི་ཐོབ་ཐང་ཐོབ་དགོས། ", 4), "bod"},
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
		got := Classifier{}.Detect(tt.text)
		if got.Languages != tt.want || (got.Confidence > 0) != (tt.want != "") || got.Confidence > 1 {
			t.Errorf("Detect(%q) = %+v, want %q", tt.text, got, tt.want)
		}
	}
}

// A page has words of other scripts in it, numbers and addresses, is in capitals, or decomposed.
func TestDetectIgnoresWhatIsNoText(t *testing.T) {
	want := Classifier{}.Detect(russian)
	for _, text := range []string{
		"https://example.com/a " + russian + " 2026 – 100 % press@example.com",
		strings.ToUpper(russian),
		strings.Replace(russian, "во вторник", "во вторник Example Media", 1),
		strings.ReplaceAll(russian, "й", "и\u0306"),
		strings.ReplaceAll(russian, " ", " \u0085\u0096"),
		strings.ReplaceAll(russian, "о", "о\u00ad"),
	} {
		if got := (Classifier{}).Detect(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// Languages of a mixed page are named by their share of it.
func TestMixedPages(t *testing.T) {
	const french = "Le gouvernement a annoncé mardi que le vote aurait lieu avant les vacances d'été et que personne ne devait en attendre davantage. "
	const flood = "People who live in the valley have been told to leave their houses because the river is still rising, and nobody believes that the bridge, which was built only three years ago, will hold."
	times := strings.Repeat
	tests := []struct{ name, text, want string }{
		{"two scripts", times(russian+"\n", 4) + english + "\n" + flood + "\n", "rus,eng"},
		{"the smaller one first", english + "\n" + flood + "\n" + times(russian+"\n", 6), "rus,eng"},
		{"one script", times(english+"\n", 8) + times(german+"\n", 4), "eng,deu"},
		{"three languages", times(english+"\n", 9) + times(french+"\n", 7) + times(german+"\n", 4), "eng,fra,deu"},
		{"four, in four scripts", times(english+"\n", 8) + times(russian+"\n", 3) + times(arabic+"\n", 2) + times(chinese, 2), "eng,rus,ara"},
		{"a quotation", times(english+"\n", 10) + german, "eng"},
		{"names in another script", times(russian+" Example Media. ", 6), "rus"},
	}
	for _, tt := range tests {
		if got := (Classifier{}).Detect(tt.text); got.Languages != tt.want {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
}

// odd returns texts that hardly say anything: repeated syllables, single words, letters at random.
func odd() []string {
	var texts []string
	for _, syllable := range []string{"bg ", "co", "eo ", "ig", "na ", "zz", "жъ", "ال ", "क", "א ", "ሀ", "the ", "か", "ʻ", "'", "’a"} {
		texts = append(texts, syllable, strings.Repeat(syllable, 60), strings.Repeat(syllable, 3000))
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

func TestDetectIsDeterministic(t *testing.T) {
	for _, text := range odd() {
		want := Classifier{}.Detect(text)
		for range 100 {
			if got := (Classifier{}).Detect(text); got != want {
				t.Fatalf("Detect(%.40q) = %+v, then %+v", text, want, got)
			}
		}
	}
}

func TestDetectDoesNotAllocate(t *testing.T) {
	text := strings.Repeat(english, 20)
	Classifier{}.Detect(text)
	if n := testing.AllocsPerRun(100, func() { Classifier{}.Detect(text) }); n > 0 {
		t.Errorf("%v allocations a text, want none", n)
	}
}

func FuzzDetectGivesConfidenceWithLanguage(f *testing.F) {
	for _, text := range odd() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Classifier{}.Detect(text)
		if (got.Languages == "") != (got.Confidence == 0) || got.Confidence < 0 || got.Confidence > 1 || math.IsNaN(got.Confidence) {
			t.Errorf("%+v", got)
		}
		codes := strings.Split(got.Languages, ",")
		seen := map[string]bool{}
		for _, code := range codes {
			if got.Languages != "" && (len(code) != 3 || len(codes) > 3 || seen[code]) {
				t.Errorf("%+v", got)
			}
			seen[code] = true
		}
		if again := (Classifier{}).Detect(text); again != got {
			t.Errorf("%+v, then %+v", got, again)
		}
	})
}
