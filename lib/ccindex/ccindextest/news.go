// Package ccindextest makes index rows like those of a real archive, for tests of
// what is written of rows and found in them.
package ccindextest

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/open-index/ccnews/lib/ccindex"
)

// Archive is the warc_filename of all rows.
const Archive = "crawl-data/CC-NEWS/2026/07/CC-NEWS-20260701022501-08467.warc.gz"

// words is what paths are made of; enough to keep slugs from compressing to
// nothing, as real ones don't.
var words = strings.Fields(`government election minister police court report week world health market
	football league season transfer budget union energy climate storm flood school university research
	president parliament vote crisis attack border trade inflation bank interest rate house price city
	tribunal ministre greve ecole sante marche coupe monde bundestag wahl haushalt klima verkehr regen
	gobierno elecciones partido jornada empresa cultura verano fiesta sindicato noticias ultima hora
	governo eleicao futebol mercado chuva escola saude policia prefeitura haber secim ekonomi deprem`)

type site struct{ host, domain, tld, language, section string }

// sites are about as many as one archive of CC-NEWS has; the first ones are
// the ones that Zipf's law makes large.
func sites(rnd *rand.Rand) []site {
	endings := []string{"com", "com", "com", "org", "net", "de", "fr", "co.uk", "es", "com.br", "it", "ru", "in", "com.tr", "pl"}
	languages := []string{"eng", "eng", "eng", "eng", "eng", "deu", "fra", "eng", "spa", "por", "ita", "rus", "eng,hin", "tur", "pol"}
	list := []site{{"www.bbc.co.uk", "bbc.co.uk", "uk", "eng", "news"}, {"news.bbc.co.uk", "bbc.co.uk", "uk", "eng", "news"}}
	for len(list) < 3400 {
		k := rnd.IntN(len(endings))
		domain := fmt.Sprintf("%s%s%d.%s", words[rnd.IntN(len(words))], words[rnd.IntN(len(words))], len(list), endings[k])
		tld := domain[strings.LastIndexByte(domain, '.')+1:]
		host := domain
		if rnd.IntN(4) > 0 {
			host = []string{"www.", "www.", "news.", "m."}[rnd.IntN(4)] + domain
		}
		list = append(list, site{host, domain, tld, languages[k], words[rnd.IntN(len(words))]})
	}
	return list
}

// surtkey is the key of a host without port, and path.
func surtkey(host, path string) string {
	labels := strings.Split(strings.TrimPrefix(host, "www."), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ",") + ")" + strings.ToLower(path)
}

// News makes n rows like those of a real archive: hosts by Zipf's law,
// times and offsets in the order of the archive, digests and ids that do not
// compress. The same seed gives the same rows.
func News(n int, seed uint64) []ccindex.Row {
	rnd := rand.New(rand.NewPCG(seed, 1))
	all := sites(rnd)
	zipf := rand.NewZipf(rnd, 1.2, 8, uint64(len(all)-1))
	rows := make([]ccindex.Row, n)
	fetched := time.Date(2026, 7, 1, 2, 25, 1, 0, time.UTC)
	offset := int64(733)
	for i := range rows {
		at := all[zipf.Uint64()]
		fetched = fetched.Add(time.Duration(rnd.IntN(3)) * time.Second)
		rows[i] = newsRow(rnd, at, fetched.UnixMilli(), offset)
		offset += rows[i].WARCRecordLength
	}
	return rows
}

func newsRow(rnd *rand.Rand, at site, fetched, offset int64) ccindex.Row {
	path := "/" + at.section + "/2026/07/01/" + slug(rnd)
	digest := sha1.Sum(fmt.Append(nil, rnd.Uint64()))
	row := ccindex.Row{
		URLSurtkey: surtkey(at.host, path), URL: "https://" + at.host + path,
		URLHostName: &at.host, URLHostRegisteredDomain: &at.domain, URLHostTLD: &at.tld, URLProtocol: ref("https"),
		FetchTime: fetched, FetchStatus: 200,
		ContentDigest:   ref(base32.StdEncoding.EncodeToString(digest[:])),
		ContentMIMEType: "text/html", ContentMIMEDetected: ref("text/html"), ContentCharset: ref("UTF-8"),
		WARCFilename: Archive, WARCRecordOffset: offset, WARCRecordLength: 2000 + rnd.Int64N(60000),
		ContentLength: 9000 + rnd.Int64N(400000),
		WARCRecordID: ref(fmt.Sprintf("urn:uuid:%08x-%04x-4%03x-%04x-%012x",
			rnd.Uint32(), rnd.IntN(1<<16), rnd.IntN(1<<12), rnd.IntN(1<<16), rnd.Int64N(1<<48))),
	}
	if rnd.IntN(12) > 0 {
		row.ContentLanguages = &at.language
		row.ContentLanguageConfidence = ref(float64(500+rnd.IntN(500)) / 1000)
		row.ContentLanguageDeclared = ref(at.language[:2])
	}
	switch rnd.IntN(40) {
	case 0:
		row.ContentMIMEDetected = ref("application/rss+xml")
	case 1:
		row.ContentTruncated = ref("length")
	case 2:
		row.FetchStatus, row.FetchRedirect = 301, ref("https://"+at.host+"/")
	}
	return row
}

func slug(rnd *rand.Rand) string {
	var parts []string
	for range 4 + rnd.IntN(6) {
		parts = append(parts, words[rnd.IntN(len(words))])
	}
	return fmt.Sprintf("%s-%d", strings.Join(parts, "-"), rnd.IntN(10_000_000))
}

func ref[T any](v T) *T { return &v }
