package hubtest

import "fmt"

// The failures that public reports tell of, as faults: pass them to [Hub.Fail],
// with [Fault.Times] and [Fault.After] if once and at once are not wanted.

// Status answers requests of a route with a bare status.
func Status(route Route, status int) Fault {
	return Fault{On: Match{Route: route}, Status: status}
}

// Throttled is a 429 of the api bucket, empty for the seconds given.
func Throttled(route Route, seconds int) Fault {
	return Fault{On: Match{Route: route}, Status: 429, Message: "You have exceeded the rate limit. Please retry later.",
		Header: map[string]string{"RateLimit": fmt.Sprintf(`"api";r=0;t=%d`, seconds)}}
}

// RetryAfter is a 429 that says in Retry-After, seconds or a date, when to come back.
func RetryAfter(route Route, value string) Fault {
	return Fault{On: Match{Route: route}, Status: 429, Message: "Too Many Requests", Header: map[string]string{"Retry-After": value}}
}

// CommitLocked is another commit in progress: the head has not moved yet.
func CommitLocked() Fault {
	return commitFault(409, "Another commit operation is in progress for this repository. Please try again later.")
}

// CommitMoved is a head that is said to have moved.
func CommitMoved() Fault {
	return commitFault(412, "A commit has happened since. Please refresh and try again.")
}

// CommitTripped is a refusal that no retry helps against.
func CommitTripped() Fault {
	return commitFault(403, "Your storage patterns tripped our internal systems! Please contact us.")
}

// CommitThrottled is the hourly quota of commits, beside the api bucket that is far from empty.
func CommitThrottled() Fault {
	f := commitFault(429, "You have exceeded the rate limit for repository commits (128 per hour). You can retry this action in about 1 hour.")
	f.Header = map[string]string{"RateLimit": `"api";r=949;t=271`}
	return f
}

// CommitLost applies a commit and breaks the connection before the answer.
func CommitLost() Fault {
	return Fault{On: Match{Route: RouteCommit}, Do: ApplyThenDrop}
}

// CommitTimedOut applies a commit and answers as a gateway does that waited too long for it.
func CommitTimedOut() Fault {
	return Fault{On: Match{Route: RouteCommit}, Do: ApplyThenAnswer, Status: 504,
		Header: map[string]string{"Content-Type": "text/html"}, Body: "<html><body><h1>504 Gateway Time-out</h1></body></html>"}
}

// PointerLost is a commit whose object the store has lost, though the batch said it was there.
func PointerLost() Fault {
	return commitFault(400, "Your push was rejected because an LFS pointer pointed to a file that does not exist.")
}

func commitFault(status int, message string) Fault {
	return Fault{On: Match{Route: RouteCommit}, Status: status, Message: message}
}

// StorageError is an error of the storage on a route of its own, in its XML.
func StorageError(route Route, status int, code, message string) Fault {
	return Fault{On: Match{Route: route}, Status: status, Header: map[string]string{"Content-Type": "application/xml"},
		Body: "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>"}
}

// Expired is a signed URL that ran out.
func Expired(route Route) Fault {
	return StorageError(route, 403, "AccessDenied", "Request has expired")
}

// UploadTimedOut is the storage's 400 that is worth another try.
func UploadTimedOut(route Route) Fault {
	return StorageError(route, 400, "RequestTimeout", "Your socket connection to the server was not read from or written to within the timeout period.")
}

// SlowDown is the storage asking for fewer requests.
func SlowDown(route Route) Fault {
	return StorageError(route, 503, "SlowDown", "Please reduce your request rate.")
}

// BadKeyPair is a CDN that does not know the key of a URL signed a moment ago.
func BadKeyPair() Fault {
	return Fault{On: Match{Route: RouteDownload}, Status: 403, Body: "SignatureError: invalid key pair id"}
}

// StaleEdge is a CDN that applies a range to something else: a cached redirect of 177 bytes.
func StaleEdge() Fault {
	return Fault{On: Match{Route: RouteDownload, Range: "yes"}, Do: WrongTotal, Bytes: 177}
}
