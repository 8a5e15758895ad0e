package main

import "fmt"

// odd are the exchanges that are no article.
func odd(pages []exchange) []exchange {
	return []exchange{
		pages[0], // captured again, a little later
		// The news crawler never stores a redirect or an error; other archives do.
		answer("https://www.example.com/events/2025/festival", "301 Moved Permanently", "text/html",
			"<title>Moved</title><a href=\"../festival/programme\">Moved</a>\n", "Location: ../festival/programme"),
		answer("https://www.example.com/events/2024/festival", "404 Not Found", "text/html; charset=utf-8",
			`<!DOCTYPE html><html lang="en"><head><title>Not found</title></head><body><p>`+
				"There is no page at this address, and there never was one. This answer is a sample that was written for tests; "+
				"it is long enough for its language to be told, were it not an answer to a failed request.</p></body></html>\n"),
		answer("https://www.example.com/feed.xml", "200 OK", "application/rss+xml; charset=utf-8",
			`<?xml version="1.0" encoding="utf-8"?>`+"\n<rss version=\"2.0\"><channel><title>Sample news</title>"+
				"<link>https://www.example.com/</link><description>All of it is invented</description>"+
				"<item><title>A bridge reopens</title><link>https://www.example.com/bridge</link></item></channel></rss>\n"),
		answer("https://www.example.com/api/latest?format=json&n=2", "200 OK", "application/json",
			`{"sample":true,"stories":[{"id":1,"title":"A bridge reopens"},{"id":2,"title":"A library stays open"}]}`+"\n"),
		answer("https://www.example.com/files/programme.pdf", "200 OK", "application/pdf",
			"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"),
		// An application that draws itself: a page without any text.
		answer("https://app.example.com/stories", "200 OK", "text/html; charset=utf-8",
			`<!doctype html><html lang="en"><head><title></title><script src="/app.js"></script></head>`+
				"<body><div id=\"app\"></div><noscript></noscript></body></html>\n"),
		{url: "http://www.example.com/ping", status: "200 OK", header: []string{"Content-Length: 0"}},
	}
}

// answer is a response stored as it came.
func answer(url, status, contentType, body string, more ...string) exchange {
	header := append(more, "Content-Type: "+contentType, fmt.Sprintf("Content-Length: %d", len(body)))
	return exchange{url: url, status: status, header: header, body: []byte(body)}
}
