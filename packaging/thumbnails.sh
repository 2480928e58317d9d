#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Draws the pictures of the gallery anew: runs each sample case and draws it as its card.json says ("picture": words for `conoid render`).
#   packaging/thumbnails.sh [BIN] [RUNS] [CASE…]    programs (default build/release/bin), folder of the runs (kept if finished), samples
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${1:-$root/build/release/bin}
runs=${2:-$root/build/thumbnails}
[ $# -gt 2 ] && shift 2 || set -- $(ls "$root/resources/cases" | grep -v '^airplane-large$')  # which takes hours: by name only
mkdir -p "$runs"
for name in "$@"; do
  case=$root/resources/cases/$name
  grep -q '"state": *"finished"' "$runs/$name/summary.json" 2>/dev/null || {
    rm -rf "${runs:?}/$name"
    "$bin/conoid" run "$case/case.json" --out "$runs/$name" --progress none
  }
  # Every word in single quotes for eval: names of parts have blanks.
  words=$(python3 -c 'import json, shlex, sys; print(shlex.join(json.load(open(sys.argv[1])).get("picture", [])))' "$case/card.json")
  eval "\"$bin/conoid\" render \"$runs/$name\" --thumbnail --scale 1.5 $words -o \"$case/thumbnail.png\""
done
