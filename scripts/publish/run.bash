# The run of a month: an engine is fed, what comes back is committed in batches.

unfit=() later=()
built=0 outstanding=0 bytes=0 rows=0

publish() {
  local partial=false
  enter "$1"
  if [[ -z $month ]]; then return; fi
  missing
  adopt
  unfit=() later=() built=0 outstanding=0 committed=0 bytes=0 rows=0 began=$SECONDS commit_time=$SECONDS
  if ((${#todo[@]} + ${#pending[@]} == 0)) && ! $recount; then
    say "$month: complete: ${#list[@]} shards"
    return
  fi
  if [[ -n $files ]]; then
    if ((${#todo[@]} > files)); then todo=("${todo[@]:0:files}") partial=true; fi
    files=$((files - ${#todo[@]}))
  fi
  say "$month: ${#list[@]} archives, ${#there[@]} shards in $repo, ${#pending[@]} wait in staging, ${#todo[@]} to make"
  if [[ $mode == dry ]]; then pending=() && return; fi
  room
  may_write
  if ((${#todo[@]} > 0)); then run; fi
  finish
}

# run: makes and commits all of todo.
run() {
  local line part='' status
  mkdir -p "$work/line/$month" "$work/why/$month" "$staging/data/$month"
  start
  while :; do
    if ((${#pending[@]} >= every)) || ((${#pending[@]} > 0 && SECONDS - commit_time >= 900)); then commit; fi
    feed
    ((outstanding > 0)) || break
    progress
    status=0
    IFS= read -r -t 1 -u 4 line || status=$?
    if ((status == 0)); then
      took "$part$line"
      part=''
    elif ((status > 128)); then
      part+=$line # its end comes later
    else
      break
    fi
  done
  exec 3>&- 4<&-
  wait "$engine" || true
  rm "$work/engine"
  ((outstanding == 0)) || unmade
}

# feed: has more archives read, as long as finished and unfinished shards together
# are no more than jobs and a batch. Other machines get all at once.
feed() {
  local key window=$((jobs + every - ${#pending[@]}))
  if [[ -n $sshlogin ]]; then window=$((outstanding + ${#todo[@]})); fi
  while ((${#todo[@]} > 0 && outstanding < window)); do
    key=${todo[0]} todo=("${todo[@]:1}")
    if ! $rebuild && [[ -n ${there[$key]:-} ]]; then continue; fi # somebody else has made it by now
    echo "$key" >&3
    outstanding=$((outstanding + 1))
  done
  if ((${#todo[@]} == 0)); then exec 3>&-; fi
}

# took LINE: what became of an archive.
took() {
  local status=${1%% *} key=${1#* }
  if [[ $1 == '{'* ]]; then
    status=0
    key=$(keep "$1") # or the run ends: a machine answers nonsense
  fi
  outstanding=$((outstanding - 1))
  case $status in
    0) count "$key" ;;
    1) unfit+=("$key") && error "$(archive "$key"): unfit: $(why "$key")" ;;
    75) later+=("$key") && error "$(archive "$key"): not now: $(why "$key")" ;;
    *) fail 1 "$(archive "$key"): $(why "$key"); finished shards wait in $staging" ;;
  esac
}
why() { cat "$work/why/$1" 2>/dev/null || echo 'see above'; }

# count KEY: one more that waits for its commit.
count() {
  local line
  line=$(<"$work/line/$1")
  pending+=("$1")
  built=$((built + 1))
  bytes=$((bytes + $(number bytes "$line")))
  rows=$((rows + $(number rows "$line")))
  harmed "$1"
}

# harmed KEY: says how the archive of a shard is damaged. One that ends too early is
# published like others: its rest may never have been there.
harmed() {
  local damaged text
  damaged=$(number damaged "$(<"$work/line/$1")")
  if ((damaged == 0)); then return; fi
  text="$(archive "$1"): $damaged damaged places"
  if [[ -e $work/why/$1 ]]; then
    text+=": $(why "$1"). If its copy was not finished: hf-put --repo $(branchless) --delete data/$1.parquet, and the same command once it is"
  fi
  say "$text"
}

# number KEY LINE: a count of a line of shard-stats, 0 if it has none.
number() { [[ $2 =~ [,{]\"$1\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0; }

# unmade: the engine ended before its work did.
unmade() {
  [[ -n $sshlogin ]] || fail 1 "$month: the builders ended; finished shards wait in $staging"
  error "$month: $outstanding archives: no machine could make their shards"
  failed=true
}

# left: how many archives have no shard and are not unfit either: those whose server
# failed, those that --files left out, and those that no machine could make.
left() {
  local key n=0
  declare -A settled=()
  for key in "${!there[@]}" "${unfit[@]}"; do settled[$key]=1; done
  for key in "${list[@]}"; do [[ -n ${settled[$key]:-} ]] || n=$((n + 1)); done
  echo "$n"
}

# finish: the last commit of a month, which also says how many are unfit; that
# is known if all that were left were tried.
finish() {
  local options=()
  if ! $partial && ((${#later[@]} + outstanding == 0)); then options=(--unfit "$month=${#unfit[@]}"); fi
  if ((${#pending[@]} + ${#unfit[@]} > 0 || committed == 0)) && ((${#pending[@]} + ${#there[@]} > 0)); then commit "${options[@]}"; fi
  say "$month: ${#there[@]} of ${#list[@]} shards are in $repo; made: $built, unfit: ${#unfit[@]}, left for later: $(left)"
  name_lost
  if ((${#unfit[@]} > 0)); then failed=true; fi
  if ((${#later[@]} > 0)); then postponed=true; fi
}
