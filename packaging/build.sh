#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing and builds into build/release: the targets named, or everything.
#   packaging/build.sh [target…]
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/setup.sh
cmake --preset release
cmake --build --preset release ${1:+--target "$@"}
