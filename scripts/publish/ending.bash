# However it ends.

# leave: ends what still runs, and takes away what nobody needs. Finished shards stay.
leave() {
  local pid
  if [[ -n $engine ]]; then kill "$engine" 2>/dev/null || true; fi
  for pid in "$work"/build.*/pid-*; do
    if [[ -s $pid ]]; then kill "$(<"$pid")" 2>/dev/null || true; fi
  done
  if $locked; then rm -f "$staging/.lock"; fi
  rm -rf "$work"
}

stopped() {
  if $locked; then say "stopped: finished shards wait in $staging, and the same command goes on"; fi
  exit "$1"
}
