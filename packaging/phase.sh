# SPDX-License-Identifier: BSD-3-Clause
# Read by the scripts that consist of phases: `phase NAME command…` prints the phase's name, then the time that it took.
phase() {
  local name=$1 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  printf '== %s: %d s\n' "$name" $((SECONDS - begin))
}
