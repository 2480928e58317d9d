#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the libFuzzer targets (clang) and runs each on its corpus.
#   packaging/fuzz.sh [SECONDS]     a target, default 60; a crash leaves its input in build/fuzz/tests/fuzz/found
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang++ >/dev/null || { echo "fuzz.sh: needs clang. Debian: apt install clang libclang-rt-14-dev" >&2; exit 1; }
cmake --preset fuzz -DCONOID_FUZZ_SECONDS="${1:-60}"
cmake --build build/fuzz --target fuzz_run
