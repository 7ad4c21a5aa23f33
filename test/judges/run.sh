#!/usr/bin/env bash
# Scanners that others wrote as judges of --redact: npm run test:judges. Installs them from PyPI and npm, pinned, into .judges/ (not checked
# in), plants values in logs, builds them with and without --redact, and prints what each scanner finds. Needs Python 3.11 or newer, and a
# network the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

here=test/judges
home=$PWD/.judges
built=$(cat "$here/requirements.txt" "$here/run.sh" | sha256sum)
if [[ ! -f $home/built || $(<"$home/built") != "$built" ]]; then
  rm -rf "$home"
  "${PYTHON:-python3}" -m venv "$home"
  "$home/bin/pip" install --quiet --requirement "$here/requirements.txt"
  npm install --silent --no-save --prefix "$home" secretlint@12.0.0 @secretlint/secretlint-rule-preset-recommend@12.0.0
  printf '%s' "$built" >"$home/built"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$home/bin/python" "$here/judge.py" "$work" "$home"
