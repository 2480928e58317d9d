#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job from nothing: installs, builds, runs a sample case, draws its field, opens the window where there is a display.
#   packaging/demo.sh [case name]     default: point-source
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-point-source}
packaging/build.sh conoid conoid-worker conoid-probe conoid-render conoid-gui
bin=build/release/bin
run=runs/demo-$name
rm -rf "$run"
echo
"$bin/conoid" run "resources/cases/$name/case.json" --out "$run"
echo
"$bin/conoid" render "$run" -o "$run/field.png"
echo "Results   $run"
echo "Picture   $run/field.png"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Window    opening (close it to end)"
  "$bin/conoid-gui" "resources/cases/$name/case.json" --run
else
  "$bin/conoid-gui" "resources/cases/$name/case.json" --run --screenshot "$run/window.png"
  echo "Window    $run/window.png (there is no display, so a picture of it)"
fi
