#!/usr/bin/env bash
# The real consumers as judges: npm run test:loaders [-- --sessions N] [-- --update]. Installs them from PyPI, pinned, into .loaders/ (not
# checked in), builds datasets with the built command and compares what the consumers do with them. With fewer sessions a loader may refuse
# a corpus for another reason, which fails the run. Needs Python 3.11 or newer, a network the first time, and 2 GB of disk.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

here=test/loaders
home=$PWD/.loaders

# environment NAME REQUIREMENTS...: created again when its requirements have changed
environment() {
  local env=$home/$1 built
  shift
  built=$(cat "$@" | sha256sum)
  [[ -f $env/built && $(<"$env/built") == "$built" ]] && return
  rm -rf "$env"
  "${PYTHON:-python3}" -m venv "$env"
  "$env/bin/pip" install --quiet --only-binary :all: --requirement "$1"
  if [[ $# -gt 1 ]]; then "$env/bin/pip" install --quiet --only-binary :all: --no-deps --ignore-requires-python --requirement "$2"; fi
  printf '%s' "$built" >"$env/built"
}

environment current "$here/requirements.txt" "$here/requirements-alone.txt"
environment older "$here/requirements-older.txt"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HF_HUB_OFFLINE=1 HF_HOME=$work/hub TRANSFORMERS_VERBOSITY=critical PYTHONDONTWRITEBYTECODE=1
"$home/current/bin/python" "$here/judge.py" "$work" "$home/older/bin/python" "$@"
mkdir "$work/publish"
"$home/current/bin/python" "$here/publish.py" "$work/publish"
"$home/current/bin/python" "$here/folder.py" "$work" "$home/older/bin/python"
"$home/current/bin/python" "$here/judge_all_templates.py" "$work"
"$home/current/bin/python" "$here/judge_all_factory.py" "$work"
