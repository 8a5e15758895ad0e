# Batches: the shards that wait for their commit, and how they get into the repository.

pending=() # keys; each has its line in $work/line
committed=0 commit_time=0 lost=()

# commit [--unfit…]: puts the pending shards into the repository, with all that is
# counted, in one commit on the head that was read. If the repository moved on,
# everything is counted again from its new head.
commit() {
  local try status key
  for ((try = 1; try <= 20; try++)); do
    status=0
    load || status=$?
    if ((status == 0)); then
      compose "$@" || fail 1 "$month: the ledgers cannot be made; nothing is lost: finished shards wait in $staging"
      put || status=$?
    fi
    case $status in
      0)
        landed || fail 1 "$month: committed; the run cannot go on: the same command does"
        return
        ;;
      4) say "$month: somebody else has committed: counting again" ;;
      5) ;;
      1)
        if ! local_repo || ! moved; then fail 1 "$month: not committed; finished shards wait in $staging"; fi
        ;;
      *) fail "$status" "$month: not committed yet; finished shards wait in $staging: run the same command again later" ;;
    esac
    sleep "$((RANDOM % 2)).$((RANDOM % 10))"
    look
  done
  fail 75 "$month: others commit all the time: try later"
}

# moved: a folder that another run changed while its files were read.
moved() { [[ $(hf-ls -q --head --repo "$repo" 2>/dev/null) != "$head" ]]; }

# put: 0; 4 if the head is another; 5 if the store has lost objects, which are not
# pending any more.
put() {
  local options=(--tries "$tries" --batch 1000 --parent "$head" -m "$month: ${#pending[@]} shards") status=0 key
  if $wait; then
    hf-put --wait --repo "$repo" "${options[@]}" <"$work/put" 2>&1 >"$work/landed" | tee "$work/hub" >&2 || status=$?
  else
    hf-put -q --repo "$repo" "${options[@]}" <"$work/put" >"$work/landed" 2>"$work/hub" || status=$?
  fi
  if ((status == 0 || status == 4)); then return "$status"; fi
  local before=${#lost[@]} kept=()
  for key in "${pending[@]}"; do
    if grep -qF "data/$key.parquet: the store does not have the object" "$work/hub"; then lost+=("$key"); else kept+=("$key"); fi
  done
  if ((${#lost[@]} > before)); then
    pending=("${kept[@]}")
    return 5
  fi
  $wait || cat "$work/hub" >&2
  return "$status"
}

# landed: the head is our commit, and what it holds needs no staging any more.
landed() {
  local key gone=()
  head=$(sed -n '1s/.*"commit":"\([0-9a-f]*\)".*/\1/p' "$work/landed")
  [[ -n $head ]] && mv "$work/new" "$work/lines" && cp "$work/card/stats.csv" "$work/card/languages.csv" "$work/base/" || return
  for key in "${pending[@]}"; do
    there["$key"]=1 gone+=("$staging/data/$key.parquet")
  done
  if ((${#pending[@]} > 0)); then rm -f "${pending[@]/#/$work/line/}" "${gone[@]}"; fi
  committed=$((committed + ${#pending[@]}))
  pending=()
  commit_time=$SECONDS
}

# name_lost: the shards that are to be made again.
name_lost() {
  local key
  if ((${#lost[@]} == 0)); then return; fi
  for key in "${lost[@]}"; do error "$(archive "$key"): the store has lost its shard: make it again"; done
  lost=() failed=true
}
