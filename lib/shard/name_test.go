package shard

import "testing"

func TestNames(t *testing.T) {
	path := "data/2026/07/CC-NEWS-20260701022501-08467.parquet"
	if got, err := Path(archive); got != path || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Archive(path); got != archive || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{
		"", "CC-NEWS-20260701022501-08467.warc.gz", "/" + archive, archive + "/", "crawl-data/CC-NEWS/2026/7/CC-NEWS-1.warc.gz",
		"crawl-data/CC-NEWS/2026/07/../CC-NEWS-1.warc.gz", "crawl-data/CC-NEWS/2026/07/CC-NEWS-1/x.warc.gz", "crawl-data/CC-MAIN-2026-25/segments/1/warc/x.warc.gz",
	} {
		if got, err := Path(bad); err == nil {
			t.Errorf("%q has the shard %q", bad, got)
		}
	}
	for _, bad := range []string{"", archive, "x/" + path, path + "/x", "data/2026/07/other.parquet"} {
		if got, err := Archive(bad); err == nil {
			t.Errorf("%q is of archive %q", bad, got)
		}
	}
}
