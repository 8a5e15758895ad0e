package shard

import "github.com/open-index/ccnews/lib/ccindex/ccindextest"

const archive = ccindextest.Archive

var newsRows = ccindextest.News

func ref[T any](v T) *T { return &v }
