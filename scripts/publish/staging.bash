# The staging folder, where finished shards wait for their commit.

staged() { echo "$staging/data/$1.parquet"; }

# claim STATUS: staging holds shards of the archives of one base, or else those of
# another base would be taken for ours. Which one is in its file .base, which is
# locked for as long as we run: another base can have the folder if nobody uses it and
# no shard is in it. Fails with STATUS.
claim() {
  local ours theirs
  ours=$(in_one_way "$base")
  exec 5>>"$staging/.base" || fail "$1" "$staging: the staging folder cannot be written to"
  if flock -n -x 5; then
    same_base "$1"
    echo "$ours" >"$staging/.base" || fail "$1" "$staging/.base cannot be written"
  fi
  flock -s 5 || fail "$1" "$staging: the staging folder cannot be locked: take another --staging"
  theirs=$(<"$staging/.base")
  if [[ $theirs != "$ours" ]]; then
    same_base "$1"
    fail "$1" "$staging: a run for the archives of $theirs uses it, and CC_BASE says $ours: take another --staging"
  fi
}

# same_base STATUS: fails if staging holds shards of another base. A folder without
# the file is of a time when there was only the default.
same_base() {
  local ours theirs
  [[ -n $(find "$staging/data" -name '*.parquet' -print -quit 2>/dev/null) ]] || return 0
  ours=$(in_one_way "$base")
  theirs=$(cat "$staging/.base" 2>/dev/null) || true
  : "${theirs:=$default_base}"
  [[ $theirs == "$ours" ]] ||
    fail "$1" "$staging: shards of the archives of $theirs are staged there, and CC_BASE says $ours: take another --staging"
}

# in_one_way BASE: a folder can be written in many.
in_one_way() { if is_url "$1"; then echo "$1"; else readlink -m -- "${1#file:}/"; fi; }

# lock: a staging folder serves one run at a time.
lock() {
  local owner tries=0
  mkdir -p "$staging" 2>/dev/null || fail 1 "$staging: the staging folder cannot be made"
  [[ -w $staging ]] || fail 1 "$staging: the staging folder cannot be written to"
  until ln -sT "$$" "$staging/.lock" 2>"$work/lock"; do
    if ! owner=$(readlink "$staging/.lock"); then # gone by now, or it cannot be
      [[ ! -e $staging/.lock ]] || fail 1 "$staging/.lock is no lock of ours: take it away, or take another --staging"
      ((tries++ < 20)) || fail 1 "$(last "$work/lock"): take another --staging"
      sleep 0.05
      continue
    fi
    if [[ $owner != "$$" ]] && kill -0 "$owner" 2>/dev/null && grep -qs news-publish "/proc/$owner/cmdline"; then
      fail 75 "$staging: process $owner publishes from there: wait for it, or take another --staging"
    fi
    rm -f "$staging/.lock" # of a run that was killed
  done
  locked=true
}

# adopt: finished shards of an earlier run become pending, and leave todo. What
# else there is of the month in staging was committed, or was never whole.
adopt() {
  local file key version='' left=()
  declare -A wanted=()
  for key in "${todo[@]}"; do wanted[$key]=1; done
  mkdir -p "$work/line/$month"
  for file in "$staging/data/$month"/.*.tmp "$staging/data/$month"/*.parquet; do
    key=$month/${file##*/} key=${key%.parquet}
    [[ -e $file ]] || continue
    if [[ $file == *.parquet && -n ${wanted[$key]:-} ]]; then
      : "${version:=$(index_version)}"
      if inspect "$key" "$work/line/$key" 2>/dev/null && [[ $(version <"$work/line/$key") == "$version" ]]; then
        pending+=("$key") && unset "wanted[$key]"
        continue
      fi
      say "$(archive "$key"): its staged shard is damaged, old, or not its own: it is made again"
    fi
    [[ $mode == dry ]] || rm -f "$file" "$work/line/$key"
  done
  for key in "${todo[@]}"; do
    if [[ -n ${wanted[$key]:-} ]]; then left+=("$key"); fi
  done
  todo=("${left[@]}")
}

# room: a shard takes some 3 MB in staging, and sorting its rows more for a while.
room() {
  local shards=$((${#todo[@]} < jobs + every ? ${#todo[@]} : jobs + every)) folder free
  local need=$(((shards * 8 + jobs * 64) << 20))
  for folder in "$staging" "$work"; do
    free=$(df --output=avail -B1 -- "$folder" | sed -n '$p') || return 0
    ((free >= need)) ||
      fail 1 "$folder: $((need >> 20)) MiB of disk are needed and $((free >> 20)) MiB are free: make room, or lower --commit-every"
  done
}
