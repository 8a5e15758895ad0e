package hubtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// denial is an error as object stores write it.
type denial struct {
	status        int
	code, message string
}

func deny(status int, code, message string) *denial { return &denial{status, code, message} }

// write drains the request first: a store that hangs up on a client that is
// still sending is a reset to it, not an answer.
func (d *denial) write(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	body := fmt.Sprintf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>", d.code, d.message)
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(d.status)
	_, _ = w.Write([]byte(body))
}

func (h *Hub) serveStorage(w http.ResponseWriter, r *http.Request, to target) {
	denied := h.mayUseStorage(r, to)
	if denied == nil {
		switch to.route {
		case RoutePutObject:
			denied = h.putObject(w, r, to.path)
		case RoutePutPart:
			denied = h.putPart(w, r)
		default:
			denied = h.download(w, r, to.path)
		}
	}
	if denied != nil {
		denied.write(w, r)
	}
}

// mayUseStorage checks what can be checked before the body is read.
func (h *Hub) mayUseStorage(r *http.Request, to target) *denial {
	signature, until := "X-Amz-Signature", "Expires"
	if to.route == RouteDownload {
		signature = "Signature"
	}
	switch {
	case r.Header.Get("Authorization") != "":
		return deny(400, "InvalidArgument", "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified")
	case to.route == RouteUnknown:
		return deny(403, "AccessDenied", "Access Denied")
	case len(r.TransferEncoding) > 0:
		return deny(501, "NotImplemented", "A header you provided implies functionality that is not implemented: Transfer-Encoding")
	case r.Method == http.MethodPut && r.ContentLength == 0:
		return deny(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
	case !h.signed(r, signature):
		return deny(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your key and signing method.")
	case h.expired(r.URL.Query(), until):
		return deny(403, "AccessDenied", "Request has expired")
	}
	return nil
}

func (h *Hub) putObject(w http.ResponseWriter, r *http.Request, oid string) *denial {
	h.mu.Lock()
	want := h.store.sizes[oid]
	h.mu.Unlock()
	if r.ContentLength != want {
		return deny(400, "EntityTooSmall", fmt.Sprintf("%d bytes were announced and %d sent", want, r.ContentLength))
	}
	body := io.Reader(r.Body)
	cut, truncate := suffers(r, TruncateUpload)
	if truncate {
		body = io.LimitReader(body, cut.Bytes)
	}
	got, sum, etag, err := h.store.receive(body)
	switch {
	case err != nil:
		return deny(400, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header: "+err.Error())
	case truncate:
		_, _ = io.Copy(io.Discard, r.Body)
	case sum != oid:
		return deny(400, "BadDigest", "the bytes have the sha256 "+sum+", not "+oid)
	}
	h.mu.Lock()
	h.store.objects[oid] = h.store.object([]piece{got})
	h.mu.Unlock()
	w.Header().Set("ETag", etag)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (h *Hub) putPart(w http.ResponseWriter, r *http.Request) *denial {
	query := r.URL.Query()
	id := query.Get("uploadId")
	number, _ := strconv.Atoi(query.Get("partNumber"))
	h.mu.Lock()
	m := h.uploads[id]
	h.mu.Unlock()
	switch {
	case m == nil:
		return deny(404, "NoSuchUpload", "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.")
	case r.ContentLength != m.length(number):
		return deny(400, "EntityTooSmall", fmt.Sprintf("part %d has %d bytes, and %d were sent", number, m.length(number), r.ContentLength))
	}
	got, _, etag, err := h.store.receive(r.Body)
	if err != nil {
		return deny(400, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header: "+err.Error())
	}
	h.mu.Lock()
	old, again := m.parts[number]
	m.parts[number] = part{got, etag}
	h.mu.Unlock()
	if again {
		h.store.forget([]piece{old.piece})
	}
	w.Header().Set("ETag", etag)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (h *Hub) download(w http.ResponseWriter, r *http.Request, oid string) *denial {
	h.mu.Lock()
	object := h.store.objects[oid]
	h.setETag(w.Header(), xetHash(oid))
	h.mu.Unlock()
	if object == nil {
		return deny(404, "NoSuchKey", "The specified key does not exist.")
	}
	content, err := object.open()
	if err != nil {
		return deny(404, "NoSuchKey", err.Error())
	}
	defer content.Close()
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Cache-Control", "public, max-age=31536000")
	http.ServeContent(w, r, "", time.Time{}, content)
	return nil
}
