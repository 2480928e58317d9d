#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing and builds into build/release: the targets named, or everything. Configures where that has not been done, or
# the presets or the installed packages have changed since (the build itself sees to the CMake files).
#   packaging/build.sh [target…]
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/setup.sh
made=build/release/build.ninja
if [ ! -f "$made" ] || [ CMakePresets.json -nt "$made" ] || [ /var/lib/dpkg/status -nt "$made" ]; then cmake --preset release; fi
cmake --build --preset release ${1:+--target "$@"}
