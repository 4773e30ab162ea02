# What the tests of the program share: a folder of their own, runs, checks, the closing line.
# Sourced by X_test.sh OCTAVO SOURCE_DIR, not run.

octavo=$1
source_dir=$2
export OCTAVO_MODEL=$source_dir/models/octavo-nano
work=$(mktemp -d)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1

passed=0
failed=0
check() { # check NAME CONDITION...
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name (exit code $code)"
    sed 's/^/  stdout: /' stdout | head -5
    sed 's/^/  stderr: /' stderr | head -5
  fi
}
skip() { echo "SKIPPED: $*"; }
run() { # run ARGUMENTS...: sets code, stdout, stderr
  "$octavo" "$@" >stdout 2>stderr </dev/null
  code=$?
}
# As a user without rights over others' files, where this one has them. Needs a program that the
# other user can reach.
run_unprivileged() {
  if [ "$(id -u)" != 0 ]; then
    run "$@"
  else
    setpriv --reuid 65534 --regid 65534 --clear-groups "$octavo" "$@" >stdout 2>stderr </dev/null
    code=$?
  fi
}
can_be_unprivileged() {
  [ "$(id -u)" != 0 ] && return 0
  chmod a+rx "$work"
  setpriv --reuid 65534 --regid 65534 --clear-groups \
    "$octavo" inspect "$OCTAVO_MODEL" >/dev/null 2>&1
}
is() { [ "$1" = "$2" ]; }
has() { grep -qF -- "$2" "$1"; }
lacks() { ! grep -qF -- "$2" "$1"; }
empty() { [ ! -s "$1" ]; }
one_line() { [ "$(wc -l <"$1")" = 1 ]; }
absent() { [ ! -e "$1" ]; }
refused_with() { # refused_with NAME CODE WORDS ARGUMENTS...: runs, and looks at the code and what is said
  local name=$1 expected=$2 words=$3
  shift 3
  run "$@"
  check "refuses $name" is "$code" "$expected"
  check "says why: $name" has stderr "$words"
}
# A refusal is a code of the table in docs/stability.md, no signal and no internal error.
refused() { [ "$code" -ge 2 ] && [ "$code" -le 7 ]; }
done_or_refused() { [ "$code" = 0 ] || refused; }
nothing_temporary() { [ "$(find "$1" -name '*.tmp*' 2>/dev/null | wc -l)" = 0 ]; }
# Of the last run with --json: the largest resident memory in whole MB.
peak_mb() { sed -n 's/.*"peak_rss_mb":\([0-9]*\).*/\1/p' stdout; }
check_time() { # check_time NAME LIMIT_SECONDS: since SECONDS=0
  if grep -qa __asan_init "$octavo"; then
    skip "$1: a sanitizer takes many times as long"
  else
    check "$1" [ "$SECONDS" -lt "$2" ]
  fi
}
check_memory() { # check_memory NAME LIMIT_MB
  if grep -qa __asan_init "$octavo"; then
    skip "$1: a sanitizer's own memory would be counted"
  else
    check "$1: $(peak_mb) of $2 MB" [ "$(peak_mb)" -lt "$2" ]
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
