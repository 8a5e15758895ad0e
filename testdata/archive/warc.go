package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"strings"
	"time"

	// Not compress/gzip: what that one writes changes with the version of Go,
	// this one's with go.mod.
	"github.com/klauspost/compress/gzip"
)

// exchange is a page as the crawler asked for it and stored it.
type exchange struct {
	url    string
	status string   // "200 OK"
	header []string // of the response, without its length
	body   []byte   // as stored
	// truncated is the WARC-Truncated of the response; "" if it is whole.
	truncated string
}

// archive writes records. The first error sticks.
type archive struct {
	out io.Writer
	err error
}

func (a *archive) info(opened time.Time) {
	a.record([]byte("software: ccnews testdata/archive\r\n"+
		"description: sample pages written for tests, all events are invented\r\n"+
		"format: WARC File Format 1.1\r\n"+
		"conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"),
		"WARC-Type: warcinfo",
		"WARC-Date: "+stamp(opened),
		"WARC-Filename: "+archiveName,
		"WARC-Record-ID: "+recordID(archiveName),
		"Content-Type: application/warc-fields",
		contentLength)
}

// exchange writes the records of one page, their fields in the order of the
// crawler that writes the news archives.
func (a *archive) exchange(x exchange, number int, fetched time.Time) {
	ip := fmt.Sprintf("192.0.2.%d", number+1)
	if number%5 == 4 {
		ip = fmt.Sprintf("2001:db8::%x", number+1)
	}
	// Over HTTP/2 a status has no reason, but the blank before it stays.
	protocol, status := "http/1.1", x.status
	if strings.HasPrefix(x.url, "https:") {
		protocol, status = "h2,TLS_1_3,TLS_AES_128_GCM_SHA256", x.status[:len("200 ")]
	}
	_, rest, _ := strings.Cut(x.url, "://")
	host, target, _ := strings.Cut(rest, "/")

	request := message("GET /"+target+" HTTP/1.1", []string{
		"User-Agent: sample", "Host: " + host, "Accept-Encoding: gzip",
	}, nil)
	a.record(request,
		"WARC-Type: request",
		"WARC-IP-Address: "+ip,
		"WARC-Record-ID: "+recordID("request", x.url, stamp(fetched)),
		contentLength,
		"WARC-Date: "+stamp(fetched),
		"WARC-Target-URI: "+x.url,
		"Content-Type: application/http; msgtype=request",
		"WARC-Block-Digest: "+digest(request))

	response := message("HTTP/1.1 "+status, append([]string{
		"Date: " + fetched.Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Server: sample",
	}, x.header...), x.body)
	fields := []string{
		"WARC-Record-ID: " + recordID("response", x.url, stamp(fetched)),
		contentLength,
		"WARC-Date: " + stamp(fetched),
		"WARC-Type: response",
		"WARC-IP-Address: " + ip,
		"WARC-Target-URI: " + x.url,
		"Content-Type: application/http; msgtype=response",
	}
	if x.truncated != "" {
		fields = append(fields, "WARC-Truncated: "+x.truncated)
	}
	a.record(response, append(fields,
		"WARC-Protocol: "+protocol,
		"WARC-Payload-Digest: "+digest(x.body),
		"WARC-Block-Digest: "+digest(response))...)
}

// contentLength stands for the field that record fills in.
const contentLength = "Content-Length: "

// record writes one record as one gzip member.
func (a *archive) record(block []byte, fields ...string) {
	var plain bytes.Buffer
	plain.WriteString("WARC/1.0\r\n")
	for _, field := range fields {
		plain.WriteString(field)
		if field == contentLength {
			fmt.Fprint(&plain, len(block))
		}
		plain.WriteString("\r\n")
	}
	plain.WriteString("\r\n")
	plain.Write(block)
	plain.WriteString("\r\n\r\n")
	a.write(pack(plain.Bytes()))
}

func (a *archive) write(b []byte) {
	if a.err == nil {
		_, a.err = a.out.Write(b)
	}
}

func message(start string, header []string, body []byte) []byte {
	head := start + "\r\n" + strings.Join(header, "\r\n") + "\r\n\r\n"
	return append([]byte(head), body...)
}

// pack makes one gzip member.
func pack(plain []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a good one
	}
	w.Write(plain) // a Buffer never fails
	w.Close()
	return out.Bytes()
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05Z") }

func digest(b []byte) string {
	sum := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// recordID is a name-based UUID, so that it is the same every time.
func recordID(name ...string) string {
	id := sha1.Sum([]byte(strings.Join(name, " ")))
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
