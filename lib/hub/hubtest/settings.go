package hubtest

import "time"

// Settings is how the hub answers when nothing is wrong. The zero value of a field
// that [New] does not set is the usual behaviour.
type Settings struct {
	// PageSize is how many entries a tree page has at most (1000), ExpandPageSize
	// how many with expand=true (50).
	PageSize       int `json:"page_size"`
	ExpandPageSize int `json:"expand_page_size"`
	// NextLink is the form of the Link header that leads to the next page.
	NextLink LinkForm `json:"next_link"`
	// Shuffle answers tree pages, paths-info, preupload and batch in an order that is
	// neither sorted nor the one asked in, the same each time.
	Shuffle bool `json:"shuffle"`
	// StaleReads is how many reads of a branch's head after a commit still answer the one before.
	StaleReads int `json:"stale_reads"`

	// Oid is how preupload writes the oid of a path that the revision has not.
	Oid OidForm `json:"oid"`
	// Ignore has glob patterns of paths that preupload answers shouldIgnore for.
	Ignore []string `json:"ignore"`
	// LFSFrom is the size in bytes from which any file is kept by LFS (10 MiB).
	LFSFrom int64 `json:"lfs_from"`

	// MultipartFrom is the size in bytes from which objects are uploaded in parts
	// (16,000,001), PartSize the size of a part (16,000,000).
	MultipartFrom int64 `json:"multipart_from"`
	PartSize      int64 `json:"part_size"`
	// ScatterParts writes the keys of an upload's parts out of order.
	ScatterParts bool `json:"scatter_parts"`
	// NoTransfer leaves "transfer" out of batch answers, NoVerify the verify action.
	NoTransfer bool `json:"no_transfer"`
	NoVerify   bool `json:"no_verify"`

	// UploadLifetime is how long a signed upload URL works (15 min), DownloadLifetime
	// a signed download URL (1 h).
	UploadLifetime   time.Duration `json:"upload_lifetime_ns"`
	DownloadLifetime time.Duration `json:"download_lifetime_ns"`
	// Direct answers resolve of regular files with their bytes, not with a 307.
	Direct bool `json:"direct"`
	// ETag is the form of the ETag of downloads.
	ETag ETagForm `json:"etag"`

	// APIQuota and ResolverQuota are requests a window, CommitQuota commits an hour
	// and repo; 0 is no limit. Window is the window's length (5 min).
	APIQuota      int           `json:"api_quota"`
	ResolverQuota int           `json:"resolver_quota"`
	CommitQuota   int           `json:"commit_quota"`
	Window        time.Duration `json:"window_ns"`
	// Latency passes before every answer.
	Latency time.Duration `json:"latency_ns"`

	// Renamed has old names of repos: what asks for one is sent to the new name.
	Renamed map[string]string `json:"renamed"`
}

func defaultSettings() Settings {
	return Settings{
		PageSize: 1000, ExpandPageSize: 50,
		LFSFrom: 10 << 20, MultipartFrom: 16_000_001, PartSize: 16_000_000,
		UploadLifetime: 15 * time.Minute, DownloadLifetime: time.Hour,
		Window: 5 * time.Minute,
	}
}

// LinkForm is a way to write the Link header of a page that is not the last.
type LinkForm string

const (
	LinkAbsolute LinkForm = ""         // the whole URL, as the Hub does
	LinkRelative LinkForm = "relative" // path and query alone
	LinkForeign  LinkForm = "foreign"  // on another host: the storage's, which no token may reach
	LinkRepeated LinkForm = "repeated" // the page that it comes with, for ever
	LinkSeveral  LinkForm = "several"  // among other relations, in the same and in another header line
)

// OidForm is a way to say in a preupload answer that the path is new.
type OidForm string

const (
	OidAbsent OidForm = ""     // no oid key
	OidNull   OidForm = "null" // "oid":null
	OidHidden OidForm = "hide" // no oid key, not even where the path has one
)

// ETagForm is a way to write the ETag of a downloaded file.
type ETagForm string

const (
	ETagStrong ETagForm = ""     // "…"
	ETagWeak   ETagForm = "weak" // W/"…"
	ETagNone   ETagForm = "none" // no ETag
)
