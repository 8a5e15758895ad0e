package hubtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func hash256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// sign appends name=signature to a path with a query. The signature holds for
// these very bytes: an escape written another way, or parameters in another
// order, and it no longer fits.
func (h *Hub) sign(method, target, name string) string {
	return target + "&" + name + "=" + h.signature(method, target)
}

func (h *Hub) signature(method, target string) string {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	mac := hmac.New(sha256.New, h.secret[:])
	fmt.Fprintf(mac, "%s %s", method, target)
	return hex.EncodeToString(mac.Sum(nil))
}

// signed says whether a request's target is one that was signed and never changed.
func (h *Hub) signed(r *http.Request, name string) bool {
	target, given, ok := strings.Cut(r.RequestURI, "&"+name+"=")
	return ok && hmac.Equal([]byte(given), []byte(h.signature(r.Method, target)))
}

// expired reads the time that a signed URL works until, in Unix seconds.
func (h *Hub) expired(query url.Values, name string) bool {
	until, err := strconv.ParseInt(query.Get(name), 10, 64)
	return err != nil || !h.now().Before(time.Unix(until, 0))
}

func (h *Hub) uploadURL(oid, extra string, lifetime time.Duration) string {
	now := h.now().UTC()
	return h.storageURL + h.sign(http.MethodPut, fmt.Sprintf("/lfs/%s?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%s&X-Amz-Date=%s&X-Amz-Expires=%d&Expires=%d&X-Amz-SignedHeaders=host&%s",
		oid, "AKIAHUBTEST%2F"+now.Format("20060102")+"%2Fus-east-1%2Fs3%2Faws4_request", now.Format("20060102T150405Z"),
		int(lifetime/time.Second), now.Add(lifetime).Unix(), extra), "X-Amz-Signature")
}

// downloadURL has in it what clients that parse and write the query anew do not
// keep: escapes that need not be, bare ~ and +, lower-case digits, an order that is not sorted.
func (h *Hub) downloadURL(oid string, name string) string {
	lifetime := h.settings.DownloadLifetime
	return h.storageURL + h.sign(http.MethodGet, fmt.Sprintf("/xet-bridge-us/%s?X-Amz-Expires=%d&response-content-disposition=inline%%3B+filename%%3d%%22%s%%22%%3B&Expires=%d&Policy=a%%7Eb~c+d_&Key-Pair-Id=K",
		oid, int(lifetime/time.Second), url.QueryEscape(name), h.now().Add(lifetime).Unix()), "Signature")
}
