#!/usr/bin/env bash
# Installs and builds the peers into bench/peers/build/ (not checked in). Can be run again at any time. If a peer cannot be installed, this
# prints a message and continues; the benchmark lists that peer as "not installed". Debian packages need root; Python packages go into a venv.
set -uo pipefail
cd "$(dirname "$0")"
mkdir -p build

say() { printf 'setup: %s\n' "$*"; }

has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

install_packages() {
  local missing=()
  for name in "$@"; do has_package "$name" || missing+=("$name"); done
  if [ ${#missing[@]} -eq 0 ]; then return 0; fi
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    say "needs apt-get and root; not installed: ${missing[*]}"
    return 1
  fi
  apt-get update -qq || say 'apt-get update failed; using the existing package lists'
  # One by one, so that a package that is not available does not block the others.
  for name in "${missing[@]}"; do
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$name" \
      >build/apt.log 2>&1 || say "not installed: $name (see bench/peers/build/apt.log)"
  done
}

build_simdjson() { # NAME FLAGS...
  local name="$1"
  shift
  if [ "build/$name" -nt simdjson.cpp ]; then say "$name: up to date"; return; fi
  if g++ -std=c++17 -O3 -DNDEBUG -march=native "$@" simdjson.cpp -o "build/$name.new" -lsimdjson \
    2>build/"$name".log; then
    mv "build/$name.new" "build/$name"
    say "$name: built"
  else
    say "$name: not built (see bench/peers/build/$name.log)"
  fi
}

setup_python() {
  if ! command -v python3 >/dev/null; then say 'python3 is not installed: skipping json, orjson and DuckDB'; return; fi
  if [ ! -x build/venv/bin/python ] && ! python3 -m venv build/venv; then
    say 'cannot create a venv (Debian: install python3-venv): skipping orjson and DuckDB'
    return
  fi
  while read -r requirement; do
    case "$requirement" in ''|'#'*) continue ;; esac
    build/venv/bin/python -m pip install --quiet "$requirement" && say "$requirement: installed" \
      || say "$requirement: not installed"
  done <requirements.txt
}

install_packages time hyperfine jq g++ libsimdjson-dev
build_simdjson simdjson-ondemand
build_simdjson simdjson-dom -DUSE_DOM
setup_python
say 'done'
