# One archive becomes one shard. The local engine runs this in processes of its own:
# it exports these functions and all that they use.

# last FILE: what a command said last, without its own name.
last() { sed -n '$s/^[a-z0-9-]*: //p' "$1"; }

# build KEY: makes a shard in the staging folder and leaves its line in
# $work/line. Prints "STATUS KEY": 0; 1 the archive is unfit; 75 try later; 3 this
# machine cannot. Why is in $work/why, and with 0 that the archive ends too early.
# Whoever ends the run ends what $tmp/pid-* name.
build() {
  local key=$1 tmp=$work/build.$BASHPID status=0 pipe=(0 0 0)
  if ! { mkdir "$tmp" && echo "$BASHPID" >"$tmp/pid-0"; }; then
    echo "3 $key" && return
  fi
  stage w warc-records -q --allow-damage --tries "$tries" -j "$cores" --filename "$(archive "$key")" "$base/$(archive "$key")" |
    stage r record-index -q -j "$cores" |
    stage p jsonl2parquet -q --require-end -o "$(staged "$key")" || pipe=("${PIPESTATUS[@]}")
  judge "$key" "${pipe[@]}" || status=$?
  rm -rf "$tmp"
  echo "$status $key"
}
stage() { # NAME COMMAND…
  echo "$BASHPID" >"$tmp/pid-$1" && exec "${@:2}" 2>"$tmp/$1"
}

# judge KEY W R P: what the statuses of the three commands mean.
judge() {
  local key=$1 w=$2 r=$3 p=$4 status=0 why=w
  if ((p == 0)); then
    inspect "$key" "$work/line/$key" 2>"$tmp/p" || { why=p && status=3; }
    if ((status == 0)) && grep -q '"responses":0,' "$work/line/$key"; then
      rm -f "$(staged "$key")" "$work/line/$key"
      status=1 && echo 'x: there is no response in it' >"$tmp/w"
    fi
  elif grep -qiE 'no space left|file too large|quota' "$tmp"/[wrp]; then
    status=3 why=p
  elif ((w == 1)) || { ((w == 75)) && grep -qE 'given up after .*: (403 .*|EOF|unexpected EOF)$' "$tmp/w"; }; then
    status=1
  elif ((w == 75)); then
    status=75
  elif ((w == 0 && r == 1)); then
    status=1 why=r
  else
    status=3 why=p
  fi
  if ((status > 0)); then
    last "$tmp/$why" >"$work/why/$key"
  elif grep -q ': input ends inside a record$' "$tmp/w"; then
    echo 'it ends inside a record, and what follows is missing' >"$work/why/$key"
  fi
  return "$status"
}

# inspect KEY LINE: checks a staged shard, and writes its line of shard-stats.
inspect() {
  shard-stats -q --prefix "data/${1%/*}" "$(staged "$1")" >"$2" || return
  own "$1" "$(<"$2")" || {
    echo "x: $(staged "$1"): its footer does not say that it is the whole of $(archive "$1"): take it away" >&2
    return 1
  }
}

# own KEY LINE: the shard says of itself that it is the whole of its archive.
own() { [[ $2 == *',"complete":true,'* && $2 == *",\"warc_filename\":\"$(archive "$1")\""[,}]* ]]; }
