package shard

import (
	"fmt"
	"regexp"
)

var (
	archiveName = regexp.MustCompile(`^crawl-data/CC-NEWS/([0-9]{4})/([0-9]{2})/(CC-NEWS-[^/]+)\.warc\.gz$`)
	shardPath   = regexp.MustCompile(`^data/([0-9]{4})/([0-9]{2})/(CC-NEWS-[^/]+)\.parquet$`)
)

// Path is where an archive's shard lies in a repo (design section 3):
// data/YYYY/MM/CC-NEWS-X.parquet for crawl-data/CC-NEWS/YYYY/MM/CC-NEWS-X.warc.gz.
func Path(archive string) (string, error) {
	m := archiveName.FindStringSubmatch(archive)
	if m == nil {
		return "", fmt.Errorf("%q is not the name of a CC-NEWS archive", archive)
	}
	return "data/" + m[1] + "/" + m[2] + "/" + m[3] + ".parquet", nil
}

// Archive is the name of the archive whose shard lies at path; the reverse of
// [Path].
func Archive(path string) (string, error) {
	m := shardPath.FindStringSubmatch(path)
	if m == nil {
		return "", fmt.Errorf("%q is not the path of a CC-NEWS shard", path)
	}
	return "crawl-data/CC-NEWS/" + m[1] + "/" + m[2] + "/" + m[3] + ".warc.gz", nil
}
