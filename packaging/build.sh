#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing and builds into build/release: the targets named, or everything. Configures where that has not been done, or
# the presets or the installed packages have changed since (the build itself sees to the CMake files).
#   packaging/build.sh [target…]
#   packaging/build.sh --solver ID [target…]     into build/demo, with this solver and those that were asked for before, for processors alone
set -euo pipefail
cd "$(dirname "$0")/.."
preset=release
options=()
if [ "${1:-}" = --solver ]; then
  preset=demo
  solver=${2//-/_}
  shift 2
  solvers=$(sed -n 's/^CONOID_SOLVERS:[A-Z]*=//p' build/demo/CMakeCache.txt 2>/dev/null) || true
  [[ "$solvers" == all || ";$solvers;" == *";$solver;"* ]] || options=("-DCONOID_SOLVERS=${solvers:+$solvers;}$solver")
fi
packaging/setup.sh
made=build/$preset/build.ninja
if [ ${#options[@]} -gt 0 ] || [ ! -f "$made" ] || [ CMakePresets.json -nt "$made" ] || [ /var/lib/dpkg/status -nt "$made" ]; then
  cmake --preset "$preset" ${options[0]+"${options[@]}"}
fi
cmake --build --preset "$preset" ${1:+--target "$@"}
