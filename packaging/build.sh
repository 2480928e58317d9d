#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing and builds everything into build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/setup.sh
cmake --preset release
cmake --build --preset release
