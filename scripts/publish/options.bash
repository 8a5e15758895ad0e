# The command line, and whether it and the machine are fit for a run.

months='' repo=${CCRAWL_NEWS_REPO:-open-index/ccrawl-news} files='' jobs='' every=25 tries=8
staging='' sshlogin='' mode=publish by='' name='' wait=false recount=false rebuild=false

parse() {
  while (($# > 0)); do
    case $1 in
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" && continue ;;
      -j?*) set -- -j "${1:2}" "${@:2}" && continue ;;
      --months | --repo | --files | -j | --jobs | --commit-every | --staging | --tries | --sshlogin | --one)
        (($# > 1)) || usage "$1 needs a value"
        option "$1" "$2"
        shift 2
        ;;
      --wait) wait=true && shift ;;
      --recount) recount=true && shift ;;
      --rebuild) rebuild=true && shift ;;
      -n | --dry-run) only dry --dry-run && shift ;;
      --list | --commit) only "${1#--}" "$1" && shift ;;
      -q | --quiet) quiet=true && shift ;;
      -h | --help) help && exit ;;
      -V | --version) hf-put --version | sed 's/^hf-put/news-publish/' && exit ;;
      --)
        shift
        if (($# > 0)); then no_argument "$1"; fi
        ;;
      -?*) usage "unknown option $1" ;;
      *) no_argument "$1" ;;
    esac
  done
}
no_argument() { usage "no argument $1: months are named by --months"; }

# only MODE OPTION: the option that says what a run does, of which there can be one.
only() {
  [[ -z $by || $by == "$2" ]] || usage "$by and $2 do not go together"
  mode=$1 by=$2
}

option() {
  case $1 in
    --months) months+=${months:+,}$2 ;;
    --repo) repo=$2 ;;
    --staging) staging=$2 ;;
    --sshlogin) sshlogin=$2 ;;
    --one)
      [[ -z $name || $name == "$2" ]] || usage "--one $name and --one $2: a run makes one shard"
      only one --one && name=$2
      ;;
    *)
      [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || usage "$1 $2: want a number, at least 1"
      case $1 in
        --files) files=$2 ;;
        -j | --jobs) jobs=$2 ;;
        --commit-every) every=$2 ;;
        --tries) tries=$2 ;;
      esac
      ;;
  esac
}

check() {
  case $mode in
    one) [[ $name =~ ^crawl-data/CC-NEWS/[0-9]{4}/(0[1-9]|1[0-2])/[0-9A-Za-z._-]+\.warc\.gz$ ]] ||
      usage "--one $name: want the name of an archive, as --list prints it" ;;
    commit) [[ ! -t 0 ]] || usage '--commit reads the lines of --one from stdin' ;;
    *) [[ $months =~ ^[0-9]{4}/(0[1-9]|1[0-2])(,[0-9]{4}/(0[1-9]|1[0-2]))*$ ]] ||
      usage "--months ${months:-is needed}: months are written 2026/07,2026/08" ;;
  esac
  local m each=,
  for m in ${months//,/ }; do [[ $each == *",$m,"* ]] || each+=$m,; done
  months=${each//,/ }
  ((every <= 500)) || usage "--commit-every $every: a commit of the hub takes 500 shards at most"
  if [[ -n $sshlogin ]] && local_repo; then usage "--sshlogin: other machines cannot write to the folder $repo"; fi
  if [[ -z $staging ]]; then
    [[ -n ${XDG_CACHE_HOME:-${HOME:-}} ]] || usage 'HOME is not set: say --staging FOLDER'
    staging=${XDG_CACHE_HOME:-$HOME/.cache}/ccnews/staging
  fi
  [[ $staging == /* ]] || staging=$PWD/$staging
  need
  judge_repo
  local cpus
  cpus=$(nproc)
  : "${jobs:=$(((cpus + 3) / 4))}"
  cores=$((cpus > jobs ? cpus / jobs : 1))
}

# need: the commands that a run takes.
need() {
  local tool tools=(warc-records record-index jsonl2parquet shard-stats dataset-card hf-ls hf-get hf-put curl gzip xargs sed sort mkfifo df nproc flock find)
  if [[ -n $sshlogin ]]; then tools+=(parallel); fi
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || fail 1 "$tool is missing: install it, or put it into PATH"
  done
}

# judge_repo: whether the name of the repository can be one, says hf-get, which is
# asked for no file.
judge_repo() {
  local said status=0
  said=$(hf-get -q --repo "$repo" 2>&1 >/dev/null </dev/null) || status=$?
  if ((status == 2)) && [[ $said == hf-get:* ]]; then usage "$(sed -n '1s/^hf-get: //p' <<<"$said")"; fi
}
