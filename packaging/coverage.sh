#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which lines of the engine the tests reach: a build for it (build/coverage, no window, no pictures), its tests, a table a folder, and
# pages with every line in build/coverage/report. Needs Debian's gcovr.
#   packaging/coverage.sh [FOLDER…]     only the tests of these folders (engine.case engine.io); default: all but bench, gpu, long
# Tests that fail are named and do not keep the report from being made.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v gcovr >/dev/null || { echo "coverage.sh: there is no gcovr. Debian: apt install gcovr" >&2; exit 1; }
build=build/coverage
targets=()
chosen=()
if [ $# -gt 0 ]; then
  pattern=$(IFS='|'; printf '^(%s)[.]' "${*//./[.]}")
  chosen=(-R "$pattern")
fi
cmake --preset coverage >/dev/null
for folder in "$@"; do targets+=("test_${folder//./_}"); done
cmake --build "$build" ${targets:+--target "${targets[@]}"}
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" -j "$(nproc)" -LE 'bench|gpu|long' "${chosen[@]}" || echo "coverage.sh: some tests failed; what they reached is counted"
rm -rf "$build/report"
mkdir -p "$build/report"
gcovr --root . --object-directory "$build" --filter 'engine/' --exclude-throw-branches --exclude-unreachable-branches \
  --gcov-ignore-parse-errors --html-details "$build/report/index.html" --json-summary "$build/report/summary.json" -j "$(nproc)" >/dev/null
python3 - "$build/report/summary.json" <<'PYTHON'
import collections
import json
import sys

told = json.load(open(sys.argv[1]))
folders = collections.defaultdict(lambda: [0, 0])
for file in told["files"]:
    parts = file["filename"].split("/")
    name = "/".join(parts[:3] if parts[1] == "solvers" else parts[:2])
    folders[name][0] += file["line_covered"]
    folders[name][1] += file["line_total"]
print("| folder | lines | reached |\n|---|---|---|")
for name, (reached, lines) in sorted(folders.items()):
    print(f"| `{name}` | {lines} | {100 * reached / max(lines, 1):.1f} % |")
print(f"| all | {told['line_total']} | {told['line_percent']} % |")
PYTHON
echo "$build/report/index.html"
