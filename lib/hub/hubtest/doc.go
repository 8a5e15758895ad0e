// Package hubtest is a dataset hub that tests start for themselves: the part of
// the Hugging Face Hub's HTTP protocol that uploading, listing and reading a
// dataset repo needs, with real git ids, signed URLs that expire, and every
// failure that the public reports tell of, on demand.
//
// A [Hub] is two HTTP origins over one state: the hub with its API, and the
// storage that uploads go to and downloads come from. They differ by port alone,
// which is what shows a client that takes its token along to the storage.
//
//	hub := hubtest.Start(t)
//	hub.Put("me/demo", "data/a.parquet", content)
//	hub.Fail(hubtest.Fault{On: hubtest.Match{Route: hubtest.RouteCommit}, Do: hubtest.ApplyThenDrop})
//	... run the client against hub.Endpoint() with hub.Token() ...
//	if n := len(hub.Commits("me/demo", "main")); n != 3 { ... }
//
// How the hub answers when nothing is wrong is set in [Settings]; what goes wrong,
// where and how often is a [Fault]. What came in is in [Hub.Requests].
//
// Written from the public documentation (https://huggingface.co/docs/hub/api), the
// Git LFS batch API (https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md)
// and what the official clients send and accept. compat/hub.mjs has the official
// JavaScript client use it.
package hubtest
