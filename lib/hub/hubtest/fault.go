package hubtest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong. As JSON it is what the control path of the
// program takes.
type Fault struct {
	// On is which requests it befalls.
	On Match `json:"on"`
	// Do is what happens; "" is [Answer].
	Do Effect `json:"do"`

	// Status, Header and Body are the answer of [Answer] and [ApplyThenAnswer]. Of
	// a header, "" as the value takes it out of the answer. [Edit] has Header too.
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
	// Message stands for Body: the hub's JSON error, and X-Error-Message with it. Code is X-Error-Code.
	Message string `json:"message"`
	Code    string `json:"code"`

	// Bytes is how much comes through before a cut, or the total of [WrongTotal].
	Bytes int64 `json:"bytes"`
	// Object is part of the oid or path that [ObjectError], [Omit] or [LosePart] is about; "" is every one.
	Object string `json:"object"`
	// Wait passes first, whatever the effect.
	Wait time.Duration `json:"wait_ns"`
}

// Match is a set of requests. A field that is zero matches any.
type Match struct {
	Route  Route  `json:"route"`
	Method string `json:"method"`
	// URL is contained in the request's path and query, as they were sent.
	URL string `json:"url"`
	// Range is whether the request has a Range header: "yes", "no".
	Range string `json:"range"`

	// Skip is how many matching requests pass first, Times how many are then
	// befallen: 0 is one, [Always] all.
	Skip  int `json:"skip"`
	Times int `json:"times"`
	// Chance is how likely a matching request is befallen, 0 being always. The dice
	// fall the same in every run.
	Chance float64 `json:"chance"`
}

// Always is a Match.Times without an end.
const Always = -1

// Effect is what a fault does.
type Effect string

const (
	Answer          Effect = "answer"            // nothing is done; Status, Header, Body are the answer
	ApplyThenAnswer Effect = "apply-then-answer" // it is done, and the answer is another
	Drop            Effect = "drop"              // nothing is done, and the connection ends
	ApplyThenDrop   Effect = "apply-then-drop"   // it is done, and the connection ends
	CutUpload       Effect = "cut-upload"        // the connection ends when Bytes of the request's body were read
	Stall           Effect = "stall"             // no answer, until the client goes
	Slow            Effect = "slow"              // the answer, after Wait
	Edit            Effect = "edit"              // the answer with Header set in it

	CutBody     Effect = "cut-body"     // the connection ends after Bytes of the answer's body
	StallBody   Effect = "stall-body"   // after Bytes of the body nothing more comes, until the client goes
	ShortBody   Effect = "short-body"   // Bytes of the body are all, and Content-Length says so
	FlipByte    Effect = "flip-byte"    // the body's byte at Bytes is another
	IgnoreRange Effect = "ignore-range" // 200 and the whole body
	GzipWhole   Effect = "gzip-whole"   // the same, with Content-Encoding: gzip
	WrongTotal  Effect = "wrong-total"  // 416 with Content-Range: bytes */Bytes

	ClaimPresent   Effect = "claim-present"   // batch: every object is said to be there
	ObjectError    Effect = "object-error"    // batch: the object has an error, of Status and Message
	LosePart       Effect = "lose-part"       // batch: the last part of a multipart upload is missing
	Omit           Effect = "omit"            // batch, preupload: the answer leaves the object or path out
	TruncateUpload Effect = "truncate-upload" // put-object: the store keeps only Bytes of it, and says all is well
)

var effects = []Effect{Answer, ApplyThenAnswer, Drop, ApplyThenDrop, CutUpload, Stall, Slow, Edit, CutBody, StallBody,
	ShortBody, FlipByte, IgnoreRange, GzipWhole, WrongTotal, ClaimPresent, ObjectError, LosePart, Omit, TruncateUpload}

// Times is the fault n times.
func (f Fault) Times(n int) Fault { f.On.Times = n; return f }

// After is the fault once n matching requests have passed.
func (f Fault) After(n int) Fault { f.On.Skip = n; return f }

// Fail adds a fault. Of several that a request matches, the first added with
// times left befalls it; the others wait. A fault that cannot be is a panic.
func (h *Hub) Fail(f Fault) {
	if err := h.addFault(f); err != nil {
		panic("hubtest: " + err.Error())
	}
}

func (h *Hub) addFault(f Fault) error {
	if f.Do == "" {
		f.Do = Answer
	}
	answers := f.Do == Answer || f.Do == ApplyThenAnswer || f.Do == ObjectError
	switch {
	case !slices.Contains(effects, f.Do):
		return fmt.Errorf("fault: no effect is called %q", f.Do)
	case answers && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("fault: %s needs a status, and %d is none", f.Do, f.Status)
	}
	if f.On.Times == 0 {
		f.On.Times = 1
	}
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	h.faults.all = append(h.faults.all, &f)
	return nil
}

// Heal takes all faults away.
func (h *Hub) Heal() {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	h.faults.all = nil
}

// Unused has the faults that have not befallen anything yet: a test that expects none of them proves nothing.
func (h *Hub) Unused() []Fault {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	var left []Fault
	for _, f := range h.faults.all {
		if !h.faults.used[f] {
			left = append(left, *f)
		}
	}
	return left
}

type faults struct {
	mu     sync.Mutex
	all    []*Fault
	used   map[*Fault]bool
	random *rand.Rand
}

// pick counts a request against the faults and returns the one that befalls it.
func (fs *faults) pick(route Route, r *http.Request) *Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.all {
		switch {
		case f.On.Times == 0 || !f.On.fits(route, r):
		case f.On.Skip > 0:
			f.On.Skip--
		case f.On.Chance > 0 && fs.random.Float64() >= f.On.Chance:
		default:
			if f.On.Times > 0 {
				f.On.Times--
			}
			if fs.used == nil {
				fs.used = map[*Fault]bool{}
			}
			fs.used[f] = true
			picked := *f
			return &picked
		}
	}
	return nil
}

func (m Match) fits(route Route, r *http.Request) bool {
	ranged := map[bool]string{true: "yes", false: "no"}[r.Header.Get("Range") != ""]
	return (m.Route == "" || m.Route == route) &&
		(m.Method == "" || m.Method == r.Method) &&
		(m.Range == "" || m.Range == ranged) &&
		strings.Contains(r.RequestURI, m.URL)
}
