#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Passes the tests of a preset that is built, prints the 20 that took longest, and keeps all times in build/<preset>/tests.xml (JUnit).
#   packaging/tests.sh [PRESET] [options of ctest…]    default: release; release-long: those of the label `long`, times in tests-long.xml;
#     release-gate: both but every row of the engine's tests (label `rows`) and what marches for ten minutes; times in tests-gate.xml
# One test more at a time than there are processors: many wait for programs that they have started.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift || true
build=${preset%-long} build=${build%-gate}
times=$PWD/build/$build/tests${preset#"$build"}.xml
rm -f "$times"
passed=0
ctest --preset "$preset" -j $(($(nproc) + 1)) --output-junit "$times" "$@" || passed=$?
if [ -f "$times" ]; then
  printf '\nThe slowest tests (seconds; all in %s):\n' "${times#"$PWD"/}"
  # sort reads to the end, so that head closing early ends nothing by a signal.
  sed -n 's/.*<testcase name="\([^"]*\)".* time="\([^"]*\)".*/\2 \1/p' "$times" | sort -rn > "$times.sorted"
  head -n 20 "$times.sorted" | awk '{printf "%8.1f  %s\n", $1, $2}'
  rm -f "$times.sorted"
fi
exit "$passed"
