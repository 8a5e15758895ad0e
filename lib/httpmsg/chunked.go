package httpmsg

import "bytes"

// dechunk undoes the chunked transfer coding (RFC 9112 section 7.1) of a body that may be cut, up to limit bytes. ok is
// false if the body does not begin with a chunk: then it is not chunked, whatever the header says.
func dechunk(body []byte, limit int) (plain []byte, ok bool) {
	size, rest, ok := chunkSize(body)
	if !ok || !beginsWithChunk(body, rest, size) {
		return nil, false
	}
	plain = make([]byte, 0, min(len(body), limit))
	for size > 0 && len(plain) < limit {
		n := min(size, len(rest))
		plain = append(plain, rest[:min(n, limit-len(plain))]...)
		rest = afterLineEnd(rest[n:])
		if size, rest, ok = chunkSize(rest); !ok {
			break // cut, or broken: what came before it stands
		}
	}
	return plain, true
}

// beginsWithChunk keeps a text that happens to begin with a number from being eaten: the size must stand in a line that
// ends as the standard says, or the chunk must end where the size says. After the last chunk comes a line end or nothing.
func beginsWithChunk(body, rest []byte, size int) bool {
	crlf := bytes.HasSuffix(body[:len(body)-len(rest)], []byte("\r\n"))
	if size > len(rest) {
		return crlf
	}
	after := rest[size:]
	ends := len(after) == 0 || after[0] == '\r' || after[0] == '\n'
	return ends || crlf && size > 0
}

// maxSizeLine bounds the line with a chunk's size: more than any server writes with its extensions.
const maxSizeLine = 4 << 10

// chunkSize reads the line before a chunk: a hexadecimal size, blanks, perhaps extensions after ";".
func chunkSize(b []byte) (size int, rest []byte, ok bool) {
	end := bytes.IndexByte(b[:min(len(b), maxSizeLine)], '\n')
	if end < 0 {
		return 0, nil, false
	}
	digits, _, _ := bytes.Cut(b[:end], []byte(";"))
	digits = bytes.Trim(digits, " \t\r")
	if len(digits) == 0 || len(digits) > 15 {
		return 0, nil, false
	}
	for _, c := range digits {
		d := hexDigit(c)
		if d < 0 {
			return 0, nil, false
		}
		size = size<<4 | d
	}
	return size, b[end+1:], true
}

// afterLineEnd skips the line end that closes a chunk.
func afterLineEnd(b []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimPrefix(b, []byte("\r")), []byte("\n"))
}

// hexDigit returns the value of a hexadecimal digit, -1 if it is none.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
