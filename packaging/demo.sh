#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job from nothing: installs, builds, runs a sample case, draws its field, opens the window where there is a display.
# What is there already and newer than the program and the case is not made again.
#   packaging/demo.sh [case name]     default: point-source
# It builds what it runs: the programs with the solver of this case, for processors (build/demo). Where everything has been built
# (packaging/build.sh, into build/release) that is brought up to date and run instead.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-point-source}
case=resources/cases/$name/case.json
if [ ! -f "$case" ]; then
  echo "demo.sh: there is no sample '$name'; these are there:" $(ls resources/cases) >&2
  exit 2
fi
build=build/release
only=()
if [ ! -f "$build/bin/conoid-gui" ]; then
  build=build/demo
  only=(--solver "$(sed -n 's/.*"solver" *: *"\([^"]*\)".*/\1/p' "$case")")
fi
packaging/build.sh ${only[0]+"${only[@]}"} conoid conoid-worker conoid-probe conoid-render conoid-gui
bin=$build/bin
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
  "$bin/conoid" run "$case" --out "$run"
  echo
  echo "Results   $run"
fi
current "$run/field.png" "$run/summary.json" "$bin/conoid-render" || "$bin/conoid" render "$run" -o "$run/field.png"
echo "Picture   $run/field.png"
[ "$build" = build/release ] || echo "Programs  $bin (this case's solver alone; packaging/build.sh builds everything, into build/release)"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Window    opening (close it to end)"
  "$bin/conoid-gui" "$case" --run
else
  current "$run/window.png" "$run/summary.json" "$bin/conoid-gui" || "$bin/conoid-gui" "$run" --screenshot "$run/window.png"
  echo "Window    $run/window.png (there is no display, so a picture of it)"
fi
