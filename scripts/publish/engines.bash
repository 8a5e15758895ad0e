# Who makes the shards: processes here, or other machines. An engine takes keys, and
# answers each with "STATUS KEY" or a line of shard-stats.

# start: the engine, which reads keys from fd 3 and writes results to fd 4. Whoever ends
# the run ends what $work/engine names.
start() {
  rm -f "$work/feed" "$work/results"
  mkfifo "$work/feed" "$work/results"
  if [[ -z $sshlogin ]]; then
    export -f build stage judge inspect own archive staged last
    export work staging tries cores base
    # shellcheck disable=SC2016 # the builder's own $1
    xargs -r -P "$jobs" -n 1 bash -c 'build "$1"' build <"$work/feed" >"$work/results" &
  else
    hosts <"$work/feed" >"$work/results" &
  fi
  engine=$!
  echo "$engine" >"$work/engine"
  exec 3>"$work/feed" 4<"$work/results"
}

# hosts: news-publish --one on other machines. A machine that cannot (3, or one that
# cannot be reached) has another one try.
hosts() {
  local command value
  printf -v command '%q ' news-publish -q --repo "$repo" --jobs "$jobs" --tries "$tries" --one
  for value in CC_BASE HF_ENDPOINT; do
    if [[ -n ${!value:-} ]]; then printf -v command '%s=%q %s' "$value" "${!value}" "$command"; fi
  done
  # shellcheck disable=SC2016 # for the other machine
  command+='crawl-data/CC-NEWS/{}.warc.gz || { s=$?; [ $s = 1 ] || [ $s = 75 ] || {
    echo "news-publish: $PARALLEL_SSHLOGIN: status $s: {}" >&2; exit $s; }; echo $s {}; }'
  # -u: else what a try says that is made again is lost. Lines of one write do not mix.
  exec parallel --plain -u --sshlogin "$sshlogin" -j "$jobs" --retries "$(($(tr -cd , <<<"$sshlogin" | wc -c) + 1))" "$command"
}
