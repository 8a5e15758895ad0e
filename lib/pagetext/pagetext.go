// Package pagetext reads what a person would read on a stored page: its text as UTF-8, and the language its markup
// claims.
//
// Identifying a language needs a kilobyte or two of running text, from whatever page a server sent: in a charset that
// the header alone tells, without <head>, with tags never closed, cut in the middle. So nothing here builds a document
// or fails: [ToUTF8] decodes (as https://encoding.spec.whatwg.org/ and the prescan of
// https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding would, with more distrust of
// what is declared), [Text] reads tags one by one and stops when it has enough, and [DeclaredLang] looks no further than
// the <html> tag.
package pagetext
