#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Draws docs/window.gif, the picture of the README, anew: the window computes a sample case on a display of its own and is photographed as
# it goes on. Wants Xvfb (packaging/setup.sh) and Debian's python3-pil.
#   packaging/moving_picture.sh [BIN] [CASE] [FILE] [PATH=VALUE…]     default: build/release/bin triple-point docs/window.gif
#                                                                     parameters.order=2, with which it takes half a minute
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "${1:-$root/build/release/bin}" && pwd)
case=${2:-triple-point}
file=${3:-$root/docs/window.gif}
[ $# -gt 3 ] && shift 3 || set -- parameters.order=2
size=${CONOID_SIZE:-1200x720}
work=$(mktemp -d)
display=""
program=""
cleanup() {
  [ -z "$program" ] || kill "$program" 2>/dev/null || true
  [ -z "$display" ] || kill "$display" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
# The server says the number that it has found free.
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 "${size}x24" -nolisten tcp 3>"$work/number" 2>"$work/xvfb.log" &
display=$!
read -r number <"$work/number"
# Settings and runs of whoever calls this are neither read nor written.
mkdir -m 700 "$work/home"
export HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_CACHE_HOME=$work/home XDG_RUNTIME_DIR=$work/home DISPLAY=:$number QT_QPA_PLATFORM=xcb
"$bin/conoid" new "$case" "$work/$case" >/dev/null
/usr/bin/python3 - "$work/$case/case.json" "$@" <<'PYTHON'
import json
import sys

case = json.load(open(sys.argv[1]))
for word in sys.argv[2:]:
    path, value = word.split("=", 1)
    *above, last = path.split(".")
    part = case
    for key in above:
        part = part.setdefault(key, {})
    part[last] = json.loads(value)
json.dump(case, open(sys.argv[1], "w"))
PYTHON
"$bin/conoid-gui" "$work/$case/case.json" --run --runs "$work/runs" --size "$size" --theme "${CONOID_THEME:-light}" --language en \
  >"$work/window.log" 2>&1 &
program=$!
/usr/bin/python3 "$root/packaging/moving_picture.py" "$number" "$work/runs" "$program" "$file" || { tail "$work/window.log" >&2; exit 1; }
