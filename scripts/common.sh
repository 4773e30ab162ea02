# What scripts/quickstart and scripts/test share: the list of packages, their installation, the
# number of jobs, the configuration of the release build. Sourced, not run.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build_dir=build/release

# Debian 12 names. docs/architecture.md says which floor uses which library.
packages_build=(
  g++ cmake ninja-build
  nlohmann-json3-dev libcli11-dev libspdlog-dev libutf8proc-dev libjpeg-dev libpng-dev
  libboost-dev libtiff-dev libwebp-dev libgif-dev liblcms2-dev
  poppler-utils poppler-data qpdf zlib1g-dev libxxhash-dev
)
packages_test=(libgtest-dev python3-minimal)
packages_full=(
  binutils clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
)
packages_arm64=(g++-aarch64-linux-gnu qemu-user)

say() { printf '\n== %s\n' "$*" >&2; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

missing_packages() {
  local name
  for name in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
      printf '%s\n' "$name"
    fi
  done
}

# Runs apt-get as root without a question of its own, and waits for another package manager.
# sudo may ask for a password, but only where there is a terminal to ask on.
apt_get() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a LC_ALL=C.UTF-8 \
    apt-get -q -y -o DPkg::Lock::Timeout=900 -o Acquire::Retries=3 \
    -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
}

# `apt-get update` does not wait for the lock of the package lists, so this does.
refresh_package_lists() {
  local attempt
  for attempt in 1 2 3 4 5 6; do
    apt_get update && return 0
    sleep $((attempt * 5))
  done
  return 1
}

package_lists_are_fresh() {
  [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mmin -1440 2>/dev/null |
    head -n 1)" ]
}

# Installs what is missing of the packages named; touches nothing when all are there.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    printf 'This is not a Debian system. Needed are what these Debian packages hold: %s\n' \
      "$*" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    die "packages are missing and there is no sudo. As root: apt-get install ${missing[*]}"
  fi
  local install=(install --no-install-recommends "${missing[@]}")
  if package_lists_are_fresh && apt_get "${install[@]}"; then
    return 0
  fi
  refresh_package_lists || printf 'package lists could not be refreshed\n' >&2
  apt_get "${install[@]}" || die "could not install. As root: apt-get ${install[*]}"
}

# One compiler process needs up to 1.2 GB, so memory bounds the jobs as well as the processors do.
# OCTAVO_JOBS overrides.
num_jobs() {
  if [ -n "${OCTAVO_JOBS:-}" ]; then
    printf '%s\n' "$OCTAVO_JOBS"
    return
  fi
  local available_kb limit used jobs
  available_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  used=$(cat /sys/fs/cgroup/memory.current 2>/dev/null || true)
  if [[ $limit =~ ^[0-9]+$ && $used =~ ^[0-9]+$ ]]; then
    local room_kb=$(((limit - used) / 1024))
    [ "$room_kb" -ge "${available_kb:-$room_kb}" ] || available_kb=$room_kb
  fi
  jobs=$((${available_kb:-1200000} / 1200000))
  [ "$jobs" -le "$(nproc)" ] || jobs=$(nproc)
  [ "$jobs" -ge 1 ] || jobs=1
  printf '%s\n' "$jobs"
}

# configure PRESET [options]: afresh when the folder was configured for a tree elsewhere.
configure() {
  local preset=$1 home
  shift
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "build/$preset/CMakeCache.txt" \
    2>/dev/null || true)
  if [ -n "$home" ] && [ "$home" != "$(pwd -P)" ] && [ "$home" != "$PWD" ]; then
    set -- --fresh "$@"
  fi
  cmake --preset "$preset" "$@" >&2
}

build() {
  local preset=$1
  shift
  nice cmake --build "build/$preset" --parallel "$(num_jobs)" "$@" >&2
}
