package lang

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abadojack/whatlanggo"

	"github.com/open-index/ccnews/lib/lang/internal/gram"
	"github.com/open-index/ccnews/lib/sharedtest"
)

// sample is a text in one language that the table was not trained on. The languages whose sample is from the Universal
// Declaration of Human Rights are apart, since the table was trained on that.
type sample struct {
	language string
	text     string
	fresh    bool // not from the Declaration
}

func samples(t testing.TB) []sample {
	dir := sharedtest.Path(t, "vectors", "lang")
	sources, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	lines := bufio.NewScanner(bytes.NewReader(sources))
	for lines.Scan() {
		language, _, _ := strings.Cut(lines.Text(), "\t")
		text, err := os.ReadFile(filepath.Join(dir, language+".txt"))
		if err != nil {
			continue // the heading
		}
		all = append(all, sample{language, string(text), strings.Contains(lines.Text(), "Wortschatz")})
	}
	if len(all) < 150 {
		t.Fatalf("%d samples in %s", len(all), dir)
	}
	return all
}

// first returns the first n bytes of a text, without a character that they cut.
func first(text string, n int) string { return strings.ToValidUTF8(text[:min(n, len(text))], "") }

// alike are languages that no identifier at hand separates on these samples.
var alike = [][]string{{"bos", "hrv", "srp"}, {"ind", "msa"}, {"nno", "nor"}}

func areAlike(a, b string) bool {
	return slices.ContainsFunc(alike, func(group []string) bool { return slices.Contains(group, a) && slices.Contains(group, b) })
}

// whatlang is whatlanggo's answer in cc-index's codes.
func whatlang(text string) string {
	code := whatlanggo.DetectLang(text).Iso6393()
	if cc, ok := map[string]string{"arb": "ara", "azj": "aze", "bho": "bih", "cmn": "zho", "mai": "bih", "nob": "nor", "pes": "fas", "ydd": "yid"}[code]; ok {
		return cc
	}
	return code
}

func ours(text string) string {
	first, _, _ := strings.Cut(Classifier{}.Detect(text).Languages, ",")
	return first
}

func TestAccuracy(t *testing.T) {
	tests := []struct {
		bytes       int
		fresh, udhr float64 // least part of the samples that must be right
	}{{200, 0.96, 0.98}, {1 << 10, 0.98, 0.98}, {4 << 10, 0.98, 0.98}}
	all := samples(t)
	for _, tt := range tests {
		for _, fresh := range []bool{true, false} {
			var total, right, theirs float64
			var wrong []string
			near := 0
			for _, s := range all {
				if s.fresh != fresh {
					continue
				}
				total++
				text := first(s.text, tt.bytes)
				if whatlang(text) == s.language {
					theirs++
				}
				switch got := ours(text); {
				case got == s.language:
					right++
				case areAlike(got, s.language):
					near++
					fallthrough
				default:
					wrong = append(wrong, s.language+"→"+got)
				}
			}
			name, least := "Declaration", tt.udhr
			if fresh {
				name, least = "Wortschatz", tt.fresh
			}
			t.Logf("%-11s first %4d B: %.3f right (%.0f of %.0f), whatlanggo %.3f; wrong: %s (%d of them among the alike)", name, tt.bytes,
				right/total, right, total, theirs/total, strings.Join(wrong, " "), near)
			if right/total < least {
				t.Errorf("%s, first %d B: %.4f right, want %.2f", name, tt.bytes, right/total, least)
			}
		}
	}
}

func TestSamplesHaveTheSameLanguagesAlways(t *testing.T) {
	runs := 100
	if raced() {
		runs = 2
	}
	for _, s := range samples(t) {
		for _, size := range []int{200, 1 << 10, 4 << 10} {
			text := first(s.text, size)
			want := Classifier{}.Detect(text)
			for range runs {
				if got := (Classifier{}).Detect(text); got != want {
					t.Fatalf("%s, first %d B: %+v, then %+v", s.language, size, want, got)
				}
			}
		}
	}
}

// maxMemory is what a process that detects languages may need in all, in bytes.
const maxMemory = 40 << 20

// The test runs itself, so that what other tests need does not count.
func TestMemory(t *testing.T) {
	if os.Getenv("LANG_TEST_MEMORY") != "" {
		for _, s := range samples(t) {
			Classifier{}.Detect(s.text)
		}
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestMemory$")
	child.Env = append(os.Environ(), "LANG_TEST_MEMORY=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	usage := child.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d KiB at most", usage.Maxrss)
	if !raced() && usage.Maxrss<<10 > maxMemory {
		t.Errorf("%d KiB, want less than %d", usage.Maxrss, maxMemory>>10)
	}
}

// raced reports whether the race detector, which takes several times the memory, is in this program.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Confidence is how often a first language is right.
func TestConfidenceIsHonest(t *testing.T) {
	type bin struct{ all, right, sum float64 }
	var bins [10]bin
	var null, total, sure, sureRight float64
	for _, s := range samples(t) {
		if !s.fresh {
			continue
		}
		for at := 0; at+300 <= len(s.text); at += 300 {
			text := strings.ToValidUTF8(s.text[at:at+300], "")
			got := Classifier{}.Detect(text)
			total++
			if got.Languages == "" {
				null++
				continue
			}
			language, _, _ := strings.Cut(got.Languages, ",")
			b := &bins[min(int(got.Confidence*10), 9)]
			b.all++
			b.sum += got.Confidence
			if language == s.language {
				b.right++
			}
			if got.Confidence >= 0.9 {
				sure++
				if language == s.language {
					sureRight++
				}
			}
		}
	}
	t.Logf("%.0f samples of 300 B, %.0f null", total, null)
	var middle bin
	for i, b := range bins {
		if b.all > 0 {
			t.Logf("confidence %.1f to %.1f: %4.0f, mean %.3f, right %.3f", float64(i)/10, float64(i+1)/10, b.all, b.sum/b.all, b.right/b.all)
		}
		if 5 <= i && i < 9 {
			middle.all, middle.sum, middle.right = middle.all+b.all, middle.sum+b.sum, middle.right+b.right
		}
	}
	t.Logf("0.9 or more: %.3f of all, %.4f right; 0.5 to 0.9: mean %.3f, right %.3f", sure/total, sureRight/sure, middle.sum/middle.all, middle.right/middle.all)
	if sureRight/sure < 0.97 || sure/total < 0.6 {
		t.Error("at 0.9 or more 0.97 must be right, and 0.6 of all reach it")
	}
	if diff := middle.sum/middle.all - middle.right/middle.all; diff > 0.1 || diff < -0.1 {
		t.Errorf("between 0.5 and 0.9, confidence is %.3f too high", diff)
	}
}

func BenchmarkDetect(b *testing.B) {
	var texts []string
	for _, s := range samples(b) {
		if s.fresh {
			texts = append(texts, first(s.text, 1<<10))
		}
	}
	for _, engine := range []struct {
		name   string
		detect func(string)
	}{
		{"ours", func(text string) { Classifier{}.Detect(text) }},
		{"whatlanggo", func(text string) { whatlanggo.Detect(text) }},
	} {
		b.Run(engine.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(1 << 10)
			start := processorTime()
			i := 0
			for b.Loop() {
				engine.detect(texts[i%len(texts)])
				i++
			}
			b.ReportMetric(float64(b.N)/(processorTime()-start).Seconds(), "docs/cpu-s")
		})
	}
}

// processorTime is what this process has used of all cores: on a machine that others use too, the clock says less.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// What is in no language of the table should get none, or little confidence. testdata/missing.tsv has the first articles of
// the Universal Declaration of Human Rights, which may be copied freely, in languages that the table lacks.
func TestWhatIsInNoLanguage(t *testing.T) {
	missing, err := os.ReadFile(filepath.Join("testdata", "missing.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	type text struct{ name, text string }
	texts := []text{
		{"digits", strings.Repeat("2026-07-01 12:30 1,234.50 € +4.2 % 0800 123456; ", 8)},
		{"keyboard mash", "asdf jkl; asdfjkl qwertz uiop sdfg hjkl asdfghj wertuzi xcvbn mnbv fghjk sdfghj dfgh qwer tzui asdf lkjh gfds poiu ztre wq yxcv bnmm lkj hgf dsa asd fgh jkl"},
		{"letters at random", "xq zvkw plmrt gghw iuyq bnzx kqwt rtyp vbhj mzxl wqkp tjfh zzgr pqlm vnbx hwtk rjyq sdxc fgpl mkqz wvbt xhnr jqpl zkdw tgvx"},
		{"Go", "func (r *reader) addText(text []byte) { top := r.top(); switch { case r.inRaw: case r.inTitle: r.title.add(text); default: top.other.add(text) } }\nfor i := range n { if err := f(i); err != nil { return nil, err } }"},
		{"JavaScript", "var a=document.getElementById('x');a.onclick=function(e){e.preventDefault();if(window.gtag){gtag('event','click',{id:a.id})}};const f=(x,y)=>x.map(z=>z*y).filter(Boolean);export default f;"},
		{"CSS", ".menu > li { margin: 0 auto; padding: 4px 8px; color: #333; } @media (max-width: 600px) { .menu { display: none; } } a:hover { text-decoration: underline; }"},
		{"names", "Anna Müller, Jean Dupont, Giovanni Rossi, José García, Jan Novák, Piotr Kowalski, Lars Hansen, Aino Virtanen, Nguyen Van An, Ahmet Yılmaz, Ivana Horvat, Sipho Dlamini, Kwame Mensah, Mary Johnson"},
		{"names, one a line", "Anna Müller\nJean Dupont\nGiovanni Rossi\nJosé García\nJan Novák\nPiotr Kowalski\nLars Hansen\nAino Virtanen\nNguyen Van An\nAhmet Yılmaz\nIvana Horvat\nSipho Dlamini\nKwame Mensah\nMary Johnson"},
		{"places", "London, Paris, Berlin, Tokyo, Nairobi, Lima, Jakarta, Oslo, Madrid, Cairo, Lagos, Sydney, Toronto, Mumbai, Seoul, Lisbon, Vienna, Prague"},
		{"shares", "AAPL GOOG MSFT AMZN TSLA NVDA META NFLX INTC CSCO ORCL ADBE PYPL CRM AMD QCOM TXN AVGO IBM UBER SAP DAX FTSE NIKKEI"},
	}
	for line := range strings.Lines(string(missing)) {
		name, paragraph, _ := strings.Cut(strings.TrimSpace(line), "\t")
		texts = append(texts, text{name, paragraph})
	}
	low := 0
	for _, tt := range texts {
		got := Classifier{}.Detect(tt.text)
		t.Logf("%-20s %-8s %.2f   (whatlanggo %s)", tt.name, got.Languages, got.Confidence, whatlang(tt.text))
		if got.Confidence < 0.5 {
			low++
		}
	}
	t.Logf("%d of %d null or below 0.5", low, len(texts))
	if low < 28 {
		t.Error("it was 28")
	}
}

func TestTableIsSmallAndQuicklyRead(t *testing.T) {
	if len(tableBytes) > 4_000_000 {
		t.Errorf("%d bytes", len(tableBytes))
	}
	least := time.Hour
	for range 5 {
		start := time.Now()
		if _, err := gram.Parse(tableBytes); err != nil {
			t.Fatal(err)
		}
		least = min(least, time.Since(start))
	}
	t.Logf("%d bytes, read in %v", len(tableBytes), least)
	if !raced() && least > 50*time.Millisecond {
		t.Errorf("read in %v", least)
	}
}
