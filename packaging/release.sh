#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a release wants besides the gate, by hand: packages that are the same bytes when they are made again, what lintian has
# against the DEBs, and all of them used in clean roots of Debian 12, archive and RPM in roots of Debian 13 too.
#   packaging/release.sh [deb|archive|rpm]…     default: all three
# Takes the variables of packaging/package.sh. The packages stay in build/packages, their sums in build/packages/SHA256SUMS.
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/phase.sh
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(deb archive rpm)
command -v lintian >/dev/null || { echo "release.sh: there is no lintian; packaging/setup.sh --package installs it" >&2; exit 1; }
packages=build/packages
once() {
  rm -f "$packages"/*.deb "$packages"/*.run "$packages"/*.rpm
  packaging/package.sh "${kinds[@]}"
  (cd "$packages" && sha256sum -- *.deb *.run *.rpm 2>/dev/null || true) >"$1"
}
sums=$(mktemp -d)
trap 'rm -rf "$sums"' EXIT
phase "packages" once "$sums/first"
# Another time of day, umask, language and home: none of them may be inside.
again() { (umask 077 && LANG=C LC_ALL=C TZ=Asia/Kolkata HOME=$sums once "$sums/second"); }
phase "packages again" again
[ -s "$sums/first" ] || { echo "release.sh: no package was made" >&2; exit 1; }
if ! diff "$sums/first" "$sums/second"; then
  echo "release.sh: the packages above are other bytes when they are made again" >&2
  exit 1
fi
cp "$sums/second" "$packages/SHA256SUMS"
chmod 644 "$packages/SHA256SUMS"
echo "The same bytes twice:"
cat "$packages/SHA256SUMS"
# Tags that say what is meant to be so: packaging/lintian.txt.
if ls "$packages"/*.deb >/dev/null 2>&1; then
  phase "lintian" lintian --fail-on error,warning --suppress-tags-from-file packaging/lintian.txt "$packages"/*.deb
fi
# In roots of their own; without the right to make one (not root, no mirror) that is said, and is no failure.
use() {
  local status=0
  CONOID_SUITE=$1 packaging/test_package.sh "${@:2}" || status=$?
  [ $status -ne 77 ] || { echo "SKIPPED: the packages were not used in a root of $1"; return 0; }
  return $status
}
phase "Debian 12" use bookworm "${kinds[@]}"
later=()
for kind in "${kinds[@]}"; do [ "$kind" = deb ] || later+=("$kind"); done
[ ${#later[@]} -eq 0 ] || phase "Debian 13" use trixie "${later[@]}"
