# What is still to be made.

todo=()

# missing: todo, the keys without a shard, and pending, those that wait in staging.
missing() {
  local key
  todo=()
  if $rebuild; then outdated; fi
  for key in "${list[@]}"; do
    [[ -n ${there[$key]:-} ]] || todo+=("$key")
  done
}

# outdated: takes shards away from what is there that are to be made again: those of
# another version of the index, and those that are not the whole of their archive.
outdated() {
  local version line key
  declare -A fresh=()
  version=$(index_version)
  load || fail $? "$month: the repository cannot be read"
  while IFS= read -r line; do
    key=${line#'{"path":"data/'} key=${key%%.parquet\"*}
    if [[ $line == *'"index_version":'"$version",* ]] && own "$key" "$line"; then fresh[$key]=1; fi
  done <"$work/lines"
  for key in "${!there[@]}"; do
    [[ -n ${fresh[$key]:-} ]] || unset "there[$key]"
  done
}

# index_version: of the shards that are made here.
index_version() {
  echo '{"_end":{"warc_filename":"x","bytes":0,"members":0,"records":0,"responses":0,"damaged":0,"rows":0}}' |
    jsonl2parquet -q --require-end -o "$work/empty.parquet"
  shard-stats -q "$work/empty.parquet" | version
}
version() { sed -n 's/.*"index_version":\([0-9]*\).*/\1/p'; }
