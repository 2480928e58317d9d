#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds with sanitizers and passes all tests of that build: addresses and undefined behaviour, then races.
#   packaging/sanitize.sh [asan|tsan|asan-quick|tsan-quick]…
#     default: asan and tsan, engine only, without window, VTK and MPI
#     quick: no solvers; what reads files and speaks with programs (asan), session, team and stores (tsan)
set -euo pipefail
cd "$(dirname "$0")/.."
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(asan tsan)
export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-second_deadlock_stack=1:suppressions=$PWD/tests/tsan.supp}"
for preset in "${presets[@]}"; do
  case "$preset" in
    asan | tsan | asan-quick | tsan-quick) ;;
    *) echo "usage: packaging/sanitize.sh [asan|tsan|asan-quick|tsan-quick]…" >&2; exit 2 ;;
  esac
  begin=$SECONDS
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  printf '== %s built in %d s\n' "$preset" $((SECONDS - begin))
  begin=$SECONDS
  ctest --preset "$preset" -j 2
  printf '== %s passed in %d s\n' "$preset" $((SECONDS - begin))
done
