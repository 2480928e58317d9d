#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang-tidy (.clang-tidy, version 14) on what changed: the lines of app, engine and render that differ from BASE, in sources and in the
# headers that these include. Fails when it has something to say about one of them.
#   packaging/tidy.sh [BASE]     default: origin/main; where HEAD is that commit already, the last CONOID_TIDY_COMMITS (default 20)
# A file takes some ten seconds, and those that changed last come first. No file is begun after CONOID_TIDY_SECONDS (default 150); those
# left out are counted.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${CONOID_TIDY_SECONDS:-150}
program=$(command -v clang-tidy-14 || command -v clang-tidy) || {
  echo "tidy.sh: there is no clang-tidy; install clang-tidy-14 (packaging/setup.sh --gate)" >&2
  exit 1
}
base=${1:-}
if [ -z "$base" ]; then
  base=origin/main
  if ! git rev-parse -q --verify "$base" >/dev/null || git merge-base --is-ancestor HEAD "$base"; then
    base=$(git rev-list --first-parent --max-count=$((${CONOID_TIDY_COMMITS:-20} + 1)) HEAD | tail -n 1)
  fi
fi
git rev-parse -q --verify "$base^{commit}" >/dev/null || {
  echo "tidy.sh: there is no commit $base to compare with; nothing is checked"
  exit 0
}
base=$(git merge-base "$base" HEAD)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# [{"name": file, "lines": [[first, last], …]}, …] of the lines that are new, with what is not committed.
git diff -U0 --no-color --diff-filter=d "$base" -- app engine render | awk '
  /^\+\+\+ b\// { file = substr($0, 7); next }
  /^@@/ && file ~ /\.(cpp|hpp)$/ {
    n = split(substr($3, 2), at, ","); count = n > 1 ? at[2] : 1
    if (count > 0) lines[file] = lines[file] (lines[file] == "" ? "" : ",") "[" at[1] "," at[1] + count - 1 "]"
  }
  END { printf "["; for (f in lines) printf "%s{\"name\":\"%s\",\"lines\":[%s]}", (k++ ? "," : ""), f, lines[f]; print "]" }' > "$work/lines"
# Sources that changed, what is not committed and the latest commits first; for a header that changed the source beside it, where there is one.
git diff --name-only --diff-filter=d "$base" -- app engine render | sort > "$work/changed"
{ git diff --name-only HEAD -- app engine render; git log --format= --name-only "$base..HEAD" -- app engine render; cat "$work/changed"; } |
  awk 'NR == FNR { changed[$0]; next } $0 in changed' "$work/changed" - | sed -n 's/\.hpp$/.cpp/p; /\.cpp$/p' | awk '!seen[$0]++' |
  while read -r file; do [ ! -f "$file" ] || echo "$file"; done > "$work/files"
count=$(wc -l < "$work/files")
if [ "$count" -eq 0 ]; then
  echo "tidy.sh: no source of app, engine and render differs from $(git rev-parse --short "$base")."
  exit 0
fi

# Each file by itself, headers as they are: what GCC has parsed before, clang cannot read.
cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Release -DCONOID_PRECOMPILE_HEADERS=OFF -DCONOID_UNITY=OFF -DCONOID_WITH_CUDA=OFF \
  -DCONOID_WITH_TESTS=OFF > "$work/configured" || { cat "$work/configured"; exit 1; }
# OpenMP's header comes with the compiler, where clang does not look.
omp=$(dirname "$("${CXX:-c++}" -print-file-name=include/omp.h)")
export program work limit omp begun=$SECONDS started=$(date +%s)
one() {
  if [ $(($(date +%s) - started)) -ge "$limit" ]; then echo "$1" >> "$work/left"; return 0; fi
  grep -qF "/$1\"" build/tidy/compile_commands.json || return 0  # of a part that is not built here
  if ! timeout 300 "$program" -p build/tidy --quiet --warnings-as-errors='*' --line-filter="$(cat "$work/lines")" \
      --extra-arg=-Wno-unknown-warning-option --extra-arg=-idirafter --extra-arg="$omp" "$1" > "$work/said.$$" 2> "$work/noise.$$"; then
    { cat "$work/said.$$"; grep -E 'error' "$work/noise.$$" || true; } | sed "s|$PWD/||" >> "$work/remarks"
  fi
}
export -f one
xargs -P "$(nproc)" -I{} bash -c 'one "$1"' _ {} < "$work/files"
left=0
[ ! -f "$work/left" ] || left=$(wc -l < "$work/left")
if [ -s "$work/remarks" ]; then
  cat "$work/remarks"
  echo "tidy.sh: clang-tidy objects to lines that changed since $(git rev-parse --short "$base")." >&2
  exit 1
fi
echo "tidy.sh: nothing to say on $((count - left)) of $count sources that changed since $(git rev-parse --short "$base") ($((SECONDS - begun)) s)."
[ "$left" -eq 0 ] || echo "tidy.sh: no time for $left that changed before them, such as: $(head -n 5 "$work/left" | tr '\n' ' ')"
