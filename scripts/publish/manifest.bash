# The month's list of archives. They and their shards are known by their key, such as
# 2026/07/CC-NEWS-X.

list=() # the keys of all archives of the month
default_base=https://data.commoncrawl.org
base=${CC_BASE:-$default_base} base=${base%/} # where the archives are

archive() { echo "crawl-data/CC-NEWS/$1.warc.gz"; }
is_url() { [[ $1 == http://* || $1 == https://* ]]; }

# manifest MONTH: the names of the month's archives, from where these are. Its status is
# 1 if they cannot be read, 75 if that passes.
manifest() {
  local where=$base/crawl-data/CC-NEWS/$1/warc.paths.gz code=0 status=0
  if is_url "$base"; then
    code=$(curl -sSL --retry "$((tries - 1))" --connect-timeout 30 --max-time 300 -o "$work/paths.gz" -w '%{http_code}' "$where" 2>"$work/curl") || status=$?
    case $status:$code in
      0:200) ;;
      0:404) miss 1 "$1: there is no such month: $where answers 404" ;;
      0:403 | 0:408 | 0:429 | 0:5??) miss 75 "$1: the list of archives cannot be read: $where answers $code: try later" ;;
      0:*) miss 1 "$1: the list of archives cannot be read: $where answers $code" ;;
      [1-4]:* | 23:* | 27:*) miss 1 "$1: the list of archives cannot be read: $(last "$work/curl")" ;;
      *) miss 75 "$1: the list of archives cannot be read: $where: $(last "$work/curl"): try later" ;;
    esac || return
  else
    where=${where#file:}
    [[ -e $where ]] || miss 1 "$1: there is no such month: $where does not exist" || return
    cp -- "$where" "$work/paths.gz" || miss 1 "$1: the list of archives cannot be read" || return
  fi
  gzip -dc <"$work/paths.gz" 2>/dev/null | LC_ALL=C sort -u >"$work/paths" || miss 1 "$1: the list of archives is damaged: $where" || return
  if [[ ! -s $work/paths ]] || grep -qvE "^crawl-data/CC-NEWS/$1/[0-9A-Za-z._-]+\.warc\.gz\$" "$work/paths"; then
    miss 1 "$1: not a list of the month's archives: $where" || return
  fi
  mapfile -t list < <(sed 's|^crawl-data/CC-NEWS/||; s|\.warc\.gz$||' "$work/paths")
}
