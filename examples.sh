#!/usr/bin/env bash
# Runs every command line of the README, in its order, and fails if one fails.
# Nothing is fetched: the sample archive stands in for every archive.
set -euo pipefail

repo=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$repo/bin:$repo/scripts:$PATH

# `make install PREFIX=~/…` must not touch the user's home, and Go must find its caches.
GOPATH=$(go env GOPATH) GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE)
export GOPATH GOCACHE GOMODCACHE
mkdir "$work/home"
export HOME=$work/home

# What stands in for the world.
sample=$repo/testdata/CC-NEWS-20260701000000-00001.warc.gz
export CC_BASE=$work/archives CCRAWL_NEWS_REPO=$work/index
curl() {
  local url=${*: -1} to=/dev/stdout
  [[ $url == https://data.commoncrawl.org/crawl-data/CC-NEWS/*.warc.gz ]] || { echo "no stand-in for $url" >&2 && return 6; }
  [[ " $* " != *' -sO '* ]] || to=${url##*/}
  cat "$sample" >"$to"
}
git() { ln -s "$repo" ccnews; }
make() {
  [[ $* != test ]] || return 0 # it runs this
  command make -C "$repo" "$@"
}

run() {
  printf '$ %s\n' "$1"
  local status=0
  cd "$work"
  eval "$1" </dev/null >"$work/out" 2>&1 || status=$?
  # 141: a command whose reader had enough, such as head.
  if ((status != 0 && status != 141)); then
    cat "$work/out"
    echo "examples.sh: exit status $status" >&2
    exit 1
  fi
  ((++count))
}

while read -r name; do
  mkdir -p "$CC_BASE/${name%/*}"
  cp "$sample" "$CC_BASE/$name"
done < <(echo "crawl-data/CC-NEWS/2026/07/${sample##*/}" && grep -oE '\bcrawl-data/CC-NEWS/[0-9]{4}/[0-9]{2}/[A-Za-z0-9.-]+\.warc\.gz' "$repo/README.md")

# The month's list of archives, and an index that has one of them.
(cd "$CC_BASE" && find crawl-data -name '*.warc.gz' | sort | gzip >crawl-data/CC-NEWS/2026/07/warc.paths.gz)
mkdir -p "$CCRAWL_NEWS_REPO/data/2026/07"
warc-records "$sample" | record-index | jsonl2parquet -o "$CCRAWL_NEWS_REPO/data/2026/07/$(basename "$sample" .warc.gz).parquet"

# A command goes on in the next line until bash can read it as a whole.
whole() { [[ $1 != *\\ ]] && bash -n <<<"$1" 2>/dev/null; }
missing() { [[ $1 =~ (^|[[:space:]])jq[[:space:]] && ${CI-} != true ]] && ! command -v jq >/dev/null; }

count=0 command='' in_block=false
while IFS= read -r line <&3; do
  if [[ $line == '```sh' ]]; then
    in_block=true
  elif [[ $line == '```' ]]; then
    in_block=false
    [[ -z $command ]] || { echo "examples.sh: unfinished: $command" >&2 && exit 1; }
  elif $in_block && [[ -n $command || -n ${line%%#*} ]]; then
    command+=${command:+$'\n'}$line
    whole "$command" || continue
    if missing "$command"; then
      printf '$ %s\nNOT run: jq is not installed\n' "$command"
    else
      run "$command"
    fi
    command=''
  fi
done 3<"$repo/README.md"
((count > 0)) || { echo 'examples.sh: README.md has no commands' >&2 && exit 1; }
echo "examples.sh: $count command lines of the README ran"
