package hubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const lfsMedia = "application/vnd.git-lfs+json"

var sha256Form = regexp.MustCompile(`^[0-9a-f]{64}$`)

// multipart is an upload in parts that has not been completed.
type multipart struct {
	oid            string
	size, partSize int64
	parts          map[int]part
}

type part struct {
	piece
	etag string
}

func (m *multipart) count() int { return int((m.size + m.partSize - 1) / m.partSize) }

// length is how many bytes part n has, counted from 1.
func (m *multipart) length(n int) int64 { return min(m.partSize, m.size-int64(n-1)*m.partSize) }

// action is what the client is to do, with its header in the order given.
type action struct {
	Href   string  `json:"href"`
	Header ordered `json:"header"`
}

// ordered is a JSON object whose keys keep their order.
type ordered [][2]string

func (o ordered) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, pair := range o {
		if i > 0 {
			text = append(text, ',')
		}
		for j, s := range pair {
			quoted, err := json.Marshal(s)
			if err != nil {
				return nil, err
			}
			text = append(text, quoted...)
			if j == 0 {
				text = append(text, ':')
			}
		}
	}
	return append(text, '}'), nil
}

type batchError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// batchObject is an object of a batch, asked for and answered.
type batchObject struct {
	Oid           string            `json:"oid"`
	Size          int64             `json:"size"`
	Actions       map[string]action `json:"actions,omitempty"`
	Authenticated bool              `json:"authenticated,omitempty"`
	Error         *batchError       `json:"error,omitempty"`
}

func (h *Hub) batch(c *call) (reply, error) {
	var asked struct {
		Operation string          `json:"operation"`
		Ref       json.RawMessage `json:"ref"`
		Objects   []batchObject   `json:"objects"`
	}
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	if asked.Operation != "upload" {
		return nil, badRequest("operation: this hub knows \"upload\" alone, not %q", asked.Operation)
	}
	if err := c.who.mayWrite(len(asked.Ref) == 0); err != nil {
		return nil, err
	}
	inParts := false
	for i := range asked.Objects {
		inParts = h.answerObject(c, &asked.Objects[i]) || inParts
	}
	if f, omit := suffers(c.r, Omit); omit {
		asked.Objects = slices.DeleteFunc(asked.Objects, func(o batchObject) bool { return strings.Contains(o.Oid, f.Object) })
	}
	asked.Objects = scatter(h.settings.Shuffle, asked.Objects, func(o batchObject) string { return o.Oid })
	transfer := "basic"
	if inParts {
		transfer = "multipart"
	}
	answer := map[string]any{"transfer": transfer, "objects": asked.Objects}
	if h.settings.NoTransfer {
		delete(answer, "transfer")
	}
	c.header.Set("Content-Type", lfsMedia+"; charset=utf-8")
	return jsonReply(200, answer), nil
}

// answerObject says what is to be done about an object, and whether it is an upload in parts.
func (h *Hub) answerObject(c *call, o *batchObject) (inParts bool) {
	*o = batchObject{Oid: o.Oid, Size: o.Size}
	_, claim := suffers(c.r, ClaimPresent)
	broken, fail := suffers(c.r, ObjectError)
	short, lose := suffers(c.r, LosePart)
	switch {
	case !sha256Form.MatchString(o.Oid) || o.Size < 0:
		o.Error = &batchError{422, "oid or size is not one"}
	case fail && strings.Contains(o.Oid, broken.Object):
		o.Error = &batchError{broken.Status, broken.Message}
	case h.store.objects[o.Oid] == nil && !claim:
		inParts = h.askFor(o, c.target.repo, lose && strings.Contains(o.Oid, short.Object))
	}
	return inParts
}

// askFor has an object uploaded, and says whether in parts, of which the last may be left out.
func (h *Hub) askFor(o *batchObject, repo string, loseLast bool) bool {
	o.Authenticated = true
	o.Actions = map[string]action{}
	if !h.settings.NoVerify {
		o.Actions["verify"] = action{h.hubURL + "/datasets/" + repo + ".git/info/lfs/objects/verify", ordered{}}
	}
	if o.Size < h.settings.MultipartFrom {
		h.store.expect(o.Oid, o.Size)
		o.Actions["upload"] = action{h.uploadURL(o.Oid, "x-id=PutObject", h.settings.UploadLifetime), ordered{}}
		return false
	}
	h.issued++
	id := fmt.Sprintf("%032x", h.issued)
	m := &multipart{oid: o.Oid, size: o.Size, partSize: h.settings.PartSize, parts: map[int]part{}}
	h.uploads[id] = m
	header := ordered{{"chunk_size", strconv.FormatInt(m.partSize, 10)}}
	for n := 1; n <= m.count(); n++ {
		extra := fmt.Sprintf("partNumber=%d&uploadId=%s&x-id=UploadPart", n, id)
		header = append(header, [2]string{fmt.Sprintf("%05d", n), h.uploadURL(o.Oid, extra, h.settings.UploadLifetime)})
	}
	if loseLast {
		header = header[:len(header)-1]
	}
	header = scatter(h.settings.ScatterParts, header, func(pair [2]string) string { return pair[0] })
	expires := h.now().Add(h.settings.UploadLifetime)
	href := fmt.Sprintf("/api/complete_multipart?uploadId=%s&bucket=hubtest&prefix=repos%%2Fhubtest&expiration=%s",
		id, strings.ReplaceAll(expires.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), " ", "+"))
	o.Actions["upload"] = action{h.hubURL + h.sign(http.MethodPost, href, "signature"), header}
	return true
}

// complete puts the parts of an upload together: all of them, in order, with the
// ETags as they were given.
func (h *Hub) complete(c *call) (reply, error) {
	var asked struct {
		Oid   string `json:"oid"`
		Parts []struct {
			PartNumber int    `json:"partNumber"`
			ETag       string `json:"etag"`
		} `json:"parts"`
	}
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	if !h.signed(c.r, "signature") {
		return nil, refuse(http.StatusForbidden, "", "the completion URL is not signed, or was written anew")
	}
	id := c.r.URL.Query().Get("uploadId")
	m := h.uploads[id]
	if m == nil {
		return nil, refuse(http.StatusNotFound, "", "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.")
	}
	if asked.Oid != m.oid || len(asked.Parts) != m.count() {
		return nil, badRequest("the upload has %d parts of %s, not %d of %s", m.count(), m.oid, len(asked.Parts), asked.Oid)
	}
	var all []piece
	for i, p := range asked.Parts {
		have, ok := m.parts[i+1]
		if p.PartNumber != i+1 || !ok || have.etag != p.ETag {
			return nil, badRequest("InvalidPart: part %d has ETag %s, in place %d of the list is %d with %s", i+1, have.etag, i+1, p.PartNumber, p.ETag)
		}
		all = append(all, have.piece)
	}
	delete(h.uploads, id)
	return h.keepParts(m, h.store.object(all)), nil
}

// keepParts checks the whole and stores it. Hashing gigabytes takes its time, so it is done outside the lock.
func (h *Hub) keepParts(m *multipart, o *object) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		if !o.discarded {
			sum, err := o.sum()
			if err != nil {
				writeError(w, err)
				return
			}
			if sum != m.oid {
				writeError(w, badRequest("the parts have the sha256 %s, not %s", sum, m.oid))
				return
			}
		}
		h.mu.Lock()
		h.store.objects[m.oid] = o
		h.mu.Unlock()
		writeJSON(w, 200, map[string]bool{"success": true})
	}
}

func (h *Hub) verify(c *call) (reply, error) {
	var asked batchObject
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	if err := c.who.mayWrite(true); err != nil {
		return nil, err
	}
	switch o := h.store.objects[asked.Oid]; {
	case o == nil:
		return nil, refuse(http.StatusNotFound, "", "Object does not exist")
	case o.size != asked.Size:
		return nil, refuse(http.StatusUnprocessableEntity, "", fmt.Sprintf("the object has %d bytes, not %d", o.size, asked.Size))
	}
	return jsonReply(200, struct{}{}), nil
}
