package hubtest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
)

// suffer handles a request with a fault on it. serve is how it would be handled without.
func (h *Hub) suffer(f Fault, w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	h.wait(r, f.Wait)
	switch f.Do {
	case Answer:
		_, _ = io.Copy(io.Discard, r.Body)
		f.answer(w)
	case ApplyThenAnswer:
		serve(httptest.NewRecorder(), r)
		f.answer(w)
	case Drop:
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	case ApplyThenDrop:
		serve(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case CutUpload:
		_, _ = io.CopyN(io.Discard, r.Body, f.Bytes)
		panic(http.ErrAbortHandler)
	case Stall:
		_, _ = io.Copy(io.Discard, r.Body)
		h.waitForever(r)
	case WrongTotal:
		f.Status = http.StatusRequestedRangeNotSatisfiable
		f.Header = map[string]string{"Content-Range": fmt.Sprintf("bytes */%d", f.Bytes)}
		f.answer(w)
	case GzipWhole:
		r.Header.Del("Range")
		whole := httptest.NewRecorder()
		serve(whole, r)
		writeGzip(w, whole)
	case IgnoreRange:
		r.Header.Del("Range")
		serve(w, r)
	case Edit, CutBody, StallBody, ShortBody, FlipByte:
		serve(&bent{ResponseWriter: w, fault: f, left: f.Bytes, stall: func() { h.waitForever(r) }}, r)
	default: // the handler plays it, or there is nothing to play
		serve(w, withFault(r, f))
	}
}

// waitForever ends when the client or the hub goes, and the connection with it.
func (h *Hub) waitForever(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-h.closed:
	}
	panic(http.ErrAbortHandler)
}

// answer is the fault's own answer in place of the real one.
func (f Fault) answer(w http.ResponseWriter) {
	f.edit(w.Header())
	if f.Message != "" {
		writeError(w, refuse(f.Status, f.Code, f.Message))
		return
	}
	if f.Code != "" {
		w.Header().Set("X-Error-Code", f.Code)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(f.Body)))
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, f.Body)
}

func (f Fault) edit(header http.Header) {
	for name, value := range f.Header {
		if value == "" {
			header.Del(name)
		} else {
			header.Set(name, value)
		}
	}
}

func writeGzip(w http.ResponseWriter, whole *httptest.ResponseRecorder) {
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	_, _ = zip.Write(whole.Body.Bytes())
	_ = zip.Close()
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(whole.Code)
	_, _ = w.Write(body.Bytes())
}

// bent is an answer on its way that a fault changes.
type bent struct {
	http.ResponseWriter
	fault Fault
	left  int64 // bytes until the fault shows
	stall func()
	begun bool
}

func (b *bent) WriteHeader(status int) {
	b.begun = true
	header := b.Header()
	switch b.fault.Do {
	case Edit:
		b.fault.edit(header)
	case ShortBody:
		full, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
		if err != nil || b.left < full {
			header.Set("Content-Length", strconv.FormatInt(b.left, 10))
		}
	}
	b.ResponseWriter.WriteHeader(status)
	if b.fault.Do == Edit && header.Get("Content-Length") == "" {
		_ = http.NewResponseController(b.ResponseWriter).Flush() // or the server counts a short body itself
	}
	if b.left == 0 {
		b.end()
	}
}

func (b *bent) Write(p []byte) (int, error) {
	if !b.begun {
		b.WriteHeader(http.StatusOK)
	}
	if b.fault.Do == Edit {
		return b.ResponseWriter.Write(p)
	}
	now := p[:min(int64(len(p)), b.left)]
	b.left -= int64(len(now))
	if n, err := b.ResponseWriter.Write(now); err != nil || len(now) == len(p) && b.left > 0 {
		return n, err
	}
	return b.turn(p, len(now))
}

// turn is where the fault shows: at the n-th byte of p.
func (b *bent) turn(p []byte, n int) (int, error) {
	switch {
	case b.fault.Do == ShortBody:
		return len(p), nil
	case b.fault.Do == FlipByte && n < len(p):
		flipped := bytes.Clone(p[n:])
		flipped[0] ^= 0xff
		b.left = 1 << 62
		_, err := b.ResponseWriter.Write(flipped)
		return len(p), err
	}
	b.end()
	return len(p), nil
}

// end is the end of a body that is cut or stalls.
func (b *bent) end() {
	switch b.fault.Do {
	case CutBody, StallBody:
		_ = http.NewResponseController(b.ResponseWriter).Flush()
		if b.fault.Do == StallBody {
			b.stall()
		}
		panic(http.ErrAbortHandler)
	}
}
