package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a URL of the store or hub, and what is to be sent to it as header.
type target struct {
	url    *url.URL
	header http.Header
}

// transfer is how an object gets into the store: in one piece to upload, or in
// parts, which upload then puts together.
type transfer struct {
	upload   target
	parts    []target // in order; nil for one piece
	partSize int64    // in bytes; the last part may be shorter
	verify   *target  // nil if there is none
	asked    time.Time
}

// batchAnswer is that of the LFS batch API:
// https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
type batchAnswer struct {
	Objects []batchObject `json:"objects"`
}

type batchObject struct {
	OID     string                 `json:"oid"`
	Actions map[string]batchAction `json:"actions"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type batchAction struct {
	Href   string            `json:"href"`
	Header map[string]string `json:"header"`
}

// batch asks how objects get into the store, nil meaning that they are there.
func (r *remote) batch(ctx context.Context, objects []*object, pullRequest bool) ([]*transfer, error) {
	wanted := make([]map[string]any, len(objects))
	for i, o := range objects {
		wanted[i] = map[string]any{"oid": o.sha256, "size": o.size}
	}
	order := map[string]any{
		"operation": "upload", "transfers": []string{"basic", "multipart"}, "hash_algo": "sha256", "objects": wanted,
	}
	if !pullRequest { // which needs no right to write to the revision
		order["ref"] = map[string]string{"name": r.name.Revision}
	}
	req, err := post(r.login.at("/datasets/"+escapePath(r.name.ID)+".git/info/lfs/objects/batch", ""), gitLFS, order)
	if err != nil {
		return nil, err
	}
	req.writes = true
	what := r.what("prepare the upload")
	var answer batchAnswer
	err = r.do(ctx, what, req, func(resp *http.Response) error {
		answer = batchAnswer{}
		return decode(resp, &answer)
	})
	if err != nil {
		return nil, err
	}
	transfers, err := answer.transfers(r.login, objects)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	for _, t := range transfers {
		if t != nil {
			t.asked = r.now()
		}
	}
	return transfers, nil
}

// transfers gives those of objects, which the answer may have in another order.
func (a *batchAnswer) transfers(login *Login, objects []*object) ([]*transfer, error) {
	byOID := make(map[string]*batchObject, len(a.Objects))
	for i := range a.Objects {
		byOID[a.Objects[i].OID] = &a.Objects[i]
	}
	transfers := make([]*transfer, len(objects))
	for i, o := range objects {
		path := o.files[0].add.Path
		answer := byOID[o.sha256]
		if answer == nil {
			return nil, fmt.Errorf("%s: the hub's answer says nothing of it", path)
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: the hub refuses it: %s (%d)", path, oneLine(answer.Error.Message), answer.Error.Code)
		}
		var err error
		if transfers[i], err = answer.transfer(login, o.size); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return transfers, nil
}

func (o *batchObject) transfer(login *Login, size int64) (*transfer, error) {
	upload, ok := o.Actions["upload"]
	if !ok {
		return nil, nil
	}
	t := &transfer{}
	var err error
	if t.upload.url, err = login.resolve(upload.Href); err != nil {
		return nil, err
	}
	if verify, ok := o.Actions["verify"]; ok {
		t.verify = &target{header: plainHeader(verify.Header)}
		if t.verify.url, err = login.resolve(verify.Href); err != nil {
			return nil, err
		}
	}
	// Each object tells by its header: the answer's "transfer" is one for all.
	if chunk, ok := upload.Header["chunk_size"]; ok {
		err = t.cut(login, chunk, upload.Header, size)
	} else {
		t.upload.header = plainHeader(upload.Header)
	}
	return t, err
}

// cut reads a header such as {"chunk_size":"16000000","00001":URL,"00002":URL}.
func (t *transfer) cut(login *Login, chunk string, header map[string]string, size int64) error {
	partSize, err := strconv.ParseInt(chunk, 10, 64)
	if err != nil || partSize <= 0 {
		return fmt.Errorf("the hub's answer has a chunk_size of %q", oneLine(chunk))
	}
	urls := map[uint64]string{}
	for key, address := range header {
		if number, err := strconv.ParseUint(key, 10, 31); err == nil {
			urls[number] = address
		}
	}
	count := (size-1)/partSize + 1
	if int64(len(urls)) != count {
		return fmt.Errorf("the hub's answer has URLs for %d parts: %d bytes in parts of %d are %d", len(urls), size, partSize, count)
	}
	t.partSize, t.parts = partSize, make([]target, count)
	for i := range t.parts {
		address, ok := urls[uint64(i)+1]
		if !ok {
			return fmt.Errorf("the hub's answer has no URL for part %d of %d", i+1, count)
		}
		if t.parts[i].url, err = login.resolve(address); err != nil {
			return err
		}
	}
	return nil
}

// plainHeader leaves out of an action's header what is not for an answer to say:
// the token is ours to send, and the length comes from the body.
func plainHeader(fields map[string]string) http.Header {
	header := http.Header{}
	for key, value := range fields {
		if !slices.Contains([]string{"authorization", "content-length", "transfer-encoding", "host", "cookie"}, strings.ToLower(key)) {
			header.Set(key, value)
		}
	}
	return header
}
