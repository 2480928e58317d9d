#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds everything and passes the tests (all but the labels bench, gpu and long).
# Prints each phase with the time it took.
#   packaging/test.sh [options of tests.sh…]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/phase.sh
start=$SECONDS
phase "set-up" packaging/setup.sh
phase "configure" cmake --preset release
phase "build" cmake --build --preset release
phase "tests" packaging/tests.sh "${@:-release}"
phase "exact and published numbers" build/release/bin/conoid verify --quick
printf '\nAll phases passed in %d s.\n' $((SECONDS - start))
