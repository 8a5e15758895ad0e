# What the repository has of the month that is worked on, all at one commit, its head.

month='' head='' loaded=false
declare -A there=() # the shards at head, by key

# hub COMMAND…: runs one of hf-* on the repository; its failure is ours.
hub() {
  local status=0
  "$1" --tries "$tries" "${@:2}" 2>"$work/hub" || status=$?
  if ((status == 0)); then return; fi
  cat "$work/hub" >&2
  if ((status != 75)); then status=1; fi
  return "$status"
}

# local_repo: there is a folder, which has no revisions to ask for.
local_repo() { [[ $repo =~ ^(file:|/|\.\.?$|\.\.?/) ]]; }
at_head() { if local_repo; then echo "$repo"; else echo "${repo%@*}@$head"; fi; }
branchless() { if local_repo; then echo "$repo"; else echo "${repo%@*}"; fi; }

# enter MONTH: reads its list, and what the repository has of it. If there is no list,
# the month is left out, month is empty, and how the run ends says so.
enter() {
  local status=0
  month=$1
  manifest "$month" || status=$?
  if ((status == 0)); then
    look
  else
    month=''
    if ((status == 75)); then postponed=true; else failed=true; fi
  fi
}

# look: what the repository has of the month now: two requests.
look() {
  local line
  loaded=false there=()
  head=$(hub hf-ls -q --head --repo "$repo") || fail $? "$month: the repository cannot be read"
  : >"$work/listing"
  if [[ $head == *[1-9a-f]* ]]; then
    hub hf-ls -q --repo "$(at_head)" "data/$month/" >"$work/files" || fail $? "$month: the repository cannot be read"
    while IFS= read -r line; do
      [[ $line =~ ^\{\"path\":\"data/([^\"]+)\.parquet\" ]] || continue
      there[${BASH_REMATCH[1]}]=1
      printf '%s\n' "$line"
    done <"$work/files" >"$work/listing"
  fi
}

# load: the ledgers at head, and the lines of the month's shards, $work/lines.
load() {
  local status=0
  if $loaded; then return; fi
  rm -rf "$work/base"
  mkdir "$work/base" || return
  if [[ $head == *[1-9a-f]* ]]; then
    printf '%s\n' stats.csv languages.csv "stats/$month.jsonl" | hub hf-ls -q --stdin --repo "$(at_head)" >"$work/files" || return
    hub hf-get -q --repo "$(at_head)" -o "$work/base/" <"$work/files" || return
  fi
  local known=(--known "$work/base/${month#*/}.jsonl")
  if $recount; then known=(); fi
  shard-stats -q --tries "$tries" "${known[@]}" <"$work/listing" >"$work/lines" 2>"$work/hub" || status=$?
  if ((status > 0)) && { ((status != 1)) || ! $rebuild; }; then
    cat "$work/hub" >&2
    ((status == 75)) || error "$month: not all shards in the repository can be counted: --rebuild makes them again"
    return "$status"
  fi
  $rebuild || named || return
  loaded=true
}

# named: fails if a shard in the repository says that it is of another archive.
named() {
  local path
  path=$(sed -nE '/^\{"path":"data\/([^"]*)\.parquet",.*,"warc_filename":"crawl-data\/CC-NEWS\/\1\.warc\.gz"/d
    /,"warc_filename":"/ { s/^\{"path":"([^"]*)".*/\1/p; q }' "$work/lines")
  [[ -z $path ]] || { error "$month: $path is the shard of another archive: --rebuild makes it again" && return 1; }
}

# may_write: fails at once if the token is missing or may not write, not when the
# first shards are done.
may_write() {
  if local_repo; then
    [[ -w ${repo#file:} ]] || fail 1 "$month: $repo: the folder cannot be written to"
    return
  fi
  echo 'news-publish' | hub hf-put -q --upload-only --repo "$repo" --path news-publish - >/dev/null ||
    fail $? "$month: nothing can be committed to $repo"
}
