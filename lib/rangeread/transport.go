package rangeread

import (
	"io"
	"net/http"

	"github.com/open-index/ccnews/lib/transport"
)

// answer is a response whose body is under watch: an error in it, or no byte for
// too long, is a lost connection.
type answer struct {
	*http.Response
	body   *transport.Body
	client *Client
	// without is how many bytes of the range were not asked for, as they are there.
	without int
}

// Read counts what it reads.
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	a.client.bytes.Add(int64(n))
	return n, err
}

// close reads what little may be left, so that the connection can be used again.
func (a *answer) close() {
	const little = 4 << 10
	if a.ContentLength <= little {
		io.CopyN(io.Discard, a, little)
	}
	a.body.Close()
}
