#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the documentation as HTML, build/docs/html/index.html; a warning is an error.
#   packaging/docs.sh [FOLDER]           default: build/docs; the program is $CONOID_PROGRAM, or build/release/bin/conoid
#   packaging/docs.sh --api [FOLDER]     instead the pages of the engine's headers, FOLDER/api/index.html, which need no program
# Needs Debian's python3-sphinx, python3-myst-parser and python3-sphinx-rtd-theme, and doxygen (packaging/setup.sh --docs installs them).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "${1:-}" = --api ]; then
  out=${2:-$root/build/docs}/api
  rm -rf "$out"
  mkdir -p "$out"
  version=$(sed -n 's/^project(Conoid VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  cd "$root"
  { cat docs/Doxyfile; printf 'INPUT = engine\nOUTPUT_DIRECTORY = "%s"\nPROJECT_NUMBER = %s\n' "$out" "$version"; } | doxygen -
  echo "$out/index.html"
  exit
fi
out=${1:-$root/build/docs}
export CONOID_PROGRAM=${CONOID_PROGRAM:-$root/build/release/bin/conoid} CONOID_SOURCE=$root PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3
[ -x $python ] || python=python3
CONOID_VERSION=$("$CONOID_PROGRAM" --version | cut -d' ' -f2)
export CONOID_VERSION
# All anew: pages that are gone vanish, and all have the same contents beside them.
rm -rf "$out/html" "$out/doctrees"
$python "$root/docs/generate.py" "$out/source"
$python -m sphinx -q -W --keep-going -b html -d "$out/doctrees" "$out/source" "$out/html"
echo "$out/html/index.html"
