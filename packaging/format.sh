#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The formatter over the tree (.clang-format, version 14: others break lines elsewhere).
#   packaging/format.sh           formats
#   packaging/format.sh --check   names the files that are not as it would leave them, and fails if there are any
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(command -v clang-format-14 || command -v clang-format) || {
  echo "format.sh: there is no clang-format; install clang-format-14" >&2
  exit 1
}
list() { git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.inl'; }
if [ "${1:-}" = --check ]; then
  odd=$(list | xargs -0 -P "$(nproc)" -n 40 "$program" --dry-run 2>&1 | sed -n 's/^\([^ :]*\):.*clang-format-violations.*/\1/p' | sort -u)
  [ -z "$odd" ] || { printf 'Not as the formatter would leave them (packaging/format.sh):\n%s\n' "$odd"; exit 1; }
  echo "format.sh: all files are as the formatter leaves them."
else
  list | xargs -0 -P "$(nproc)" -n 40 "$program" -i
fi
