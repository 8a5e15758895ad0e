# For other engines (doc/scaling.md): --list, --one and --commit.

# names: of the archives without a shard.
names() {
  local key
  enter "$1"
  if [[ -z $month ]]; then return; fi
  missing
  if [[ -n $files ]]; then todo=("${todo[@]:0:files}") && files=$((files - ${#todo[@]})); fi
  for key in "${todo[@]}"; do archive "$key"; done
}

# one: for other engines; what build leaves in staging is uploaded.
one() {
  local key=${name#crawl-data/CC-NEWS/} status
  key=${key%.warc.gz}
  mkdir -p "$work/line/${key%/*}" "$work/why/${key%/*}" "$staging/data/${key%/*}" || fail 3 "$staging: the staging folder cannot be made"
  claim 3
  build "$key" >"$work/result" &
  wait "$!" # which a signal ends
  read -r status _ <"$work/result"
  if ((status > 0)); then fail "$status" "$name: $(why "$key")"; fi
  harmed "$key"
  hub hf-put -q --upload-only --repo "$repo" "$(staged "$key")=data/$key.parquet" >/dev/null || status=$?
  if ((status > 0)); then fail "$((status == 75 ? 75 : 3))" "$name: not uploaded"; fi
  cat "$work/line/$key"
  rm -f "$(staged "$key")"
}

# keep LINE: a line of --one; prints its key. Fails if it is none.
keep() {
  local m key
  [[ $1 =~ ^\{\"path\":\"data/([0-9]{4}/[0-9]{2})/([^\"/]+)\.parquet\",\"sha256\":\"[0-9a-f]{64}\",\"parquet_bytes\":[0-9]+, ]] ||
    fail 1 "not a line of --one: ${1:0:100}"
  m=${BASH_REMATCH[1]} key=$m/${BASH_REMATCH[2]}
  own "$key" "$1" || fail 1 "data/$key.parquet: its line does not say that it is the whole of $(archive "$key"): ${1:0:100}"
  mkdir -p "$work/line/$m" && printf '%s\n' "$1" >"$work/line/$key" && echo "$key"
}

# commit_lines: commits the shards whose lines come from stdin. What is no such line
# is named, and the others are committed.
commit_lines() {
  local line part='' status=0 key keys=()
  while ((status == 0 || status > 128)); do
    status=0
    IFS= read -r -t 5 line || status=$?
    part+=$line
    if ((status == 0)); then
      if key=$(keep "$part"); then keys+=("$key"); else failed=true; fi
      part=''
    fi
    if ((${#keys[@]} >= every)) || ((${#keys[@]} > 0 && (status == 1 || SECONDS - commit_time >= 900))); then
      commit_keys "${keys[@]}"
      keys=()
    fi
  done
  [[ -z $part ]] || fail 1 "stdin: its last line does not end"
}

# commit_keys KEY…: a commit for each month.
commit_keys() {
  local m key
  for m in $(printf '%s\n' "${@%/*}" | sort -u); do
    [[ $m == "$month" ]] || enter "$m"
    if [[ -z $month ]]; then error "$m: its shards are not committed" && continue; fi
    pending=()
    for key in "$@"; do
      if [[ $key == "$m"/* ]]; then pending+=("$key"); fi
    done
    commit
    say "$m: ${#there[@]} of ${#list[@]} shards are in $repo"
  done
  name_lost
}
