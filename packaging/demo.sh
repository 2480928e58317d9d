#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job from nothing: installs, builds, runs a sample case, draws its field, opens the window where there is a display.
# What is there already and newer than the program and the case is not made again.
#   packaging/demo.sh [case name]     default: point-source
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-point-source}
packaging/build.sh conoid conoid-worker conoid-probe conoid-render conoid-gui
bin=build/release/bin
run=runs/demo-$name
# Whether $1 is there and nothing of the rest (files, folders) is newer.
current() {
  local made=$1
  shift
  [ -f "$made" ] && [ -z "$(find "$@" -newer "$made" -print -quit)" ]
}
echo
if current "$run/summary.json" "$bin/conoid" "resources/cases/$name" && grep -q '"state": *"finished"' "$run/summary.json"; then
  echo "Results   $run (of a run before: case and program are as they were then)"
else
  rm -rf "$run"
  "$bin/conoid" run "resources/cases/$name/case.json" --out "$run"
  echo
  echo "Results   $run"
fi
current "$run/field.png" "$run/summary.json" "$bin/conoid-render" || "$bin/conoid" render "$run" -o "$run/field.png"
echo "Picture   $run/field.png"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Window    opening (close it to end)"
  "$bin/conoid-gui" "resources/cases/$name/case.json" --run
else
  current "$run/window.png" "$run/summary.json" "$bin/conoid-gui" || "$bin/conoid-gui" "$run" --screenshot "$run/window.png"
  echo "Window    $run/window.png (there is no display, so a picture of it)"
fi
