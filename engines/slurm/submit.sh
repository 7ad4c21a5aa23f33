#!/bin/bash
# Submits a build of N slices and their merge: bash submit.sh N PARTS OUT IN... [OPTIONS OF BUILD]. Run it again after a failure: it submits
# the slices that are not whole. Prints the id of the merge. PARTS and OUT must be on a file system that all nodes see.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
of=$1 parts=$2 out=$3
shift 3
mkdir -p "$parts"
after=()
mapfile -t slices < <(seq -f "$parts/%.0f" "$of")
if ! missing=$(turnmill merge --missing "${slices[@]}" 2>/dev/null); then
  job=$(sbatch --parsable --array="${missing:-1-$of}" "$here/build.sbatch" "$of" "$parts" "$@")
  # without the second option, a merge whose slices failed would wait for ever
  after=(--dependency="afterok:$job" --kill-on-invalid-dep=yes)
fi
sbatch --parsable ${after[@]+"${after[@]}"} "$here/merge.sbatch" "$of" "$parts" "$out"
