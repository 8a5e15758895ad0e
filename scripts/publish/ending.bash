# However it ends.

watcher=''

# leave: what is done at any end that can be. Finished shards stay.
leave() {
  set +e # one thing that fails keeps no other
  if [[ -n $watcher ]]; then kill "$watcher" 2>/dev/null || true; fi
  clear_away
  if $locked; then rm -f "$staging/.lock"; fi
}

# clear_away: ends what still runs, and takes away what nobody needs.
clear_away() {
  local pid
  for pid in "$work/engine" "$work"/build.*/pid-*; do
    if [[ -s $pid ]]; then kill "$(<"$pid")" 2>/dev/null || true; fi
  done
  # What is being written there ends in a moment.
  rm -rf -- "$work" 2>/dev/null || { sleep 0.5 && rm -rf -- "$work"; }
}

# watch: has a process clear away when this one was killed and could not. The lock
# stays: the next run sees that its owner is gone, and may have it by now.
watch() {
  { tail --pid="$$" -f /dev/null && clear_away; } </dev/null >/dev/null 2>&1 &
  watcher=$!
}

stopped() {
  if $locked; then say "stopped: finished shards wait in $staging, and the same command goes on"; fi
  exit "$1"
}
