# What is said on stderr. On a terminal the progress is a line that each message takes
# away.

shown=false quiet=false spoke=0

error() {
  if $shown; then printf '\r\033[K' >&2; fi
  shown=false
  echo "news-publish: $*" >&2 || true # stderr may be closed
}
say() { $quiet || error "$@"; }
fail() { # STATUS MESSAGE
  error "${@:2}"
  exit "$1"
}
miss() { # STATUS MESSAGE: what ends no run
  error "${@:2}"
  return "$1"
}
usage() {
  echo "news-publish: $*" >&2
  echo "news-publish: try 'news-publish --help'" >&2
  exit 2
}

# progress: on a terminal a line that is written again, else one each 30 s.
progress() {
  local text open=$((${#todo[@]} + outstanding)) seconds=$((SECONDS - began + 1)) eta=-
  if $quiet || { [[ ! -t 2 ]] && ((SECONDS - spoke < 30)); }; then return; fi
  spoke=$SECONDS
  if ((built > 0)); then eta=$((open * seconds / built / 60))m; fi
  text="$month: shards: $built made, $open left, ${#unfit[@]} unfit; $((bytes / seconds / 1000000)) MB/s, $rows rows, ETA $eta"
  if [[ ! -t 2 ]]; then
    say "$text"
  else
    printf '\r\033[K%s' "$text" >&2
    shown=true
  fi
}
