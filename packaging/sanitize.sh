#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds with sanitizers and passes all tests of that build: addresses and undefined behaviour, then races.
#   packaging/sanitize.sh [asan|tsan|asan-quick|tsan-quick]…
#     default: asan and tsan, engine only, without window, VTK and MPI
#     quick: no solvers; what reads files and speaks with programs (asan), session, team and stores (tsan)
# A sanitizer that cannot run a program on this machine is named and left out.
set -euo pipefail
cd "$(dirname "$0")/.."
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(asan tsan)
# handle_segv=0: programs that tests crash on purpose end by the signal. verify_asan_link_order=0: faults of writing are preloaded.
# die_after_fork=0: Qt starts threads after a fork.
export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1:handle_segv=0:verify_asan_link_order=0}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/lsan.supp:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-second_deadlock_stack=1:handle_segv=0:die_after_fork=0:suppressions=$PWD/tests/tsan.supp}"
# The thread sanitizer of GCC 12 does not start where addresses are random in more than 28 bits.
steady=()
setarch -R true 2>/dev/null && steady=(setarch -R)

# Whether a program of nothing runs under these sanitizers here; the leak sanitizer wants to trace its own process.
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
runs_here() {
  echo 'int main() {}' > "$probe/nothing.cpp"
  "${CXX:-c++}" "-fsanitize=$1" "$probe/nothing.cpp" -o "$probe/nothing" && "${steady[@]}" "$probe/nothing" 2> "$probe/said"
}

for preset in "${presets[@]}"; do
  case "$preset" in
    asan | asan-quick)
      if ! runs_here address,undefined; then
        export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
        if runs_here address,undefined; then echo "== $preset: leaks cannot be looked for here"
        else echo "== $preset left out, it does not run here: $(head -n 3 "$probe/said")"; continue; fi
      fi ;;
    tsan | tsan-quick)
      runs_here thread || { echo "== $preset left out, it does not run here: $(head -n 3 "$probe/said")"; continue; } ;;
    *) echo "usage: packaging/sanitize.sh [asan|tsan|asan-quick|tsan-quick]…" >&2; exit 2 ;;
  esac
  begin=$SECONDS
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  printf '== %s built in %d s\n' "$preset" $((SECONDS - begin))
  begin=$SECONDS
  "${steady[@]}" packaging/tests.sh "$preset"
  printf '== %s passed in %d s\n' "$preset" $((SECONDS - begin))
done
