# The files of a commit: shards, the month's stats, the ledgers and the card.

# json TEXT: as a string of JSON. Names of files have no control characters here.
json() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# addition KEY: the line by which hf-put takes a shard: a file, or an object that
# is stored already, as all are whose lines come from elsewhere.
addition() {
  if [[ $mode != commit && -e $(staged "$1") ]]; then
    printf '{"local":%s,"path":%s}\n' "$(json "$(staged "$1")")" "$(json "data/$1.parquet")"
  else
    sed -E 's/^(\{"path":"[^"]*","sha256":"[0-9a-f]{64}"),"parquet_bytes":([0-9]+),.*/\1,"size":\2}/' "$work/line/$1"
  fi
}

# compose: the month's lines as they are to be, and all that goes into the commit.
# What fails half-way, on a full disk say, must not be committed.
compose() {
  local key line
  declare -A new=()
  for key in "${pending[@]}"; do new[$key]=1; done
  {
    while IFS= read -r line; do
      key=${line#'{"path":"data/'}
      [[ -n ${new[${key%%.parquet\"*}]:-} ]] || printf '%s\n' "$line"
    done <"$work/lines"
    if ((${#pending[@]} > 0)); then cat "${pending[@]/#/$work/line/}"; fi
  } | LC_ALL=C sort >"$work/new" || return
  : >"$work/put" || return
  for key in "${pending[@]}"; do addition "$key" >>"$work/put" || return; done
  printf '{"local":%s,"path":"stats/%s.jsonl"}\n' "$(json "$work/new")" "$month" >>"$work/put" || return
  rm -rf "$work/card"
  dataset-card -q --repo "$(branchless)" --base "$work/base" -o "$work/card" --total "$month=${#list[@]}" "$@" <"$work/new" >>"$work/put"
}
