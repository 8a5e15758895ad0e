package main

import (
	"os"
	"strings"
	"testing"
)

func TestLanguagesOfTheIndexAreTaken(t *testing.T) {
	table, err := os.ReadFile("../../lib/lang/train/languages.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for line := range strings.Lines(string(table)) {
		code, _, _ := strings.Cut(line, "\t")
		codes = append(codes, code)
	}
	if len(codes) < 130 {
		t.Fatalf("%d languages", len(codes))
	}
	// Those that a script tells, and some that only Common Crawl's index has.
	more := "ell kat hye tha khm lao mya jpn kor zho fas pus snd kur sin tam tel kan mal guj pan ori div nqo chr iku que vol zha lif syr sgn twi"
	for _, code := range append(codes, strings.Fields(more)...) {
		if err := checkLanguage(code); err != nil {
			t.Error(err)
		}
	}
	for _, unknown := range []string{"xyz", "qaa", "und"} {
		if err := checkLanguage(unknown); err != nil {
			t.Error(err)
		}
	}
}

func TestOtherCodesAreSaidRight(t *testing.T) {
	for code, want := range map[string]string{
		"nob": "nor", "cmn": "zho", "arb": "ara", "pes": "fas", "zsm": "msa", "zlm": "msa", "mly": "msa", "als": "sqi", "azj": "aze",
		"ydd": "yid", "bho": "bih", "mai": "bih", "mag": "bih", "ekk": "est", "lvs": "lav", "swh": "swa", "khk": "mon", "uzn": "uzb",
		"plt": "mlg", "gaz": "orm", "npi": "nep", "ory": "ori", "kmr": "kur", "pbu": "pus", "quz": "que", "ayr": "aym", "gug": "grn",
		"hms": "hmn", "ike": "iku", "fil": "tgl",
		// Bibliographic codes and deprecated ones.
		"fre": "fra", "ger": "deu", "chi": "zho", "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "cze": "ces", "dut": "nld",
		"geo": "kat", "gre": "ell", "ice": "isl", "mac": "mkd", "mao": "mri", "may": "msa", "per": "fas", "rum": "ron", "slo": "slk",
		"tib": "bod", "wel": "cym", "mol": "ron",
		"en": "eng", "nb": "nor", "tl": "tgl", "iw": "heb", "jw": "jav", "zh-Hant": "zho", "pt-BR": "por", "ENG": "eng", "bh": "bih",
	} {
		if err := checkLanguage(code); err == nil || !strings.HasSuffix(err.Error(), "say "+want) {
			t.Errorf("%s: %v, want %s", code, err, want)
		}
		if err := checkLanguage(want); err != nil {
			t.Error(err)
		}
	}
}
